package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"annex.dev/annex/test/cluster/harness"
)

// askBack labels all definitions of the group to be given back to the cluster.
func (a *adoption) askBack(t *testing.T) {
	t.Helper()
	for _, name := range a.definitions(t) {
		a.patchDefinition(t, name, `{"metadata":{"labels":{"annex.dev/serve":"false"}}}`)
	}
}

func (a *adoption) awaitReleased(t *testing.T) string {
	t.Helper()
	var message string
	for _, name := range a.definitions(t) {
		message = a.awaitReason(t, name, "Released")
	}
	return message
}

// newReleasable is an adopted group, and an Annex that may rename owners everywhere.
func newReleasable(t *testing.T, name string, kinds ...string) *adoption {
	t.Helper()
	a := newAdoption(t, name, kinds...)
	if err := a.annex.GrantRenaming(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// given is an object as text, without what the API gives to each object itself.
func given(object *unstructured.Unstructured) string {
	copied := object.DeepCopy()
	for _, field := range []string{"resourceVersion", "uid", "creationTimestamp", "generation", "deletionTimestamp"} {
		unstructured.RemoveNestedField(copied.Object, "metadata", field)
	}
	return toJSON(copied.Object)
}

func TestReleaseKeepsObjects(t *testing.T) {
	a := newReleasable(t, "back", "widgets", "gadgets")
	namespace := a.namespace(t)
	a.fill(t, namespace, 600)
	a.ask(t)
	t.Log(a.awaitAdopted(t))
	adopted := a.everything(t, "widgets")

	// What happens at Annex: changes, deletions, an object made anew under an old name, new ones, some being deleted.
	for i := 2; i < 52; i++ {
		patch := []byte(fmt.Sprintf(`{"metadata":{"labels":{"round":"two"}},"spec":{"size":%d}}`, 1+i))
		must(a.widgets(namespace).Patch(t.Context(), fmt.Sprintf("w-%05d", i), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "later"}))(t)
	}
	for _, name := range []string{"w-00060", "w-00061"} {
		if err := a.widgets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	a.create(t, namespace, a.widget("w-00061", "green", 5))
	leaving := a.widget("leaving", "blue", 3)
	leaving.SetFinalizers([]string{"example.dev/keep"})
	a.create(t, namespace, leaving)
	if err := a.widgets(namespace).Delete(t.Context(), "leaving", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	must(a.widgets(namespace).Patch(t.Context(), "w-00003", types.MergePatchType, []byte(`{"status":{"phase":"Later"}}`), metav1.PatchOptions{FieldManager: "ctl"}, "status"))(t)
	applied := []byte(fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Widget","metadata":{"name":"applied"},"spec":{"size":8,"color":"red"}}`, a.Domain))
	must(a.widgets(namespace).Patch(t.Context(), "applied", types.ApplyPatchType, applied, metav1.PatchOptions{FieldManager: "applier"}))(t)

	owner := a.create(t, namespace, a.widget("owner", "green", 1))
	dependent := a.widget("dependent", "green", 2)
	dependent.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())})
	a.create(t, namespace, dependent)
	core := must(kubernetes.NewForConfig(a.config))(t).CoreV1()
	maps := core.ConfigMaps(namespace)
	must(maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "belongs", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())},
	}}, metav1.CreateOptions{}))(t)
	before := a.everything(t, "widgets")

	a.askBack(t)
	message := a.awaitReleased(t)
	t.Log(message)
	after := a.everything(t, "widgets")
	if len(after) != len(before) {
		t.Errorf("%d objects after the release, %d before", len(after), len(before))
	}
	for key, was := range before {
		is := after[key]
		if is == nil {
			t.Errorf("%s is lost", key)
			continue
		}
		if _, name, _ := strings.Cut(key, "/"); name != "dependent" && given(is) != given(was) {
			t.Errorf("%s changed:\n%s\nbefore:\n%s", key, given(is), given(was))
		}
		if (is.GetDeletionTimestamp() == nil) != (was.GetDeletionTimestamp() == nil) {
			t.Errorf("%s: being deleted at %v, before %v", key, is.GetDeletionTimestamp(), was.GetDeletionTimestamp())
		}
		if original := adopted[key]; original != nil && original.GetUID() == was.GetUID() && is.GetUID() != was.GetUID() {
			t.Errorf("%s has lost its uid", key)
		}
		if versionOf(t, is) > beyondEtcd {
			t.Errorf("%s has the resourceVersion %s, Annex's", key, is.GetResourceVersion())
		}
	}
	t.Run("dependents know their owner", func(t *testing.T) {
		now := after[namespace+"/owner"].GetUID()
		if now == owner.GetUID() {
			t.Error("etcd knew the uid of an object that it never had")
		}
		if references := after[namespace+"/dependent"].GetOwnerReferences(); len(references) != 1 || references[0].UID != now {
			t.Errorf("the widget's owners are %v, want the uid %s", references, now)
		}
		belongs := must(maps.Get(t.Context(), "belongs", metav1.GetOptions{}))(t)
		if len(belongs.OwnerReferences) != 1 || belongs.OwnerReferences[0].UID != now {
			t.Errorf("the ConfigMap's owners are %v, want the uid %s", belongs.OwnerReferences, now)
		}
		if !strings.Contains(message, "1 objects name their owners anew") {
			t.Error(message)
		}
		time.Sleep(3 * time.Second)
		must(maps.Get(t.Context(), "belongs", metav1.GetOptions{}))(t)
		if err := a.widgets(namespace).Delete(t.Context(), "owner", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		harness.Eventually(t, time.Minute, func() error {
			if _, err := maps.Get(t.Context(), "belongs", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				return fmt.Errorf("the ConfigMap of a deleted owner: %v", err)
			}
			return nil
		})
	})
	t.Run("nothing of Annex is left in the cluster", func(t *testing.T) { a.checkNothingLeft(t) })
	t.Run("writes go to etcd", func(t *testing.T) {
		created := a.create(t, namespace, a.widget("new", "red", 1))
		if versionOf(t, created) > beyondEtcd {
			t.Errorf("the resourceVersion is %s", created.GetResourceVersion())
		}
	})
	t.Run("it can be adopted again", func(t *testing.T) {
		again := a.everything(t, "widgets")
		a.ask(t)
		t.Log(a.awaitAdopted(t))
		for key, is := range a.everything(t, "widgets") {
			if withoutVersion(is) != withoutVersion(again[key]) {
				t.Errorf("%s changed", key)
			}
		}
	})
}

