//go:build ignore

// Writes what Kubernetes' own code makes of field ownership to ownership_cases.jsonl:
//
//	cd test/cluster/binaries/kubernetes && go run ../../../unit/testdata/generate_ownership.go [RANDOM [SEED]] > ../../../unit/testdata/ownership_cases.jsonl
//
// RANDOM is the number of sequences that are drawn at random beside those written down here. A line is one of
//
//	schema    a definition: its versions' schemas, whether it has a status subresource
//	steps     writes of one object, one after the other, and what each led to:
//	          [api version, operation, manager, document, wanted managedFields, wanted object | error | conflict causes]
//	fields    FieldsV1 as they were read and written again; null if they cannot be read
//	sets      two sets: their union, intersection, difference and recursive difference
//	scale     managedFields of an object as its scale subresource shows them, and after a write to it
//
// Times are those of the steps: step 3 happened at 2026-01-01T00:00:03Z.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	apiextensionsinternal "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"
)

const group = "example.com"
const kind = "Widget"

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func parse(document string) map[string]any {
	object := map[string]any{}
	must(utiljson.Unmarshal([]byte(document), &object))
	return object
}

// fromYAML reads flow YAML, which is shorter to write than JSON.
func fromYAML(document string) map[string]any {
	text, err := yaml.YAMLToJSON([]byte(document))
	must(err)
	return parse(string(text))
}

var output = json.NewEncoder(os.Stdout)

func emit(line any) {
	output.SetEscapeHTML(false)
	must(output.Encode(line))
}

// definition is one custom resource with all that field management needs.
type definition struct {
	name       string
	status     bool
	converter  managedfields.TypeConverter
	structural map[string]*structuralschema.Structural
}

func define(name string, status bool, versions map[string]string) *definition {
	d := &definition{name: name, status: status, structural: map[string]*structuralschema.Structural{}}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group = group
	crd.Spec.Scope = "Namespaced"
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: kind, ListKind: kind + "List"}
	crd.Status.AcceptedNames = crd.Spec.Names
	schemas := map[string]any{}
	for version, text := range versions {
		props := &apiextensionsv1.JSONSchemaProps{}
		must(yaml.Unmarshal([]byte(text), props))
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: version, Served: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props}})
		internal := &apiextensionsinternal.JSONSchemaProps{}
		must(apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil))
		structural, err := structuralschema.NewStructural(internal)
		must(err)
		if errs := structuralschema.ValidateStructural(nil, structural); len(errs) > 0 {
			panic(errs)
		}
		d.structural[version] = structural
		schemas[version] = props
	}
	var specs []*spec3.OpenAPI
	for version := range versions {
		spec, err := builder.BuildOpenAPIV3(crd, version, builder.Options{})
		must(err)
		specs = append(specs, spec)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	must(err)
	d.converter, err = managedfields.NewTypeConverter(merged.Components.Schemas, false)
	must(err)
	emit(map[string]any{"schema": name, "status": status, "versions": schemas})
	return d
}

// The definition is its own converter: as with strategy None, only the apiVersion changes.
func (d *definition) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	gvk, _ := target.KindForGroupVersionKinds([]schema.GroupVersionKind{in.GetObjectKind().GroupVersionKind()})
	if d.structural[gvk.Version] == nil {
		return nil, runtime.NewNotRegisteredErrForKind("definition", gvk)
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out, nil
}
func (d *definition) Convert(in, out, context any) error { return fmt.Errorf("not used") }
func (d *definition) ConvertFieldLabel(gvk schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (d *definition) Default(in runtime.Object) {
	u := in.(*unstructured.Unstructured)
	defaulting.Default(u.Object, d.structural[u.GroupVersionKind().Version])
}
func (d *definition) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(gvk)
	return u, nil
}

func (d *definition) manager(version, subresource string) *managedfields.FieldManager {
	gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
	reset := map[fieldpath.APIVersion]*fieldpath.Set{}
	if subresource == "status" {
		reset[fieldpath.APIVersion(group+"/"+version)] = fieldpath.NewSet(fieldpath.MakePathOrDie("spec"))
	} else if d.status {
		reset[fieldpath.APIVersion(group+"/"+version)] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	}
	m, err := managedfields.NewDefaultCRDFieldManager(d.converter, d, d, d, gvk, gvk.GroupVersion(), subresource, fieldpath.NewExcludeFilterSetMap(reset))
	must(err)
	return m
}

