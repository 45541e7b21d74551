package cluster_test

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func TestObjectsAreStoredAndChanged(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		t.Run("a created object gets uid, generation, timestamp and defaults", func(t *testing.T) { createdObjectIsComplete(t, b) })
		t.Run("an object that breaks the schema is refused with all causes", func(t *testing.T) { invalidObjectIsRefused(t, b) })
		t.Run("unknown fields are pruned, with a warning, or refused if the client is strict", func(t *testing.T) { unknownFieldsArePruned(t, b) })
		t.Run("a second object of that name is refused", func(t *testing.T) { secondObjectIsRefused(t, b) })
		t.Run("an update with an old resourceVersion conflicts", func(t *testing.T) { staleUpdateConflicts(t, b) })
		t.Run("generation counts changes of the spec only", func(t *testing.T) { generationCountsSpec(t, b) })
		t.Run("generateName makes different names", func(t *testing.T) { generateNameDiffers(t, b) })
		t.Run("a missing object is NotFound in every verb", func(t *testing.T) { missingObjectIsNotFound(t, b) })
		t.Run("finalizers keep an object until they are gone", func(t *testing.T) { finalizersKeepObject(t, b) })
		t.Run("a delete with the wrong uid or resourceVersion conflicts", func(t *testing.T) { deletePreconditions(t, b) })
		t.Run("cluster-scoped objects live without a namespace", func(t *testing.T) { clusterScopedObjects(t, b) })
		t.Run("dry run stores nothing", func(t *testing.T) { dryRunStoresNothing(t, b) })
	})
}

func createdObjectIsComplete(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	widget := b.object("Widget", "complete", map[string]any{"size": int64(3)})
	unstructured.SetNestedField(widget.Object, "made up", "status", "phase")
	created := b.create(t, namespace, widget)

	checkField(t, created, "blue", "spec", "color")
	checkField(t, created, 1, "spec", "replicas")
	checkField(t, created, nil, "status")
	checkField(t, created, 1, "metadata", "generation")
	if created.GetUID() == "" || created.GetResourceVersion() == "" || field(created, "metadata", "creationTimestamp") == nil {
		t.Errorf("metadata is not complete: %s", toJSON(created.Object["metadata"]))
	}
	entries := created.GetManagedFields()
	if len(entries) != 1 || entries[0].Operation != metav1.ManagedFieldsOperationUpdate {
		t.Errorf("managedFields are %s, want one entry with operation Update", toJSON(entries))
	}
	read := must(b.widgets(namespace).Get(t.Context(), "complete", metav1.GetOptions{}))(t)
	if toJSON(read) != toJSON(created) {
		t.Errorf("read back: %s\nwant what create answered: %s", toJSON(read), toJSON(created))
	}
}