func (a *adoption) checkNothingLeft(t *testing.T) {
	for _, name := range a.definitions(t) {
		definition := must(a.dynamic.Resource(definitionResource).Get(t.Context(), name, metav1.GetOptions{}))(t)
		if versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions"); len(versions) != 1 {
			t.Errorf("%s has %d versions, want 1", name, len(versions))
		}
	}
	service := must(a.dynamic.Resource(harness.APIServiceResource).Get(t.Context(), "v1."+a.Domain, metav1.GetOptions{}))(t)
	if _, remote, _ := unstructured.NestedMap(service.Object, "spec", "service"); remote {
		t.Errorf("the APIService still leads to a Service: %s", toJSON(service.Object))
	}
	if len(service.GetOwnerReferences()) > 0 || service.GetLabels()["kube-aggregator.kubernetes.io/automanaged"] != "true" {
		t.Errorf("the APIService is not the cluster's own: %s", toJSON(service.GetLabels()))
	}
	client := must(kubernetes.NewForConfig(a.config))(t)
	policies := must(client.AdmissionregistrationV1().ValidatingAdmissionPolicies().List(t.Context(), metav1.ListOptions{}))(t)
	for _, policy := range policies.Items {
		if strings.HasPrefix(policy.Name, a.Domain) {
			t.Errorf("the policy %s is left", policy.Name)
		}
	}
}