type step struct {
	version   string
	operation string // update, status, apply, force; applystatus
	manager   string
	document  map[string]any
}

func s(version, operation, manager, document string) step {
	return step{version, operation, manager, fromYAML(document)}
}

// object is the document as a request's object: it has the type and the live object's name and UID.
func (st step) object(exists bool) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(st.document)}
	if _, given := st.document["apiVersion"]; !given {
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: st.version, Kind: kind})
	}
	u.SetName("a")
	if exists && !strings.Contains(st.operation, "apply") && st.operation != "force" {
		u.SetUID("uid")
	}
	return u
}

func stamp(i int) string { return time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339) }

// restamp gives entries that were written now the time of the step.
func restamp(u *unstructured.Unstructured, i int) {
	entries, _, _ := unstructured.NestedSlice(u.Object, "metadata", "managedFields")
	for _, entry := range entries {
		if at, _ := entry.(map[string]any)["time"].(string); at > "2026-01-01T01" {
			entry.(map[string]any)["time"] = stamp(i)
		}
	}
	if entries != nil {
		must(unstructured.SetNestedSlice(u.Object, entries, "metadata", "managedFields"))
	}
}

// keepStatus does what the strategies do after field management.
func (d *definition) keepStatus(u, live *unstructured.Unstructured, operation string) *unstructured.Unstructured {
	from, to := live, u
	if strings.HasSuffix(operation, "status") {
		from, to = u, live.DeepCopy()
		to.SetManagedFields(u.GetManagedFields())
	} else if !d.status {
		return u
	}
	if status, found := from.Object["status"]; found {
		to.Object["status"] = status
	} else {
		delete(to.Object, "status")
	}
	return to
}

func floats(object map[string]any) map[string]any {
	text, err := json.Marshal(object)
	must(err)
	out := map[string]any{}
	must(json.Unmarshal(text, &out))
	return out
}

// managedOf shortens managedFields: [manager, operation, version, subresource, time, fields].
func managedOf(u *unstructured.Unstructured) []any {
	entries, _, _ := unstructured.NestedSlice(u.Object, "metadata", "managedFields")
	short := []any{}
	for _, e := range entries {
		entry := e.(map[string]any)
		line := []any{}
		for _, field := range []string{"manager", "operation", "apiVersion", "subresource", "time"} {
			text, _ := entry[field].(string)
			line = append(line, strings.TrimPrefix(strings.TrimPrefix(text, group+"/"), "2026-01-01T00:00:"))
		}
		short = append(short, append(line, entry["fieldsV1"]))
	}
	return short
}

func (d *definition) run(steps ...step) {
	var live *unstructured.Unstructured
	lines := []any{}
	for i, st := range steps {
		exists := live != nil
		gvk := schema.GroupVersionKind{Group: group, Version: st.version, Kind: kind}
		before := &unstructured.Unstructured{Object: map[string]any{}}
		if exists {
			before = live.DeepCopy()
		}
		before.SetGroupVersionKind(gvk)
		object := st.object(exists)
		subresource := ""
		if strings.HasSuffix(st.operation, "status") {
			subresource = "status"
		}
		var result runtime.Object
		var err error
		if strings.Contains(st.operation, "apply") || st.operation == "force" {
			object.Object = floats(object.Object)
			result, err = d.manager(st.version, subresource).Apply(before, object, st.manager, st.operation == "force")
		} else {
			result = d.manager(st.version, subresource).UpdateNoErrors(before, object, st.manager)
		}
		line := []any{st.version, st.operation, st.manager, st.document}
		if err != nil {
			status := apierrors.APIStatus(nil)
			if s, ok := err.(apierrors.APIStatus); ok {
				status = s
			}
			if status != nil && status.Status().Details != nil && len(status.Status().Details.Causes) > 0 {
				causes := []string{}
				for _, cause := range status.Status().Details.Causes {
					causes = append(causes, cause.Message+": "+cause.Field)
				}
				slices.Sort(causes)
				line = append(line, causes, len(err.Error()))
			} else {
				line = append(line, err.Error())
			}
			lines = append(lines, line)
			continue
		}
		u := result.(*unstructured.Unstructured)
		restamp(u, i)
		managed := managedOf(u)
		if exists {
			u = d.keepStatus(u, before, st.operation)
		} else if d.status {
			delete(u.Object, "status")
		}
		u.SetUID("uid")
		text, err := json.Marshal(u.Object)
		must(err)
		live = &unstructured.Unstructured{Object: parse(string(text))}
		line = append(line, managed)
		if strings.Contains(st.operation, "apply") || st.operation == "force" {
			shown := parse(string(text))
			for _, field := range []string{"apiVersion", "kind"} {
				delete(shown, field)
			}
			meta := shown["metadata"].(map[string]any)
			for _, field := range []string{"name", "uid", "managedFields"} {
				delete(meta, field)
			}
			if len(meta) == 0 {
				delete(shown, "metadata")
			}
			line = append(line, shown)
		}
		lines = append(lines, line)
	}
	emit(map[string]any{"of": d.name, "steps": lines})
}

