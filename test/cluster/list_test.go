package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
)

func TestListsSelectAndPage(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		const count = 25
		for i := range count {
			widget := b.widget(fmt.Sprintf("w-%02d", i), []string{"red", "green", "blue"}[i%3], int64(i%5+1))
			widget.SetLabels(map[string]string{"odd": fmt.Sprint(i%2 == 1), "tier": []string{"a", "b"}[i%2]})
			b.create(t, namespace, widget)
		}
		t.Run("selectors", func(t *testing.T) { selectorsSelect(t, b, namespace) })
		t.Run("a field that is not selectable is a bad request", func(t *testing.T) {
			_, err := b.widgets(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "spec.message=x"})
			if !apierrors.IsBadRequest(err) || err.Error() != "field label not supported: spec.message" {
				t.Errorf("got %v", err)
			}
		})
		t.Run("pages show one moment, whatever is written meanwhile", func(t *testing.T) { pagesAreOneSnapshot(t, b, namespace) })
		t.Run("the pager of client-go collects all pages", func(t *testing.T) {
			pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return b.widgets(namespace).List(ctx, options)
			})
			pages.PageSize = 7
			seen := 0
			err := pages.EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error { seen++; return nil })
			if err != nil || seen != count {
				t.Errorf("%d objects, error %v; want %d", seen, err, count)
			}
		})
		t.Run("a list at an exact resourceVersion is the past", func(t *testing.T) { exactListIsThePast(t, b, namespace) })
	})
}

func selectorsSelect(t *testing.T, b *backend, namespace string) {
	count := func(select_ func(i int) bool) (n int) {
		for i := range 25 {
			if select_(i) {
				n++
			}
		}
		return n
	}
	cases := []struct {
		options metav1.ListOptions
		want    int
	}{
		{metav1.ListOptions{LabelSelector: "odd=true"}, 12},
		{metav1.ListOptions{LabelSelector: "odd!=true"}, 13},
		{metav1.ListOptions{LabelSelector: "tier in (a,b),odd notin (true)"}, 13},
		{metav1.ListOptions{LabelSelector: "missing"}, 0},
		{metav1.ListOptions{LabelSelector: "!missing"}, 25},
		{metav1.ListOptions{FieldSelector: "spec.color=red"}, count(func(i int) bool { return i%3 == 0 })},
		{metav1.ListOptions{FieldSelector: "spec.color!=red"}, count(func(i int) bool { return i%3 != 0 })},
		{metav1.ListOptions{FieldSelector: "spec.size=3"}, count(func(i int) bool { return i%5 == 2 })},
		{metav1.ListOptions{FieldSelector: "spec.color=green,spec.size==2"}, count(func(i int) bool { return i%3 == 1 && i%5 == 1 })},
		{metav1.ListOptions{FieldSelector: "metadata.name=w-07"}, 1},
		{metav1.ListOptions{FieldSelector: "metadata.namespace=elsewhere"}, 0},
		{metav1.ListOptions{FieldSelector: "spec.color=blue", LabelSelector: "odd=true"}, count(func(i int) bool { return i%3 == 2 && i%2 == 1 })},
	}
	for _, c := range cases {
		list, err := b.widgets(namespace).List(t.Context(), c.options)
		if err != nil {
			t.Errorf("labels %q, fields %q: %v", c.options.LabelSelector, c.options.FieldSelector, err)
		} else if len(list.Items) != c.want {
			t.Errorf("labels %q, fields %q: %d objects, want %d", c.options.LabelSelector, c.options.FieldSelector, len(list.Items), c.want)
		}
	}
}

