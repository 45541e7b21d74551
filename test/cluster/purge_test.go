package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"annex.dev/annex/test/cluster/harness"
)

const askForPurge = `{"metadata":{"annotations":{"annex.dev/purge":"old-copies"}}}`

// awaitPurge waits for a reason in the condition annex.dev/OldCopiesPurged, and returns the message.
func (a *adoption) awaitPurge(t *testing.T, definition, want string) string {
	t.Helper()
	var told string
	harness.Eventually(t, adoptionPatience, func() error {
		_, reason, message, err := a.conditionOf(t.Context(), definition, "annex.dev/OldCopiesPurged")
		if err == nil && reason != want {
			err = fmt.Errorf("%s: reason %q (%s), want %q", definition, reason, message, want)
		}
		told = message
		return err
	})
	return told
}

// inEtcd returns the widgets that the cluster itself has: Annex is away meanwhile, and so is its APIService.
func (a *adoption) inEtcd(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	if err := a.annex.Stop(); err != nil {
		t.Error(err)
	}
	if err := a.dynamic.Resource(harness.APIServiceResource).Delete(t.Context(), "v1."+a.Domain, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, 30*time.Second, func() error {
		list, err := a.dynamic.Resource(a.resource("widgets")).List(t.Context(), metav1.ListOptions{Limit: 1})
		if err == nil && versionOf(t, list) > beyondEtcd {
			err = fmt.Errorf("widgets still come from Annex")
		}
		return err
	})
	objects := a.everything(t, "widgets")
	a.start(t)
	harness.Eventually(t, time.Minute, func() error {
		list, err := a.dynamic.Resource(a.resource("widgets")).List(t.Context(), metav1.ListOptions{Limit: 1})
		if err == nil && versionOf(t, list) <= beyondEtcd {
			err = fmt.Errorf("widgets still come from etcd")
		}
		return err
	})
	return objects
}

func TestPurge(t *testing.T) {
	a := newAdoption(t, "purged", "widgets", "gadgets")
	namespace := a.namespace(t)
	a.fill(t, namespace, 900)
	widgets := "widgets." + a.Domain
	a.ask(t)
	a.awaitAdopted(t)
	if left := a.inEtcd(t); len(left) != 900 {
		t.Fatalf("%d old copies, want 900", len(left))
	}
	before := a.everything(t, "widgets")
	informed := a.informWidgets(t, namespace)

	a.patchDefinition(t, widgets, askForPurge)
	if message := a.awaitPurge(t, widgets, "Blocked"); !strings.Contains(message, "not all definitions of the group") {
		t.Error(message)
	}
	a.patchDefinition(t, "gadgets."+a.Domain, askForPurge)
	a.awaitPurge(t, widgets, "Purging")
	a.annex.Kill()
	a.start(t)
	t.Log(a.awaitPurge(t, widgets, "Purged"))

	if deleted := informed.deletions(); len(deleted) > 0 {
		t.Errorf("the informer was told of deletions that were none: %v", deleted)
	}
	if left := a.inEtcd(t); len(left) != 0 {
		t.Errorf("%d old copies are left", len(left))
	}
	after := a.everything(t, "widgets")
	for key, was := range before {
		if is := after[key]; is == nil || toJSON(is) != toJSON(was) {
			t.Errorf("%s is not what it was", key)
		}
	}
	definition := must(a.dynamic.Resource(definitionResource).Get(t.Context(), widgets, metav1.GetOptions{}))(t)
	if versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions"); len(versions) != 1 {
		t.Errorf("the definition has %d versions, want 1: %s", len(versions), toJSON(versions))
	}
}