const wide = `
type: object
properties:
  spec:
    type: object
    properties:
      size: {type: integer}
      color: {type: string, default: blue}
      ratio: {type: number}
      lit: {type: boolean}
      when: {type: string, format: date-time}
      port: {x-kubernetes-int-or-string: true}
      labels: {type: object, additionalProperties: {type: string}}
      box: {type: object, x-kubernetes-map-type: atomic, properties: {w: {type: integer}, h: {type: integer}}}
      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      nums: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
      args: {type: array, items: {type: string}}
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items:
          type: object
          required: [port]
          properties:
            port: {type: integer}
            protocol: {type: string, default: TCP}
            name: {type: string}
            opts: {type: object, properties: {x: {type: string}, z: {type: string}}}
      items:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items: {type: object, required: [name], properties: {name: {type: string}, v: {type: integer}}}
      any: {x-kubernetes-preserve-unknown-fields: true}
      open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object, properties: {b: {type: string}}}}}
      free: {type: object}
      maybe: {type: object, nullable: true, properties: {z: {type: string}}}
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      deep: {type: object, properties: {er: {type: object, properties: {still: {type: string}, more: {type: string}}}, top: {type: string}}}
  status: {type: object, properties: {phase: {type: string}, count: {type: integer}}}
`

const small = `
type: object
properties:
  spec: {type: object, properties: {size: {type: integer}, color: {type: string}}}
`

const other = `
type: object
properties:
  spec: {type: object, properties: {size: {type: integer}, shape: {type: string}}}
`

func generate(wideDefinition *definition, random *rand.Rand, count int) {
	pick := func(from ...string) string { return from[random.Intn(len(from))] }
	value := map[string]func() string{
		"size":   func() string { return pick("1", "2", "3") },
		"color":  func() string { return pick("red", "blue") },
		"ratio":  func() string { return pick("0.5", "1.5") },
		"port":   func() string { return pick("80", "http") },
		"labels": func() string { return pick("{}", "{a: x}", "{a: w, b: z}", "{b: z}") },
		"box":    func() string { return pick("{w: 1}", "{w: 1, h: 2}", "{h: 2}") },
		"tags":   func() string { return pick("[]", "[a]", "[a, b]", "[b, c, a]", "[c]", "[d, b]") },
		"nums":   func() string { return pick("[9, 10]", "[10, 1]", "[2]", "[1000000, 2]") },
		"args":   func() string { return pick("[a]", "[a, b]", "[]") },
		"ports": func() string {
			return pick("[{port: 80}]", "[{port: 80, protocol: UDP}, {port: 80, name: web}]", "[{port: 1000000, opts: {x: p}}]",
				"[{port: 443, opts: {x: q, z: r}}, {port: 80, name: w}]", "[]", "[{port: 80, protocol: TCP, name: web}]")
		},
		"items": func() string {
			return pick("[{name: a, v: 1}]", "[{name: a, v: 2}, {name: b, v: 1}]", "[{name: b}, {name: c}, {name: a}]", "[{name: c, v: 1}, {name: a}]",
				"[{name: d}, {name: e}, {name: b, v: 4}]")
		},
		"any":   func() string { return pick("x", "3", "[1, 2]", "{p: 1, q: {r: [1]}}", "{p: 2}", "null") },
		"open":  func() string { return pick("{a: {b: x}}", "{a: {c: 1}, d: [1]}", "{d: {e: 1}}") },
		"free":  func() string { return pick("{k: v}", "{k: w, l: {m: o}}", "{}") },
		"maybe": func() string { return pick("null", "{z: a}", "{}") },
		"deep": func() string {
			return pick("{er: {still: a}}", "{er: {still: a, more: b}, top: c}", "{top: c}", "{er: {more: d}}")
		},
	}
	names := []string{}
	for name := range value {
		names = append(names, name)
	}
	slices.Sort(names)
	for range count {
		steps := []step{}
		fields := []string{names[random.Intn(len(names))], names[random.Intn(len(names))], names[random.Intn(len(names))]}
		for i := 0; i < 3+random.Intn(3); i++ {
			spec := map[string]string{}
			for _, name := range fields {
				if random.Intn(4) > 0 {
					spec[name] = value[name]()
				}
			}
			parts := []string{}
			for name, text := range spec {
				parts = append(parts, name+": "+text)
			}
			slices.Sort(parts)
			document := "spec: {" + strings.Join(parts, ", ") + "}"
			if random.Intn(8) == 0 {
				document = "metadata: {labels: {l: \"" + strconv.Itoa(random.Intn(3)) + "\"}}"
			}
			operation := pick("update", "apply", "apply", "force")
			steps = append(steps, s("v1", operation, pick("m1", "m2", "m3"), document))
		}
		wideDefinition.run(steps...)
	}
}

