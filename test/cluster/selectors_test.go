package cluster_test

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// takesDefinitions are the backends whose definitions are written through the API.
var takesDefinitions = []harness.BackendName{harness.BackendNative, harness.BackendStandalone}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// A definition gains a selectable field while its objects are written: as soon as the field may be named, answers are right.
func TestNewSelectableFieldsAnswerRightAtOnce(t *testing.T) {
	forEach(t, takesDefinitions, func(t *testing.T, b *backend) {
		const red, others = 600, 900
		group := "indexed." + b.Domain
		must(b.dynamic.Resource(definitions).Create(t.Context(), colouredDefinition(group), metav1.CreateOptions{}))(t)
		things := b.dynamic.Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "things"}).Namespace(b.namespace(t))
		waitFor(t, "the resource to be served", func() bool {
			_, err := things.List(t.Context(), metav1.ListOptions{})
			return err == nil
		})
		createThings(t, things, group, red, others)

		// The red ones stay red, all others change all the time.
		var stop atomic.Bool
		wait := inParallel(4, func(worker int) {
			for i := worker; !stop.Load(); i += 4 {
				body := fmt.Sprintf(`{"color":"blue-%d"}`, i)
				if _, err := things.Patch(t.Context(), fmt.Sprintf("other-%d", i%others), types.MergePatchType, []byte(body), metav1.PatchOptions{}); err != nil {
					t.Errorf("patch: %v", err)
					return
				}
			}
		})
		defer func() { stop.Store(true); wait() }()

		gain := []byte(`[{"op":"add","path":"/spec/versions/0/selectableFields","value":[{"jsonPath":".color"}]}]`)
		must(b.dynamic.Resource(definitions).Patch(t.Context(), "things."+group, types.JSONPatchType, gain, metav1.PatchOptions{}))(t)
		waitFor(t, "the field to be selectable", func() bool {
			_, err := things.List(t.Context(), metav1.ListOptions{FieldSelector: "color=red", Limit: 1})
			if err != nil && !apierrors.IsBadRequest(err) && !apierrors.IsTooManyRequests(err) {
				t.Fatal(err)
			}
			return err == nil
		})
		for begun := time.Now(); time.Since(begun) < 3*time.Second; {
			checkCount(t, things, "color=red", 0, red)
			checkCount(t, things, "color=red", 100, red)
			checkCount(t, things, "color!=red", 0, others)
		}
	})
}

func colouredDefinition(group string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"color": map[string]any{"type": "string"}},
				}},
			}},
		},
	}}
}

func createThings(t *testing.T, things dynamic.ResourceInterface, group string, red, others int) {
	t.Helper()
	create := func(name, color string) {
		thing := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": group + "/v1", "kind": "Thing", "metadata": map[string]any{"name": name}, "color": color,
		}}
		if _, err := things.Create(t.Context(), thing, metav1.CreateOptions{}); err != nil {
			t.Errorf("creating %s: %v", name, err)
		}
	}
	const workers = 8
	inParallel(workers, func(worker int) {
		for i := worker; i < red; i += workers {
			create(fmt.Sprintf("red-%d", i), "red")
		}
		for i := worker; i < others; i += workers {
			create(fmt.Sprintf("other-%d", i), "green")
		}
	})()
}

// checkCount lists what a selector matches, in pages if limit is not 0, and checks that it is want objects, none of them twice.
func checkCount(t *testing.T, things dynamic.ResourceInterface, selector string, limit int64, want int) {
	t.Helper()
	seen := map[string]bool{}
	options := metav1.ListOptions{FieldSelector: selector, Limit: limit}
	for {
		list := must(things.List(t.Context(), options))(t)
		for _, item := range list.Items {
			if strings.HasPrefix(item.GetName(), "red-") != (selector == "color=red") || seen[item.GetName()] {
				t.Fatalf("%s (limit %d): %s does not belong there, or is there twice", selector, limit, item.GetName())
			}
			seen[item.GetName()] = true
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			break
		}
	}
	if len(seen) != want {
		t.Fatalf("%s (limit %d): %d objects, want %d", selector, limit, len(seen), want)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("waited 30 s for %s", what)
		}
	}
}

// How often objects are selected, and by what, is seen in the metrics of requests.
func TestMetricsTellSelectors(t *testing.T) {
	b, namespace := ownStandalone(t)
	for _, options := range []metav1.ListOptions{
		{},
		{LabelSelector: "a=b"},
		{LabelSelector: "a=b"},
		{FieldSelector: "spec.color=red"},
		{FieldSelector: "spec.color=red"},
		{FieldSelector: "spec.color=red"},
		{LabelSelector: "a=b", FieldSelector: "spec.color=red"},
	} {
		must(b.widgets(namespace).List(t.Context(), options))(t)
	}
	client := must(rest.HTTPClientFor(b.config))(t)
	response := must(client.Get(b.config.Host + "/metrics"))(t)
	text := string(must(io.ReadAll(response.Body))(t))
	response.Body.Close()
	for _, want := range []struct{ labels, fields, count string }{
		{"false", "false", "1"}, {"true", "false", "2"}, {"false", "true", "3"}, {"true", "true", "1"},
	} {
		selectors := []string{`has_label_selector="` + want.labels + `"`, `has_field_selector="` + want.fields + `"`}
		for _, name := range []string{"apiserver_request_total", "apiserver_request_duration_seconds_count"} {
			if got := sample(text, name, append(selectors, `verb="LIST"`, `resource="widgets"`)...); got != want.count {
				t.Errorf("%s with %s is %q, want %s", name, selectors, got, want.count)
			}
		}
	}
}

// sample returns the value of the first sample of that name that has all the labels; "" if there is none.
func sample(text, name string, labels ...string) string {
lines:
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, name+"{") {
			continue
		}
		for _, label := range labels {
			if !strings.Contains(line, label) {
				continue lines
			}
		}
		fields := strings.Fields(line)
		return fields[len(fields)-1]
	}
	return ""
}