func invalidObjectIsRefused(t *testing.T, b *backend) {
	widget := b.object("Widget", "bad", map[string]any{"size": int64(1001), "color": "pink", "tags": []any{"a", "a"}})
	_, err := b.widgets(b.namespace(t)).Create(t.Context(), widget, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Fatalf("got %v, want Invalid", err)
	}
	details := err.(apierrors.APIStatus).Status().Details
	if details.Kind != "Widget" || details.Group != b.Domain || details.Name != "bad" {
		t.Errorf("details are %s", toJSON(details))
	}
	for _, want := range []string{
		`spec.size: Invalid value: 1001: spec.size in body should be less than or equal to 1000`,
		`spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message %q does not contain %q", err.Error(), want)
		}
	}
}

func unknownFieldsArePruned(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	widget := b.object("Widget", "unknown", map[string]any{"size": int64(1), "zzz": true})
	_, err := b.widgets(namespace).Create(t.Context(), widget, metav1.CreateOptions{FieldValidation: "Strict"})
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `strict decoding error: unknown field "spec.zzz"`) {
		t.Errorf("strict create: %v", err)
	}
	warnings := &warningRecorder{}
	created := must(b.widgetsWithWarnings(t, namespace, warnings).Create(t.Context(), widget, metav1.CreateOptions{}))(t)
	checkField(t, created, nil, "spec", "zzz")
	if got := warnings.all(); len(got) != 1 || got[0] != `unknown field "spec.zzz"` {
		t.Errorf("warnings are %q", got)
	}
}

func secondObjectIsRefused(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("twice", "red", 1))
	_, err := b.widgets(namespace).Create(t.Context(), b.widget("twice", "red", 1), metav1.CreateOptions{})
	want := fmt.Sprintf(`widgets.%s "twice" already exists`, b.Domain)
	if !apierrors.IsAlreadyExists(err) || err.Error() != want {
		t.Errorf("got %v, want AlreadyExists: %s", err, want)
	}
}

func staleUpdateConflicts(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	stale := b.create(t, namespace, b.widget("stale", "red", 1))
	fresh := stale.DeepCopy()
	unstructured.SetNestedField(fresh.Object, "green", "spec", "color")
	updated := must(b.widgets(namespace).Update(t.Context(), fresh, metav1.UpdateOptions{}))(t)
	if updated.GetResourceVersion() == stale.GetResourceVersion() {
		t.Error("the update kept the resourceVersion")
	}

	_, err := b.widgets(namespace).Update(t.Context(), stale, metav1.UpdateOptions{})
	want := fmt.Sprintf(`Operation cannot be fulfilled on widgets.%s "stale": the object has been modified; please apply your changes to the latest version and try again`, b.Domain)
	if !apierrors.IsConflict(err) || err.Error() != want {
		t.Errorf("got %v, want Conflict: %s", err, want)
	}
	read := must(b.widgets(namespace).Get(t.Context(), "stale", metav1.GetOptions{}))(t)
	checkField(t, read, "green", "spec", "color")

	patch := fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"size":9}}`, stale.GetResourceVersion())
	_, err = b.widgets(namespace).Patch(t.Context(), "stale", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if !apierrors.IsConflict(err) {
		t.Errorf("patch with an old resourceVersion: got %v, want Conflict", err)
	}
}

func generationCountsSpec(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("counted", "red", 1))
	patch := func(body string, subresources ...string) *unstructured.Unstructured {
		t.Helper()
		return must(b.widgets(namespace).Patch(t.Context(), "counted", types.MergePatchType, []byte(body), metav1.PatchOptions{}, subresources...))(t)
	}
	labelled := patch(`{"metadata":{"labels":{"a":"b"}}}`)
	checkField(t, labelled, 1, "metadata", "generation")
	checkField(t, patch(`{"spec":{"size":2}}`), 2, "metadata", "generation")
	checkField(t, patch(`{"status":{"phase":"Ready"}}`, "status"), 2, "metadata", "generation")
	same := patch(`{"spec":{"size":2}}`)
	again := patch(`{"spec":{"size":2}}`)
	if same.GetResourceVersion() != again.GetResourceVersion() {
		t.Error("a patch that changes nothing moved the resourceVersion")
	}
}

func generateNameDiffers(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	seen := map[string]bool{}
	for range 20 {
		widget := b.widget("", "red", 1)
		widget.SetName("")
		widget.SetGenerateName("made-")
		name := b.create(t, namespace, widget).GetName()
		if !strings.HasPrefix(name, "made-") || len(name) != len("made-")+5 || seen[name] {
			t.Fatalf("generated name %q is wrong or not new", name)
		}
		seen[name] = true
	}
}

