package cluster_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A controller that applies what it wants of an object, and another one that writes its status.
func TestControllersShareAnObject(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		writer := must(client.New(b.config, client.Options{}))(t)
		namespace := b.namespace(t)
		wanted := func(spec map[string]any) *unstructured.Unstructured {
			widget := b.object("Widget", "shared", spec)
			widget.SetNamespace(namespace)
			return widget
		}
		apply := func(widget *unstructured.Unstructured, options ...client.ApplyOption) error {
			return writer.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(widget), options...)
		}

		widget := wanted(map[string]any{"size": int64(1), "tags": []any{"one"}})
		if err := apply(widget, client.FieldOwner("one")); err != nil {
			t.Fatal(err)
		}
		checkField(t, widget, "blue", "spec", "color")
		status := []byte(`{"status":{"phase":"Ready"}}`)
		must(b.widgets(namespace).Patch(t.Context(), "shared", types.MergePatchType, status, metav1.PatchOptions{FieldManager: "two"}, "status"))(t)

		widget = wanted(map[string]any{"tags": []any{"two"}})
		if err := apply(widget, client.FieldOwner("two")); err != nil {
			t.Fatal(err)
		}
		checkField(t, widget, []any{"one", "two"}, "spec", "tags")
		if err := apply(wanted(map[string]any{"size": int64(2)}), client.FieldOwner("two")); !apierrors.IsConflict(err) {
			t.Errorf("an apply of another's field: got %v, want Conflict", err)
		}
		widget = wanted(map[string]any{"size": int64(2)})
		if err := apply(widget, client.FieldOwner("two"), client.ForceOwnership); err != nil {
			t.Fatal(err)
		}
		checkField(t, widget, 2, "spec", "size")
		checkField(t, widget, []any{"one"}, "spec", "tags")
		checkField(t, widget, "Ready", "status", "phase")

		before := widget.GetResourceVersion()
		again := wanted(map[string]any{"size": int64(2)})
		if err := apply(again, client.FieldOwner("two")); err != nil {
			t.Fatal(err)
		}
		if again.GetResourceVersion() != before {
			t.Errorf("an apply that changes nothing moved the resourceVersion from %s to %s", before, again.GetResourceVersion())
		}
		owners := map[string]bool{}
		for _, entry := range again.GetManagedFields() {
			owners[entry.Manager+" "+string(entry.Operation)+" "+entry.Subresource] = true
		}
		for _, want := range []string{"one Apply ", "two Apply ", "two Update status"} {
			if !owners[want] {
				t.Errorf("no entry %q among the owners %v", want, owners)
			}
		}
	})
}