func pagesAreOneSnapshot(t *testing.T, b *backend, namespace string) {
	widgets := b.widgets(namespace)
	whole := must(widgets.List(t.Context(), metav1.ListOptions{}))(t)
	var collected []string
	options := metav1.ListOptions{Limit: 10}
	for page := 0; ; page++ {
		list := must(widgets.List(t.Context(), options))(t)
		for _, item := range list.Items {
			collected = append(collected, item.GetName()+"@"+item.GetResourceVersion())
		}
		if remaining := list.GetRemainingItemCount(); page == 0 && (remaining == nil || *remaining != 15) {
			t.Errorf("remainingItemCount of the first page is %s, want 15", toJSON(remaining))
		}
		if list.GetContinue() == "" {
			break
		}
		// Neither a change, nor a removal, nor a new object behind the cursor may show.
		b.create(t, namespace, b.widget(fmt.Sprintf("w-99-%d", page), "red", 1))
		must(widgets.Patch(t.Context(), "w-24", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"size":%d}}`, 100+page), metav1.PatchOptions{}))(t)
		options.Continue = list.GetContinue()
	}
	var want []string
	for _, item := range whole.Items {
		want = append(want, item.GetName()+"@"+item.GetResourceVersion())
	}
	if !slices.Equal(collected, want) {
		t.Errorf("pages hold %v\nwant the list before the first page: %v", collected, want)
	}
	for page := range 2 {
		if err := widgets.Delete(t.Context(), fmt.Sprintf("w-99-%d", page), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
}

func exactListIsThePast(t *testing.T, b *backend, namespace string) {
	widgets := b.widgets(namespace)
	before := must(widgets.List(t.Context(), metav1.ListOptions{}))(t)
	must(widgets.Patch(t.Context(), "w-00", types.MergePatchType, []byte(`{"spec":{"message":"later"}}`), metav1.PatchOptions{}))(t)
	past := must(widgets.List(t.Context(), metav1.ListOptions{ResourceVersion: before.GetResourceVersion(), ResourceVersionMatch: metav1.ResourceVersionMatchExact}))(t)
	if toJSON(past) != toJSON(before) {
		t.Errorf("exact list: %s\nwant %s", toJSON(past), toJSON(before))
	}
}

func TestPatchesAndCollections(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		t.Run("a merge patch sets, replaces and removes", func(t *testing.T) {
			namespace := b.namespace(t)
			widget := b.widget("merged", "red", 1)
			unstructured.SetNestedStringMap(widget.Object, map[string]string{"a": "1", "b": "2"}, "spec", "settings")
			b.create(t, namespace, widget)
			patch := `{"spec":{"settings":{"a":null,"c":"3"},"tags":["x","y"]}}`
			patched := must(b.widgets(namespace).Patch(t.Context(), "merged", types.MergePatchType, []byte(patch), metav1.PatchOptions{}))(t)
			checkField(t, patched, map[string]any{"b": "2", "c": "3"}, "spec", "settings")
			checkField(t, patched, []any{"x", "y"}, "spec", "tags")
		})
		t.Run("a JSON patch works and its test operation guards", func(t *testing.T) { jsonPatchWorks(t, b) })
		t.Run("a strategic merge patch is not supported", func(t *testing.T) {
			namespace := b.namespace(t)
			b.create(t, namespace, b.widget("strategic", "red", 1))
			_, err := b.widgets(namespace).Patch(t.Context(), "strategic", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
			if !apierrors.IsUnsupportedMediaType(err) {
				t.Errorf("got %v, want UnsupportedMediaType", err)
			}
		})
		t.Run("server-side apply creates, finds conflicts and removes what is no longer applied", func(t *testing.T) { applyWorks(t, b) })
		t.Run("deletecollection deletes what is selected", func(t *testing.T) { deleteCollectionSelects(t, b) })
	})
}

func jsonPatchWorks(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("listed", "red", 1))
	patch := func(body string) (*unstructured.Unstructured, error) {
		return b.widgets(namespace).Patch(t.Context(), "listed", types.JSONPatchType, []byte(body), metav1.PatchOptions{})
	}
	patched := must(patch(`[{"op":"test","path":"/spec/size","value":1},{"op":"replace","path":"/spec/size","value":7},{"op":"add","path":"/spec/tags","value":["a"]},{"op":"add","path":"/spec/tags/-","value":"b"}]`))(t)
	checkField(t, patched, 7, "spec", "size")
	checkField(t, patched, []any{"a", "b"}, "spec", "tags")
	if _, err := patch(`[{"op":"test","path":"/spec/size","value":1},{"op":"replace","path":"/spec/size","value":8}]`); !apierrors.IsInvalid(err) {
		t.Errorf("a failing test operation: got %v, want Invalid", err)
	}
	read := must(b.widgets(namespace).Get(t.Context(), "listed", metav1.GetOptions{}))(t)
	checkField(t, read, 7, "spec", "size")
}

func applyWorks(t *testing.T, b *backend) {
	widgets := b.widgets(b.namespace(t))
	apply := func(manager string, spec map[string]any, force bool) (*unstructured.Unstructured, error) {
		return widgets.Apply(t.Context(), "applied", b.object("Widget", "applied", spec), metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	created := must(apply("one", map[string]any{"size": int64(1), "message": "hello"}, false))(t)
	checkField(t, created, "blue", "spec", "color")
	_, err := apply("two", map[string]any{"size": int64(2)}, false)
	if !apierrors.IsConflict(err) || err.Error() != `Apply failed with 1 conflict: conflict with "one": .spec.size` {
		t.Errorf("apply over another manager's field: %v", err)
	}
	taken := must(apply("two", map[string]any{"size": int64(2)}, true))(t)
	checkField(t, taken, 2, "spec", "size")
	dropped := must(apply("one", map[string]any{}, false))(t)
	checkField(t, dropped, nil, "spec", "message")
	checkField(t, dropped, 2, "spec", "size")
}

func deleteCollectionSelects(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	for i := range 6 {
		widget := b.widget(fmt.Sprintf("c-%d", i), []string{"red", "green"}[i%2], 1)
		widget.SetLabels(map[string]string{"half": fmt.Sprint(i < 3)})
		b.create(t, namespace, widget)
	}
	widgets := b.widgets(namespace)
	names := func() (names []string) {
		for _, item := range must(widgets.List(t.Context(), metav1.ListOptions{}))(t).Items {
			names = append(names, item.GetName())
		}
		return names
	}
	for _, step := range []struct {
		options metav1.ListOptions
		left    []string
	}{
		{metav1.ListOptions{LabelSelector: "half=true", FieldSelector: "spec.color=red"}, []string{"c-1", "c-3", "c-4", "c-5"}},
		{metav1.ListOptions{FieldSelector: "spec.color=red"}, []string{"c-1", "c-3", "c-5"}},
		{metav1.ListOptions{}, nil},
	} {
		if err := widgets.DeleteCollection(t.Context(), metav1.DeleteOptions{}, step.options); err != nil {
			t.Fatal(err)
		}
		if left := names(); !slices.Equal(left, step.left) {
			t.Errorf("after labels %q, fields %q: %v are left, want %v", step.options.LabelSelector, step.options.FieldSelector, left, step.left)
		}
	}
}
