package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"annex.dev/annex/test/cluster/harness"
)

// reloadPatience bounds how long Annex may take to notice a changed file.
const reloadPatience = 30 * time.Second

// toyDefinition is a definition in a group of its own; fields are those of spec, versions are all served and the first is
// stored.
func toyDefinition(group, plural, kind string, fields []string, versions ...string) []byte {
	var text strings.Builder
	fmt.Fprintf(&text, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: %s.%s}\n", plural, group)
	fmt.Fprintf(&text, "spec:\n  group: %s\n  scope: Namespaced\n  names: {plural: %s, kind: %s}\n  versions:\n", group, plural, kind)
	for i, version := range versions {
		fmt.Fprintf(&text, "  - name: %s\n    served: true\n    storage: %v\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            properties:\n", version, i == 0)
		for _, field := range fields {
			fmt.Fprintf(&text, "              %s: {type: string}\n", field)
		}
	}
	return []byte(text.String())
}

// toys is the resource that a test of reloading changes the definition of.
type toys struct {
	b         *backend
	group     string
	namespace string
}

func (f *toys) resource(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: f.group, Version: version, Resource: "toys"}
}

// store writes all fields to the toy "one" and returns those that were kept.
func (f *toys) store(t *testing.T, fields ...string) (string, error) {
	spec := map[string]any{}
	for _, field := range fields {
		spec[field] = "set"
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": f.group + "/v1", "kind": "Toy", "metadata": map[string]any{"name": "one"}, "spec": spec}}
	kept, err := f.b.dynamic.Resource(f.resource("v1")).Namespace(f.namespace).Patch(t.Context(), "one", types.MergePatchType, []byte(toJSON(object)), metav1.PatchOptions{})
	if err != nil {
		return "", err
	}
	return toJSON(kept.Object["spec"]), nil
}

func (f *toys) awaitKept(t *testing.T, want string, fields ...string) {
	t.Helper()
	harness.Eventually(t, reloadPatience, func() error {
		kept, err := f.store(t, fields...)
		if err == nil && kept != want {
			err = fmt.Errorf("kept %s, want %s", kept, want)
		}
		return err
	})
}

func TestDefinitionsAreReloaded(t *testing.T) {
	forEach(t, onAggregated, func(t *testing.T, b *backend) {
		f := &toys{b: b, group: "reload." + b.Domain, namespace: b.namespace(t)}
		install := func(t *testing.T, definition []byte) {
			t.Helper()
			if err := b.Install(within(t, reloadPatience), definition); err != nil {
				t.Fatal(err)
			}
		}
		file := b.DefinitionFile("toys." + f.group)
		install(t, toyDefinition(f.group, "toys", "Toy", []string{"a"}, "v1"))
		one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": f.group + "/v1", "kind": "Toy", "metadata": map[string]any{"name": "one"}}}
		must(b.dynamic.Resource(f.resource("v1")).Namespace(f.namespace).Create(t.Context(), one, metav1.CreateOptions{}))(t)
		f.awaitKept(t, `{"a":"set"}`, "a", "b")

		t.Run("a new field is kept", func(t *testing.T) {
			install(t, toyDefinition(f.group, "toys", "Toy", []string{"a", "b"}, "v1"))
			f.awaitKept(t, `{"a":"set","b":"set"}`, "a", "b", "c")
		})
		t.Run("a new version is served, with the objects that exist", func(t *testing.T) {
			install(t, toyDefinition(f.group, "toys", "Toy", []string{"a", "b"}, "v1", "v2"))
			read := must(b.dynamic.Resource(f.resource("v2")).Namespace(f.namespace).Get(t.Context(), "one", metav1.GetOptions{}))(t)
			if read.GetAPIVersion() != f.group+"/v2" {
				t.Errorf("apiVersion is %s", read.GetAPIVersion())
			}
			checkField(t, read, "set", "spec", "b")
		})
		t.Run("a new file in the same group is served", func(t *testing.T) {
			install(t, toyDefinition(f.group, "boxes", "Box", []string{"a"}, "v1"))
		})
		for name, broken := range map[string]string{
			"is not YAML":           "spec: [unclosed",
			"is not a definition":   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
			"is refused by the API": strings.Replace(string(toyDefinition(f.group, "toys", "Toy", []string{"z"}, "v1")), "storage: true", "storage: false", 1),
			"is empty":              "",
		} {
			t.Run("a file that "+name+" leaves the last good definition in force", func(t *testing.T) {
				if err := harness.WriteFileAtomically(file, []byte(broken)); err != nil {
					t.Fatal(err)
				}
				// When a file that was written later is served, Annex has seen the broken one.
				install(t, toyDefinition(f.group, fmt.Sprintf("later%ds", len(broken)), fmt.Sprintf("Later%d", len(broken)), nil, "v1"))
				f.awaitKept(t, `{"a":"set","b":"set"}`, "a", "b", "z")
				must(b.dynamic.Resource(f.resource("v2")).Namespace(f.namespace).Get(t.Context(), "one", metav1.GetOptions{}))(t)
			})
		}
		t.Run("a mended file takes effect", func(t *testing.T) {
			install(t, toyDefinition(f.group, "toys", "Toy", []string{"a", "b", "c"}, "v1", "v2"))
			f.awaitKept(t, `{"a":"set","b":"set","c":"set"}`, "a", "b", "c")
		})
		t.Run("a restart serves the definitions as they are then", func(t *testing.T) {
			if err := b.Annex.Stop(); err != nil {
				t.Error(err)
			}
			definition := toyDefinition(f.group, "toys", "Toy", []string{"a", "b", "c", "d"}, "v1", "v2")
			if err := harness.WriteFileAtomically(file, definition); err != nil {
				t.Fatal(err)
			}
			if err := b.Annex.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.awaitKept(t, `{"a":"set","b":"set","c":"set","d":"set"}`, "a", "b", "c", "d")
		})
		t.Run("a mounted ConfigMap is followed when its link is turned over", func(t *testing.T) { configMapIsFollowed(t, b) })
	})
}

// configMapIsFollowed lays files out as kubelet does for a ConfigMap: names are links through the link ..data, which is
// replaced when the ConfigMap changes.
func configMapIsFollowed(t *testing.T, b *backend) {
	f := &toys{b: b, group: "mounted." + b.Domain, namespace: b.namespace(t)}
	folder := b.Annex.Options().Definitions
	mount := func(revision string, fields ...string) {
		t.Helper()
		name := "..2026_" + revision
		err := errors.Join(
			os.Mkdir(filepath.Join(folder, name), 0o755),
			os.WriteFile(filepath.Join(folder, name, "mounted.yaml"), toyDefinition(f.group, "toys", "Toy", fields, "v1"), 0o644),
			os.Symlink(name, filepath.Join(folder, "..data_tmp")),
			os.Rename(filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")))
		if err != nil {
			t.Fatal(err)
		}
	}
	mount("1", "a")
	if err := os.Symlink("..data/mounted.yaml", filepath.Join(folder, "mounted.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitServed(within(t, reloadPatience), b.config, f.resource("v1")); err != nil {
		t.Fatal(err)
	}
	one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": f.group + "/v1", "kind": "Toy", "metadata": map[string]any{"name": "one"}}}
	must(b.dynamic.Resource(f.resource("v1")).Namespace(f.namespace).Create(t.Context(), one, metav1.CreateOptions{}))(t)
	f.awaitKept(t, `{"a":"set"}`, "a", "b")
	mount("2", "a", "b")
	f.awaitKept(t, `{"a":"set","b":"set"}`, "a", "b")
}
