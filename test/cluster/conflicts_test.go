package cluster_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"annex.dev/annex/test/cluster/harness"
)

// What two want, one has: Annex takes nothing from others, and of two definitions the first one holds. In each case its log says what
// is wrong, and all is well as soon as it is mended.

// says returns how to wait until Annex's log has a line with certain words. What the log has now does not count.
func says(t *testing.T, b *backend) (await func(words ...string)) {
	path := b.Annex.Process().LogPath()
	begin := len(must(os.ReadFile(path))(t))
	return func(words ...string) {
		t.Helper()
		harness.Eventually(t, reloadPatience, func() error {
			for line := range bytes.Lines(must(os.ReadFile(path))(t)[begin:]) {
				has := 0
				for _, word := range words {
					if strings.Contains(string(line), word) {
						has++
					}
				}
				if has == len(words) {
					return nil
				}
			}
			return fmt.Errorf("no line of the log has all of %q", words)
		})
	}
}

// awaitMetric waits until a line of Annex's metrics is there.
func awaitMetric(t *testing.T, b *backend, line string) {
	t.Helper()
	master := caller{certificate: issue(t, b.Cluster.ClientCA(), harness.Leaf{CommonName: "boss", Organizations: []string{"system:masters"}})}
	harness.Eventually(t, reloadPatience, func() error {
		code, body := master.askBy(t, b, "/metrics", "h2")
		if code != http.StatusOK || !strings.Contains(body, "\n"+line+"\n") {
			return fmt.Errorf("%d: no line %q", code, line)
		}
		return nil
	})
}

func TestOthersAPIServicesAreLeftAlone(t *testing.T) {
	forEach(t, onAggregated, func(t *testing.T, b *backend) {
		services := b.dynamic.Resource(harness.APIServiceResource)
		t.Run("one that leads to another Service", func(t *testing.T) {
			group := "foreign." + b.Domain
			theirs := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": "v1." + group},
				"spec": map[string]any{
					"group": group, "version": "v1", "groupPriorityMinimum": int64(10), "versionPriority": int64(10), "insecureSkipTLSVerify": true,
					"service": map[string]any{"namespace": "default", "name": "theirs"},
				},
			}}
			theirs = must(services.Create(t.Context(), theirs, metav1.CreateOptions{}))(t)
			await := says(t, b)
			writeDefinition(t, b, "toys."+group, toyDefinition(group, "toys", "Toy", nil, "v1"))
			await("taken by somebody else", "v1."+group, "default/theirs")
			awaitMetric(t, b, `annex_apiservices{state="foreign"} 1`)
			now := must(services.Get(t.Context(), theirs.GetName(), metav1.GetOptions{}))(t)
			checkField(t, now, theirs.Object["spec"], "spec")
			if now.GetUID() != theirs.GetUID() || len(now.GetLabels())+len(now.GetAnnotations())+len(now.GetOwnerReferences()) > 0 {
				t.Errorf("it was changed: %s", toJSON(now.Object["metadata"]))
			}
			if err := services.Delete(t.Context(), theirs.GetName(), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			awaitToys(t, b, group)
			awaitMetric(t, b, `annex_apiservices{state="foreign"} 0`)
			withdraw(t, b, "toys."+group)
		})
		t.Run("those of the cluster's own definitions", func(t *testing.T) {
			native := shared.backend(harness.BackendNative)
			if native == nil {
				t.Skip("this needs the backend native")
			}
			group := "twice." + b.Domain
			definition := toyDefinition(group, "toys", "Toy", []string{"a"}, "v1")
			if err := native.Install(within(t, time.Minute), definition); err != nil {
				t.Fatal(err)
			}
			toys := b.dynamic.Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "toys"}).Namespace("default")
			one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1", "kind": "Toy", "metadata": map[string]any{"name": "one"}}}
			one = must(toys.Create(t.Context(), one, metav1.CreateOptions{}))(t)
			await := says(t, b)
			writeDefinition(t, b, "toys."+group, definition)
			await("taken by somebody else", "v1."+group, "kube-apiserver itself")
			if there := must(toys.Get(t.Context(), "one", metav1.GetOptions{}))(t); there.GetUID() != one.GetUID() {
				t.Errorf("another object is there now: %s", toJSON(there))
			}
			withdraw(t, b, "toys."+group)
			if err := b.dynamic.Resource(definitionResource).Delete(t.Context(), "toys."+group, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func writeDefinition(t *testing.T, b *backend, file string, definition []byte) {
	t.Helper()
	if err := harness.WriteFileAtomically(b.DefinitionFile(file), definition); err != nil {
		t.Fatal(err)
	}
}

func awaitToys(t *testing.T, b *backend, group string) {
	t.Helper()
	if err := harness.WaitServed(within(t, reloadPatience), b.config, schema.GroupVersionResource{Group: group, Version: "v1", Resource: "toys"}); err != nil {
		t.Fatal(err)
	}
}

// withdraw takes the only definition of a group away, and waits until kube-apiserver does not send its requests to Annex any more.
func withdraw(t *testing.T, b *backend, file string) {
	t.Helper()
	if err := os.Remove(b.DefinitionFile(file)); err != nil {
		t.Fatal(err)
	}
	_, group, _ := strings.Cut(file, ".")
	harness.Eventually(t, reloadPatience, func() error {
		object, err := b.dynamic.Resource(harness.APIServiceResource).Get(t.Context(), "v1."+group, metav1.GetOptions{})
		if err == nil && field(object, "spec", "service", "name") != b.Annex.Options().Service || apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the APIService is there: %v", err)
	})
}

func TestDefinitionsInFilesConflict(t *testing.T) {
	forEach(t, onAggregated, func(t *testing.T, b *backend) {
		group := "conflict." + b.Domain
		first := toyDefinition(group, "toys", "Toy", []string{"a"}, "v1")
		if err := b.Install(within(t, reloadPatience), first); err != nil {
			t.Fatal(err)
		}
		f := &toys{b: b, group: group, namespace: b.namespace(t)}
		one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1", "kind": "Toy", "metadata": map[string]any{"name": "one"}}}
		must(b.dynamic.Resource(f.resource("v1")).Namespace(f.namespace).Create(t.Context(), one, metav1.CreateOptions{}))(t)

		t.Run("of two of the same name the first file's holds", func(t *testing.T) {
			await := says(t, b)
			writeDefinition(t, b, "zz-again", toyDefinition(group, "toys", "Toy", []string{"a", "b"}, "v1"))
			await("zz-again.yaml", `is defined in`, "toys."+group)
			awaitMetric(t, b, "annex_definition_file_problems 1")
			f.awaitKept(t, `{"a":"set"}`, "a", "b")
			if err := os.Remove(b.DefinitionFile("zz-again")); err != nil {
				t.Fatal(err)
			}
			awaitMetric(t, b, "annex_definition_file_problems 0")
		})
		t.Run("of two with the same kind the earlier is served, and the other once that is gone", func(t *testing.T) {
			await := says(t, b)
			writeDefinition(t, b, "games."+group, toyDefinition(group, "games", "Toy", nil, "v1"))
			await("games."+group, "KindConflict", "is already in use")
			f.awaitKept(t, `{"a":"set"}`, "a", "b")
			games := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "games"}
			if _, err := b.dynamic.Resource(games).List(t.Context(), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("the other is served: %v", err)
			}
			if err := os.Remove(b.DefinitionFile("toys." + group)); err != nil {
				t.Fatal(err)
			}
			if err := harness.WaitServed(within(t, reloadPatience), b.config, games); err != nil {
				t.Error(err)
			}
			withdraw(t, b, "games."+group)
		})
	})
}