func main() {
	count, seed := 56, int64(1)
	if len(os.Args) > 1 {
		count, _ = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) > 2 {
		seed, _ = strconv.ParseInt(os.Args[2], 10, 64)
	}
	w := define("wide", true, map[string]string{"v1": wide})
	plain := define("plain", false, map[string]string{"v1": wide})
	two := define("two", true, map[string]string{"v1": small, "v2": other})
	writeSequences(w, plain, two)
	generate(w, rand.New(rand.NewSource(seed)), count)
	writeFields()
	writeSets()
	writeScale()
}

func writeSequences(w, plain, two *definition) {
	full := `{metadata: {labels: {a: x}, annotations: {k: "1"}, finalizers: [f/a, f/b], ownerReferences: [{apiVersion: v1, kind: K, name: o, uid: u1}]},
spec: {size: 3, color: red, labels: {k: v}, box: {w: 1}, tags: [b, a], nums: [10, 9], args: [x], ports: [{port: 80, protocol: TCP, name: web}], items: [{name: i, v: 1}],
any: {p: [1], q: {r: s}}, open: {a: {b: c}, d: 1}, free: {x: {w: z}}, maybe: null, template: {apiVersion: v1, kind: P, metadata: {name: p, labels: {q: r}}, spec: {x: 1}}, deep: {er: {still: s}}}, status: {phase: Up}}`
	w.run(s("v1", "update", "m1", full), s("v1", "update", "m1", full), s("v1", "status", "m2", full), s("v1", "apply", "m3", full))
	plain.run(s("v1", "update", "m1", full), s("v1", "update", "m2", "{spec: {}, status: {phase: Down}}"))
	w.run(s("v1", "apply", "m1", full), s("v1", "apply", "m1", "{spec: {size: 3}}"), s("v1", "apply", "m1", "{}"))
	w.run(s("v1", "apply", "kubectl", "{spec: {size: 1, color: red}}"), s("v1", "apply", "m2", "{spec: {size: 1}}"), s("v1", "apply", "kubectl", "{spec: {color: red}}"),
		s("v1", "apply", "m2", "{spec: {}}"))
	w.run(s("v1", "update", "m1", "{spec: {size: 1}}"), s("v1", "apply", "m2", "{spec: {size: 2, color: red}}"), s("v1", "force", "m2", "{spec: {size: 2, color: red}}"),
		s("v1", "update", "m1", "{spec: {size: 3, color: red}}"), s("v1", "apply", "m2", "{spec: {size: 2, color: red}}"), s("v1", "apply", "m3", "{spec: {size: 4, color: green}}"))
	w.run(s("v1", "update", "m1", "{spec: {size: 1}}"), s("v1", "status", "m1", "{spec: {size: 2}, metadata: {labels: {a: b}}, status: {phase: Up}}"),
		s("v1", "applystatus", "m1", "{status: {count: 1}}"), s("v1", "applystatus", "m2", "{status: {count: 2}}"), s("v1", "apply", "m2", "{status: {phase: Up}, spec: {size: 1}}"))
	// What a client writes to managedFields itself.
	entry := `{manager: x, operation: Apply, apiVersion: example.com/v1, time: "2026-01-01T00:00:00Z", fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:size": {}}}}`
	for _, given := range []string{"[{}]", "[]", "[" + entry + "]", "[" + entry + "," + entry + "]", "[{}, {}]",
		`[{manager: x, operation: Applied, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {}}]`,
		`[{manager: x, operation: Apply, apiVersion: "", fieldsType: FieldsV1, fieldsV1: {}}]`,
		`[{manager: x, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV2, fieldsV1: {}}]`,
		`[{manager: x, operation: Apply, apiVersion: example.com/v1, fieldsV1: {}}]`,
		`[{manager: x, operation: Update, apiVersion: example.com/v9, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:size": {}}}}]`,
		`[{manager: x, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"q": {}}}}]`,
		`[{manager: x, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1}]`,
		`[{manager: x, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:box": {".": {}, "f:w": {}}, "f:args": {"i:0": {}}, "f:any": {"f:p": {}}, "f:free": {"f:z": {"f:w": {}}}}}}]`} {
		w.run(s("v1", "update", "m1", "{spec: {size: 1}}"), s("v1", "update", "m2", "{metadata: {managedFields: "+given+"}, spec: {size: 1, color: red, box: {w: 1}, args: [a], any: {p: 1}}}"),
			s("v1", "apply", "m3", "{spec: {color: red}}"))
		w.run(s("v1", "update", "m1", "{metadata: {managedFields: "+given+"}, spec: {size: 1}}"))
	}
	// Refused applies.
	for _, document := range []string{"{spec: {nope: 1}}", "{nope: 1}", "{metadata: {nope: 1}}", "{spec: {size: text}}", "{spec: {color: 1}}", "{spec: {lit: text}}", "{spec: {labels: text}}",
		"{spec: {tags: {}}}", "{spec: {tags: [{}]}}", "{spec: {tags: [[a]]}}", "{spec: {tags: [null]}}", "{spec: {tags: [a, a]}}", "{spec: {items: [{name: a}, {name: a}]}}", "{spec: {items: [{v: 1}]}}",
		"{spec: {items: [null]}}", "{spec: {items: [x]}}", "{spec: {ports: [{port: 1000000}, {port: 1000000, protocol: TCP}]}}", "{spec: {size: [1, a]}}", "{spec: {color: {a: 1.5}}}", "{spec: {when: {a: 1}}}",
		"{spec: {args: [1, true]}}", "{apiVersion: example.com/v2, kind: Widget}", "{apiVersion: v1, kind: Widget}", "{apiVersion: a/b/c, kind: Widget}", "{apiVersion: \"\"}",
		"{metadata: {managedFields: [{manager: x}]}}", "{metadata: {managedFields: []}}", "{metadata: {finalizers: [a, a]}}", "{metadata: {ownerReferences: [{kind: K}, {kind: L}]}}",
		"{metadata: {labels: {a: 1}}}", "{spec: {template: {metadata: {nope: 1}}}}", "{spec: {open: {a: {b: 1}}}}", "{spec: text}", "{spec: {maybe: null, any: null}}", "{spec: null}"} {
		w.run(s("v1", "apply", "m1", document))
	}
	// Objects that nobody owns.
	w.run(s("v1", "update", "m1", "{spec: {size: 1, tags: [a]}}"), s("v1", "update", "m1", "{metadata: {managedFields: [{}]}, spec: {size: 1, tags: [a]}}"),
		s("v1", "update", "m1", "{spec: {size: 2, tags: [a]}}"), s("v1", "apply", "m2", "{spec: {color: red}}"), s("v1", "apply", "m3", "{spec: {size: 3}}"))
	// Duplicates that were there before.
	w.run(s("v1", "update", "m1", "{spec: {tags: [a, a, b], items: [{name: x, v: 1}, {name: x, v: 2}]}}"), s("v1", "update", "m2", "{spec: {tags: [a, b, b], items: [{name: x, v: 1}]}}"),
		s("v1", "update", "m1", "{spec: {tags: [a, a, b], items: [{name: x, v: 1}, {name: x, v: 3}]}}"), s("v1", "force", "m3", "{spec: {tags: [c, a], items: [{name: x, v: 9}, {name: z}]}}"))
	// Order of lists.
	for _, applied := range []string{"[d, b]", "[c, b, a]", "[x, b, w]", "[b, x, a, z]", "[a, b, c, d]", "[z]", "[d, x, a]", "[d, a]"} {
		w.run(s("v1", "update", "m1", "{spec: {tags: [a, b, c, d]}}"), s("v1", "apply", "m2", "{spec: {tags: "+applied+"}}"), s("v1", "apply", "m2", "{spec: {tags: [q, a]}}"))
	}
	// kubectl's own annotation.
	last := func(doc string) string {
		return `{annotations: {kubectl.kubernetes.io/last-applied-configuration: '` + doc + `'}}`
	}
	config := `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"color":"red"}}`
	for _, text := range []string{config, strings.Replace(config, "v1", "v2", 1), strings.Replace(config, "1}", "5}", 1), "{", `{"spec":{}}`, strings.Replace(config, "size", "nope", 1)} {
		for _, manager := range []string{"kubectl", "m2"} {
			w.run(s("v1", "update", "kubectl-client-side-apply", "{metadata: "+last(text)+", spec: {size: 1, color: red}}"), s("v1", "apply", manager, "{metadata: {labels: {l: m}}, spec: {size: 2, color: blue}}"))
		}
	}
	w.run(s("v1", "update", "kcsa", "{metadata: "+last(config)+", spec: {size: 1, color: red}}"), s("v1", "update", "m2", "{metadata: "+last(config)+", spec: {size: 1, color: green}}"),
		s("v1", "apply", "kubectl", "{metadata: {annotations: {q: r}}, spec: {size: 2, color: blue}}"), s("v1", "force", "kubectl", "{metadata: {annotations: {q: r}}, spec: {size: 2, color: blue}}"))
	// Many updaters.
	steps := []step{}
	for i := range 14 {
		steps = append(steps, s("v1", "update", fmt.Sprintf("m%02d", i), fmt.Sprintf("{spec: {labels: {%s}}}", func() string {
			parts := []string{}
			for j := 0; j <= i; j++ {
				parts = append(parts, fmt.Sprintf("l%02d: x", j))
			}
			return strings.Join(parts, ", ")
		}())))
	}
	w.run(steps...)
	// Versions.
	two.run(s("v1", "update", "m1", "{spec: {size: 1}}"), s("v2", "update", "m2", "{spec: {size: 2}}"), s("v1", "apply", "m1", "{spec: {size: 2}}"), s("v2", "apply", "m1", "{spec: {size: 2}}"),
		s("v2", "apply", "m1", "{}"), s("v2", "update", "m2", "{spec: {size: 2, shape: round}}"), s("v1", "update", "m1", "{spec: {size: 3}}"))
	two.run(s("v2", "apply", "m1", "{spec: {size: 1, shape: round}}"), s("v1", "update", "m2", "{spec: {size: 2, color: red}}"), s("v1", "apply", "m3", "{spec: {size: 3}}"))
	two.run(s("v2", "apply", "m1", "{spec: {size: 1}}"), s("v1", "apply", "m2", "{spec: {size: 1}}"), s("v1", "apply", "m2", "{spec: {size: 2}}"), s("v1", "force", "m2", "{spec: {size: 2}}"),
		s("v1", "apply", "m2", "{spec: {}}"))
}