func missingObjectIsNotFound(t *testing.T, b *backend) {
	widgets := b.widgets(b.namespace(t))
	absent := b.widget("absent", "red", 1)
	absent.SetResourceVersion("1")
	_, get := widgets.Get(t.Context(), "absent", metav1.GetOptions{})
	_, update := widgets.Update(t.Context(), absent, metav1.UpdateOptions{})
	_, status := widgets.UpdateStatus(t.Context(), absent, metav1.UpdateOptions{})
	_, patch := widgets.Patch(t.Context(), "absent", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	remove := widgets.Delete(t.Context(), "absent", metav1.DeleteOptions{})
	want := fmt.Sprintf(`widgets.%s "absent" not found`, b.Domain)
	for verb, err := range map[string]error{"get": get, "update": update, "update status": status, "patch": patch, "delete": remove} {
		if !apierrors.IsNotFound(err) || err.Error() != want {
			t.Errorf("%s: got %v, want NotFound: %s", verb, err, want)
		}
	}
}

func finalizersKeepObject(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	widget := b.widget("kept", "red", 1)
	widget.SetFinalizers([]string{"example.dev/wait"})
	b.create(t, namespace, widget)
	widgets := b.widgets(namespace)
	if err := widgets.Delete(t.Context(), "kept", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	kept := must(widgets.Get(t.Context(), "kept", metav1.GetOptions{}))(t)
	if kept.GetDeletionTimestamp() == nil {
		t.Fatal("no deletionTimestamp")
	}
	checkField(t, kept, 2, "metadata", "generation")
	_, err := widgets.Create(t.Context(), b.widget("kept", "red", 1), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) || !strings.HasPrefix(err.Error(), "object is being deleted: ") {
		t.Errorf("create over an object that is being deleted: %v", err)
	}
	kept.SetFinalizers(nil)
	must(widgets.Update(t.Context(), kept, metav1.UpdateOptions{}))(t)
	if _, err := widgets.Get(t.Context(), "kept", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: got %v, want NotFound", err)
	}
}

func deletePreconditions(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	created := b.create(t, namespace, b.widget("guarded", "red", 1))
	widgets := b.widgets(namespace)
	otherUID, uid, otherVersion := types.UID("wrong"), created.GetUID(), "1"
	for name, wrong := range map[string]metav1.Preconditions{"uid": {UID: &otherUID}, "resourceVersion": {ResourceVersion: &otherVersion}} {
		err := widgets.Delete(t.Context(), "guarded", metav1.DeleteOptions{Preconditions: &wrong})
		if !apierrors.IsConflict(err) {
			t.Errorf("wrong %s: got %v, want Conflict", name, err)
		}
	}
	version := created.GetResourceVersion()
	right := metav1.Preconditions{UID: &uid, ResourceVersion: &version}
	if err := widgets.Delete(t.Context(), "guarded", metav1.DeleteOptions{Preconditions: &right}); err != nil {
		t.Error(err)
	}
}

func clusterScopedObjects(t *testing.T, b *backend) {
	gadget := b.object("Gadget", "alone", map[string]any{"anything": map[string]any{"goes": []any{int64(1), "two", nil}}})
	created := must(b.gadgets().Create(t.Context(), gadget, metav1.CreateOptions{}))(t)
	checkField(t, created, map[string]any{"goes": []any{1, "two", nil}}, "spec", "anything")
	_, err := b.dynamic.Resource(b.resource("gadgets")).Namespace("default").Get(t.Context(), "alone", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a cluster-scoped object under a namespace: got %v, want NotFound", err)
	}
	if err := b.gadgets().Delete(t.Context(), "alone", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

func dryRunStoresNothing(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	dry := []string{metav1.DryRunAll}
	created := must(b.widgets(namespace).Create(t.Context(), b.widget("dry", "red", 1), metav1.CreateOptions{DryRun: dry}))(t)
	if created.GetUID() == "" || created.GetResourceVersion() != "" {
		t.Errorf("dry run answered uid %q and resourceVersion %q, want one and not the other", created.GetUID(), created.GetResourceVersion())
	}
	list := must(b.widgets(namespace).List(t.Context(), metav1.ListOptions{}))(t)
	if len(list.Items) != 0 {
		t.Errorf("%d objects were stored", len(list.Items))
	}
}
