//go:build ignore

// Writes what Kubernetes' own code makes of the cases of schema_cases.jsonl behind each of them ("want"):
//
//	cd test/cluster/binaries/kubernetes && go run ../../../unit/testdata/generate_schema.go ../../../unit/testdata/schema_cases.jsonl
//
// A line is a case; `op` says what is asked:
//
//	object      coerce and default `doc` by `schema`, then validate it, as an update of `old` if there is one
//	structural  what keeps `schema` from being structural
//	typed       read `doc` as the struct `type`
//	meta        validate `doc` as the metadata of a new object, namespaced or not
//	metaupdate  validate `doc` as a change of the metadata `old`
//	format      whether `value` has the format `name`
//	pattern     whether `pattern` compiles, and matches `text`
//
// Errors are in the order of their texts, because Kubernetes' own order is that of Go's maps.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metaapivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	kjson "sigs.k8s.io/json"
)

type testCase struct {
	Op         string          `json:"op"`
	Schema     json.RawMessage `json:"schema,omitempty"`
	Doc        json.RawMessage `json:"doc,omitempty"`
	Old        json.RawMessage `json:"old,omitempty"`
	Type       string          `json:"type,omitempty"`
	Namespaced bool            `json:"namespaced,omitempty"`
	Name       string          `json:"name,omitempty"`
	Value      string          `json:"value,omitempty"`
	Pattern    string          `json:"pattern,omitempty"`
	Text       string          `json:"text,omitempty"`
	Want       outcome         `json:"want"`
}

type outcome struct {
	Error    string         `json:"error,omitempty"` // it could not even be read
	Matches  bool           `json:"matches,omitempty"`
	Out      map[string]any `json:"out,omitempty"`     // the object as it was read
	Unknown  []string       `json:"unknown,omitempty"` // fields
	Errors   []string       `json:"errors,omitempty"`
	Embedded []string       `json:"embedded,omitempty"`
	Lists    []string       `json:"lists,omitempty"`
	Status   []string       `json:"status,omitempty"`
}

func texts(list field.ErrorList) []string {
	var all []string
	for _, e := range list {
		all = append(all, e.Error())
	}
	slices.Sort(all)
	return all
}

func parse(document []byte) map[string]any {
	object := map[string]any{}
	if err := utiljson.Unmarshal(document, &object); err != nil {
		panic(err)
	}
	return object
}

func internal(raw []byte) (*apiextensions.JSONSchemaProps, error) {
	var props v1.JSONSchemaProps
	if err := utiljson.Unmarshal(raw, &props); err != nil {
		return nil, err
	}
	var converted apiextensions.JSONSchemaProps
	return &converted, v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &converted, nil)
}

// read does to an object what happens to the body of a request.
func read(document []byte, s *structuralschema.Structural) (map[string]any, []string, error) {
	object := parse(document)
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(object, s, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s)
	coerceErr, paths := objectmeta.CoerceWithOptions(nil, object, s, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if coerceErr != nil {
		return nil, nil, coerceErr
	}
	if found {
		if err := objectmeta.SetObjectMeta(object, meta); err != nil {
			return nil, nil, err
		}
	}
	defaulting.Default(object, s)
	return object, append(unknown, paths...), nil
}

func object(c testCase) (want outcome) {
	props, err := internal(c.Schema)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	s, err := structuralschema.NewStructural(props)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	if list := structuralschema.ValidateStructural(nil, s); len(list) > 0 || c.Op == "structural" {
		return outcome{Errors: texts(list)}
	}
	if err := defaulting.PruneDefaults(s); err != nil {
		panic(err)
	}
	new, unknown, err := read(c.Doc, s)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	want.Out, want.Unknown = new, unknown
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		panic(err)
	}
	want.Embedded = texts(objectmeta.Validate(nil, new, s, false))
	want.Lists = texts(listtype.ValidateListSetsAndMaps(nil, s, new))
	if len(c.Old) == 0 {
		want.Errors = texts(validation.ValidateCustomResource(nil, new, validator))
		return want
	}
	old, _, err := read(c.Old, s)
	if err != nil {
		return outcome{Error: "old: " + err.Error()}
	}
	correlated := common.NewCorrelatedObject(new, old, &model.Structural{Structural: s})
	want.Errors = texts(validation.ValidateCustomResourceUpdate(nil, new, old, validator, validation.WithRatcheting(correlated)))
	if status, ok := props.Properties["status"]; ok && new["status"] != nil {
		validator, _, err := validation.NewSchemaValidator(&status)
		if err != nil {
			panic(err)
		}
		correlated := common.NewCorrelatedObject(new, old, &model.Structural{Structural: s})
		want.Status = texts(validation.ValidateCustomResourceUpdate(field.NewPath("status"), new["status"], old["status"], validator,
			validation.WithRatcheting(correlated.Key("status"))))
	}
	return want
}

func typed(c testCase) (want outcome) {
	into := map[string]any{
		"CustomResourceDefinition": &v1.CustomResourceDefinition{}, "ObjectMeta": &metav1.ObjectMeta{},
		"DeleteOptions": &metav1.DeleteOptions{}, "Scale": &autoscalingv1.Scale{}, "Namespace": &corev1.Namespace{},
		"JSONSchemaProps": &v1.JSONSchemaProps{},
	}[c.Type]
	strict, err := kjson.UnmarshalStrict(c.Doc, into)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	for _, e := range strict {
		want.Unknown = append(want.Unknown, e.Error())
	}
	if c.Type == "ObjectMeta" { // which drops what is empty
		want.Out, err = runtime.DefaultUnstructuredConverter.ToUnstructured(into)
		if err != nil {
			panic(err)
		}
		return want
	}
	written, err := json.Marshal(into)
	if err != nil {
		panic(err)
	}
	want.Out = parse(written)
	return want
}

func meta(c testCase) outcome {
	wrap := func(raw []byte) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"metadata": parse(raw)}}
	}
	path := field.NewPath("metadata")
	if c.Op == "meta" {
		return outcome{Errors: texts(metaapivalidation.ValidateObjectMetaAccessor(wrap(c.Doc), c.Namespaced, metaapivalidation.NameIsDNSSubdomain, path))}
	}
	return outcome{Errors: texts(metaapivalidation.ValidateObjectMetaAccessorUpdate(wrap(c.Doc), wrap(c.Old), path))}
}

func decide(c testCase) outcome {
	switch c.Op {
	case "object", "structural":
		return object(c)
	case "typed":
		return typed(c)
	case "meta", "metaupdate":
		return meta(c)
	case "format":
		return outcome{Matches: strfmt.Default.Validates(c.Name, c.Value)}
	case "pattern":
		compiled, err := regexp.Compile(c.Pattern)
		if err != nil {
			return outcome{Error: err.Error()}
		}
		return outcome{Matches: compiled.MatchString(c.Text)}
	}
	panic("unknown op " + c.Op)
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c testCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			panic(err)
		}
		c.Want = decide(c)
		if err := encoder.Encode(c); err != nil {
			panic(err)
		}
	}
	if err := os.WriteFile(os.Args[1], out.Bytes(), 0o644); err != nil {
		panic(err)
	}
	fmt.Println("wrote", os.Args[1])
}