func writeFields() {
	for _, text := range []string{`{}`, `null`, `1`, `[]`, `{"f:a":{}}`, `{"f:a":null}`, `{"f:a":1}`, `{"f:a":{".":{}}}`, `{"f:a":{".":{},"f:b":{}}}`, `{"f:a":{"f:b":{}}}`, `{".":{}}`,
		`{"f:a":{"x:b":{}}}`, `{"x:b":{}}`, `{"a":{}}`, `{"":{}}`, `{"ab":{}}`, `{"f:":{}}`, `{"v:1":{},"v:1.0":{},"v:\"a\"":{},"v:true":{},"v:null":{}}`, `{"v:10":{},"v:9":{},"v:1e3":{}}`, `{"v:x":{}}`,
		`{"k:{\"b\":1,\"a\":\"x\"}":{"f:c":{}}}`, `{"k:{}":{}}`, `{"k:1":{}}`, `{"k:{\"a\":[1,{\"b\":2}]}":{}}`, `{"i:3":{},"i:10":{},"i:2":{}}`, `{"i:x":{}}`, `{"v:\"<é>\\n\\\"\"":{}}`, `{"f:<é>\n\"":{}}`,
		`{"v:9007199254740993":{},"v:0.1":{},"v:1e21":{}}`, `{"f:b":{"f:x":{}},"f:a":{},"k:{\"n\":1}":{},"v:2":{},"i:0":{}}`} {
		set := &fieldpath.Set{}
		line := []any{text, nil}
		if err := set.FromJSON(bytes.NewReader([]byte(text))); err == nil {
			written, err := set.ToJSON()
			must(err)
			// Custom resources keep it as a map, which Go writes in the order of its keys.
			line[1] = parse(string(written))
		}
		emit(map[string]any{"fields": line})
	}
}

