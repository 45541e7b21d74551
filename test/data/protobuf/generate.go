//go:build ignore

// Makes the samples in this folder with Kubernetes' own code:
//
//	cd test/cluster && go run ../data/protobuf/generate.go ../data/protobuf
//
// NAME.pb is an object as typed clients send it, NAME.json is the same object in JSON.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/utils/ptr"
)

// filler gives every field a value of its own, so that no two can be mixed up unnoticed.
type filler struct {
	count   int
	schemas int // how deep in JSONSchemaProps
}

func (f *filler) next() int { f.count++; return f.count }

func (f *filler) fill(v reflect.Value) {
	switch value := v.Addr().Interface().(type) {
	case *metav1.Time:
		*value = metav1.NewTime(time.Date(2024, 2, 29, 23, 59, f.next()%60, 0, time.UTC))
		return
	case *metav1.FieldsV1:
		value.Raw = fmt.Appendf(nil, `{"f:spec":{"f:n%d":{}}}`, f.next())
		return
	case *apiextensionsv1.JSON:
		value.Raw = fmt.Appendf(nil, `{"n":%d,"texts":["ä",null,1.5]}`, f.next())
		return
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		if f.next()%2 == 0 {
			value.Allows = true
			value.Schema = &apiextensionsv1.JSONSchemaProps{}
			f.fill(reflect.ValueOf(value.Schema).Elem())
		} else {
			value.Allows = f.next()%2 == 0
		}
		return
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		value.Schema = &apiextensionsv1.JSONSchemaProps{Description: fmt.Sprint("items ", f.next())}
		if f.next()%2 == 0 {
			value.JSONSchemas, value.Schema = []apiextensionsv1.JSONSchemaProps{*value.Schema, {Type: "string"}}, nil
		}
		return
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		value.Property = []string{fmt.Sprint("needs ", f.next()), "b"}
		return
	case *metav1.TypeMeta:
		return
	case *apiextensionsv1.JSONSchemaProps:
		f.schemas++
		defer func() { f.schemas-- }()
	}
	f.fillKind(v)
}

func (f *filler) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", f.next()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.next()))
		if f.count%5 == 0 {
			v.SetInt(-v.Int())
		}
	case reflect.Float64:
		v.SetFloat(float64(f.next()) / 8)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{0xff, 0, byte(f.next())})
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			element := reflect.New(v.Type().Elem()).Elem()
			f.fill(element)
			v.SetMapIndex(reflect.ValueOf(fmt.Sprint("key ", f.next())), element)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if f.schemas > 1 && v.Type() == reflect.TypeFor[apiextensionsv1.JSONSchemaProps]() && isNested(field.Type()) {
				continue
			}
			f.fill(field)
		}
	default:
		panic(v.Type())
	}
}

// isNested tells whether a field of a schema contains schemas.
func isNested(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[apiextensionsv1.JSON]() &&
		t != reflect.TypeFor[apiextensionsv1.ValidationRule]() && t != reflect.TypeFor[apiextensionsv1.ExternalDocumentation]()
}

func filled[T runtime.Object](object T) T {
	f := &filler{}
	f.fill(reflect.ValueOf(object).Elem())
	return object
}

func zeros() *apiextensionsv1.CustomResourceDefinition {
	raw := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com", Labels: map[string]string{"": ""}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				MaxLength:            ptr.To[int64](0),
				Minimum:              ptr.To(0.0),
				Default:              raw(`""`),
				Example:              raw(`null`),
				Enum:                 []apiextensionsv1.JSON{{Raw: []byte("null")}, {Raw: []byte("0")}, {}},
				AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{},
				Items:                &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{}},
				Properties:           map[string]apiextensionsv1.JSONSchemaProps{"": {}},
			}},
		}}},
	}
}

func main() {
	definition := schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
	core := schema.GroupVersion{Version: "v1"}
	samples := map[string]struct {
		object runtime.Object
		kind   schema.GroupVersionKind
	}{
		"namespace":             {filled(&corev1.Namespace{}), core.WithKind("Namespace")},
		"namespace_name_only":   {&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, core.WithKind("Namespace")},
		"definition":            {filled(&apiextensionsv1.CustomResourceDefinition{}), definition},
		"definition_zeros":      {zeros(), definition},
		"delete_options":        {filled(&metav1.DeleteOptions{}), core.WithKind("DeleteOptions")},
		"delete_options_custom": {&metav1.DeleteOptions{}, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "DeleteOptions"}},
	}
	for name, sample := range samples {
		sample.object.GetObjectKind().SetGroupVersionKind(sample.kind)
		var wire bytes.Buffer
		check(protobuf.NewSerializer(nil, nil).Encode(sample.object, &wire))
		text, err := json.MarshalIndent(sample.object, "", " ")
		check(err)
		path := filepath.Join(os.Args[1], name)
		check(os.WriteFile(path+".pb", wire.Bytes(), 0o644))
		check(os.WriteFile(path+".json", append(text, '\n'), 0o644))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