func TestReleaseUnderLoad(t *testing.T) {
	a := newReleasable(t, "loadback", "widgets")
	namespace := a.namespace(t)
	count := adoptedCount
	half := count / 2
	a.fill(t, namespace, half)
	a.ask(t)
	a.awaitAdopted(t)
	inParallel(8, func(part int) { // etcd never had these
		for i := half + part; i < count; i += 8 {
			if _, err := a.widgets(namespace).Create(t.Context(), a.widget(fmt.Sprintf("w-%05d", i), "red", 1), metav1.CreateOptions{}); err != nil {
				t.Error(err)
			}
		}
	})()
	informed := a.informWidgets(t, namespace)
	end := a.load(t, namespace)
	time.Sleep(time.Second)
	begin := time.Now()
	a.askBack(t)
	message := a.awaitReleased(t)
	t.Logf("%d objects, %s in all: %s", count, time.Since(begin).Round(time.Millisecond), message)
	time.Sleep(2 * time.Second)
	a.checkNothingLost(t, namespace, count, end(), informed)
}

func TestReleaseSurvivesKills(t *testing.T) {
	a := newReleasable(t, "killsback", "widgets", "gadgets")
	namespace := a.namespace(t)
	a.fill(t, namespace, 800)
	a.ask(t)
	a.awaitAdopted(t)
	owner := a.create(t, namespace, a.widget("owner", "green", 1))
	core := must(kubernetes.NewForConfig(a.config))(t).CoreV1()
	must(core.ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "belongs", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())},
	}}, metav1.CreateOptions{}))(t)
	before := a.everything(t, "widgets")
	end := a.load(t, namespace)
	a.askBack(t)
	a.killDuringRelease(t)
	t.Log(a.awaitReleased(t))
	time.Sleep(time.Second)
	l := end()
	t.Logf("%d writes were accepted, %d refused", l.accepted, l.refused)
	after := a.everything(t, "widgets")
	l.check(t, after, namespace)
	for key, was := range before {
		if is := after[key]; is == nil || given(is) != given(was) {
			t.Errorf("%s is not what it was", key)
		}
	}
	belongs := must(core.ConfigMaps(namespace).Get(t.Context(), "belongs", metav1.GetOptions{}))(t)
	if now := after[namespace+"/owner"].GetUID(); belongs.OwnerReferences[0].UID != now {
		t.Errorf("the ConfigMap's owner is %s, want %s", belongs.OwnerReferences[0].UID, now)
	}
	a.checkNothingLeft(t)
}

// killDuringRelease kills Annex later and later after it began to release, ten times.
func (a *adoption) killDuringRelease(t *testing.T) {
	t.Helper()
	definition := "widgets." + a.Domain
	for cut := range 10 {
		after := time.Duration(cut) * 800 * time.Millisecond
		if cut > 0 {
			time.Sleep(after)
		} else {
			a.awaitOneOf(t, "Releasing", "Released")
		}
		_, reason, message, err := a.condition(context.Background(), definition)
		t.Logf("killed after %s: %s (%s), %v", after, reason, message, err)
		a.annex.Kill()
		a.start(t)
	}
}

func TestReleaseIsRefused(t *testing.T) {
	a := newReleasable(t, "refusedback", "widgets", "gadgets")
	a.ask(t)
	a.awaitAdopted(t)
	definition := "widgets." + a.Domain
	a.patchDefinition(t, definition, `{"metadata":{"labels":{"annex.dev/serve":"false"}}}`)
	want := `"gadgets.` + a.Domain + `" of the same group lacks the label annex.dev/serve=false`
	if message := a.awaitReason(t, definition, "Blocked"); !strings.Contains(message, want) {
		t.Error(message)
	}
	// Nothing of the group was moved, and everything works as before.
	created := a.create(t, a.namespace(t), a.widget("a", "red", 1))
	if versionOf(t, created) <= beyondEtcd {
		t.Errorf("the resourceVersion is %s, etcd's", created.GetResourceVersion())
	}
	a.ask(t)
	a.awaitReason(t, definition, "Served")
}