func writeSets() {
	sets := []string{`{}`, `{"f:a":{}}`, `{"f:a":{"f:b":{}}}`, `{"f:a":{".":{},"f:b":{}}}`, `{"f:a":{"f:b":{"f:c":{}}},"f:d":{}}`, `{"f:a":{"f:b":{".":{},"f:c":{}},"v:1":{}},"k:{\"n\":1}":{"f:x":{}}}`,
		`{"k:{\"n\":1}":{".":{},"f:x":{},"f:y":{}},"v:1":{}}`}
	read := func(text string) *fieldpath.Set {
		set := &fieldpath.Set{}
		must(set.FromJSON(strings.NewReader(text)))
		return set
	}
	write := func(set *fieldpath.Set) map[string]any {
		text, err := set.ToJSON()
		must(err)
		return parse(string(text))
	}
	for _, a := range sets {
		for _, b := range sets {
			l, r := read(a), read(b)
			emit(map[string]any{"sets": []any{parse(a), parse(b), write(l.Union(r)), write(l.Intersection(r)), write(l.Difference(r)), write(l.RecursiveDifference(r))}})
		}
	}
}

func entries(texts ...string) []metav1.ManagedFieldsEntry {
	list := []metav1.ManagedFieldsEntry{}
	for _, text := range texts {
		parts := strings.SplitN(text, " ", 5)
		entry := metav1.ManagedFieldsEntry{Manager: parts[0], Operation: metav1.ManagedFieldsOperationType(parts[1]), APIVersion: parts[2], Subresource: strings.TrimPrefix(parts[3], "-"),
			FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(parts[4])}}
		at := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC))
		entry.Time = &at
		list = append(list, entry)
	}
	return list
}

func writeScale() {
	gv := schema.GroupVersion{Group: group, Version: "v1"}
	paths := managedfields.ResourcePathMappings{"example.com/v1": fieldpath.MakePathOrDie("spec", "count"), "example.com/v2": nil}
	both, replicas, size := `{"f:spec":{"f:count":{},"f:size":{}}}`, `{"f:spec":{"f:count":{}}}`, `{"f:spec":{"f:size":{}}}`
	scaled := `{"f:spec":{"f:replicas":{}}}`
	parents := [][]string{{}, {"m Update example.com/v1 - " + both}, {"m Apply example.com/v1 - " + both, "n Update example.com/v1 - " + size}, {"m Apply example.com/v1 - " + replicas},
		{"m Update example.com/v1 - " + replicas, "n Update example.com/v2 - " + size, "o Update example.com/v3 - " + size}, {"h Update example.com/v1 scale " + replicas}, {"h Wrong example.com/v1 - " + replicas}}
	scales := [][]string{{}, {"m Update autoscaling/v1 - " + scaled}, {"m Apply autoscaling/v1 - " + scaled}, {"h Update autoscaling/v1 scale " + scaled}, {"h Update autoscaling/v1 scale " + size}}
	for _, parent := range parents {
		handler := managedfields.NewScaleHandler(entries(parent...), gv, paths)
		shown, err := handler.ToSubresource()
		line := []any{entries(parent...), nil}
		if err == nil {
			line[1] = shown
			for _, scale := range scales {
				after, err := handler.ToParent(entries(scale...))
				must(err)
				line = append(line, []any{entries(scale...), after})
			}
		}
		emit(map[string]any{"scale": line})
	}
}
