package cluster_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"annex.dev/annex/test/cluster/harness"
)

// The garbage collector sees one cluster, whoever serves a kind. Here each kind of owner (in etcd or in Annex, with and without a
// namespace) has dependents in both worlds.

// species is a kind of object that can own and be owned.
type species struct {
	name         string
	resource     schema.GroupVersionResource
	kind         string
	withoutSpace bool // cluster-scoped
	spec         map[string]any
}

func (b *backend) species(plural, kind string, spec map[string]any) species {
	return species{name: string(b.Name) + " " + kind, resource: b.resource(plural), kind: kind, withoutSpace: plural == "gadgets", spec: spec}
}

var configMaps = species{name: "ConfigMap", resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, kind: "ConfigMap"}

// worlds are the kinds that own, and the kinds that are owned.
type worlds struct {
	client            dynamic.Interface
	b                 *backend // of either world: for what has to do with namespaces
	owners, dependent []species
}

// bothWorlds skips the test unless this run has Annex behind a cluster and kinds of the cluster's own.
func bothWorlds(t *testing.T) *worlds {
	t.Helper()
	native, annex := shared.backend(harness.BackendNative), shared.backend(harness.BackendAggregated)
	if native == nil || annex == nil {
		t.Skip("this needs the backends native and aggregated")
	}
	return newWorlds(native, annex)
}

func newWorlds(native, annex *backend) *worlds {
	widget := map[string]any{"size": int64(1)}
	return &worlds{
		client: native.dynamic, b: annex,
		owners: []species{
			configMaps, native.species("widgets", "Widget", widget), native.species("gadgets", "Gadget", nil),
			annex.species("widgets", "Widget", widget), annex.species("gadgets", "Gadget", nil),
		},
		dependent: []species{configMaps, native.species("parts", "Part", nil), annex.species("parts", "Part", nil)},
	}
}

func (w *worlds) of(s species, namespace string) dynamic.ResourceInterface {
	if s.withoutSpace {
		return w.client.Resource(s.resource)
	}
	return w.client.Resource(s.resource).Namespace(namespace)
}

func (w *worlds) create(t *testing.T, s species, namespace, name string, owners ...metav1.OwnerReference) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(s.resource.GroupVersion().WithKind(s.kind))
	object.SetName(name)
	object.SetOwnerReferences(owners)
	if s.spec != nil {
		object.Object["spec"] = s.spec
	}
	return must(w.of(s, namespace).Create(t.Context(), object, metav1.CreateOptions{}))(t)
}

// clan is an owner with a dependent of each kind.
type clan struct {
	*worlds
	namespace string
	owner     *unstructured.Unstructured
	kind      species
}

// newClan names the owner after its namespace: some owners have none.
func (w *worlds) newClan(t *testing.T, owner species) *clan {
	c := &clan{worlds: w, namespace: w.b.namespace(t), kind: owner}
	c.owner = w.create(t, owner, c.namespace, c.namespace)
	return c
}

func (c *clan) addDependents(t *testing.T, owners ...metav1.OwnerReference) {
	t.Helper()
	for _, s := range c.dependent {
		c.create(t, s, c.namespace, "dependent", owners...)
	}
}

// remaining names those dependents that are left, in the order of their kinds.
func (c *clan) remaining(t *testing.T) []string {
	t.Helper()
	var left []string
	for _, s := range c.dependent {
		_, err := c.of(s, c.namespace).Get(t.Context(), "dependent", metav1.GetOptions{})
		if err == nil {
			left = append(left, s.name)
		} else if !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
	return left
}

func (c *clan) awaitRemaining(t *testing.T, want ...string) {
	t.Helper()
	harness.Eventually(t, collectorPatience, func() error {
		if left := c.remaining(t); !slices.Equal(left, want) {
			return fmt.Errorf("left are %q, want %q", left, want)
		}
		return nil
	})
}

func (c *clan) awaitOwnerGone(t *testing.T) {
	t.Helper()
	harness.Eventually(t, collectorPatience, func() error {
		object, err := c.of(c.kind, c.namespace).Get(t.Context(), c.owner.GetName(), metav1.GetOptions{})
		if err == nil {
			return fmt.Errorf("the owner is there: %s", toJSON(object.Object["metadata"]))
		}
		if !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
}

func (c *clan) deleteOwner(t *testing.T, policy metav1.DeletionPropagation) {
	t.Helper()
	err := c.of(c.kind, c.namespace).Delete(t.Context(), c.owner.GetName(), metav1.DeleteOptions{PropagationPolicy: &policy})
	if err != nil {
		t.Fatal(err)
	}
}

// hold puts a finalizer on a dependent, and release takes it away again.
func (c *clan) hold(t *testing.T, s species)    { c.finalize(t, s, "example.dev/wait") }
func (c *clan) release(t *testing.T, s species) { c.finalize(t, s) }

func (c *clan) finalize(t *testing.T, s species, finalizers ...string) {
	t.Helper()
	// The garbage collector changes the object too.
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := c.of(s, c.namespace).Get(t.Context(), "dependent", metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.SetFinalizers(finalizers)
		_, err = c.of(s, c.namespace).Update(t.Context(), object, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// referTo is what stands in a dependent about its owner.
func referTo(owner *unstructured.Unstructured, block bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: &block}
}

func TestGarbageCollectionAcrossServers(t *testing.T) {
	t.Parallel()
	w := bothWorlds(t)
	for _, scenario := range []struct {
		name string
		run  func(t *testing.T, c *clan)
	}{
		{"background: all dependents go after it", collectInBackground},
		{"foreground: it waits for dependents that block, wherever they are", collectBeforeOwner},
		{"foreground: it does not wait for dependents that do not block", collectWithoutWaiting},
		{"orphan: dependents stay and forget it", orphanDependents},
		{"dependents with a wrong uid of it go, and it stays", collectWrongUID},
		{"dependents with a second owner stay until that goes, too", collectAfterSecondOwner},
	} {
		for _, owner := range w.owners {
			t.Run(owner.name+" is the owner; "+scenario.name, func(t *testing.T) {
				t.Parallel()
				scenario.run(t, w.newClan(t, owner))
			})
		}
	}
}

func collectInBackground(t *testing.T, c *clan) {
	c.addDependents(t, referTo(c.owner, true))
	c.deleteOwner(t, metav1.DeletePropagationBackground)
	c.awaitOwnerGone(t)
	c.awaitRemaining(t)
}

func collectBeforeOwner(t *testing.T, c *clan) {
	c.addDependents(t, referTo(c.owner, true))
	for _, s := range c.dependent {
		c.hold(t, s)
	}
	c.deleteOwner(t, metav1.DeletePropagationForeground)
	for i, s := range c.dependent {
		harness.Eventually(t, collectorPatience, func() error {
			object := must(c.of(s, c.namespace).Get(t.Context(), "dependent", metav1.GetOptions{}))(t)
			if object.GetDeletionTimestamp() == nil {
				return fmt.Errorf("%s is not being deleted", s.name)
			}
			return nil
		})
		owner := must(c.of(c.kind, c.namespace).Get(t.Context(), c.owner.GetName(), metav1.GetOptions{}))(t)
		if owner.GetDeletionTimestamp() == nil || !slices.Contains(owner.GetFinalizers(), metav1.FinalizerDeleteDependents) {
			t.Errorf("the waiting owner has %s", toJSON(owner.Object["metadata"]))
		}
		c.release(t, s)
		c.awaitRemaining(t, names(c.dependent[i+1:])...)
	}
	c.awaitOwnerGone(t)
}

func names(all []species) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return names
}

func collectWithoutWaiting(t *testing.T, c *clan) {
	c.addDependents(t, referTo(c.owner, false))
	for _, s := range c.dependent {
		c.hold(t, s)
	}
	c.deleteOwner(t, metav1.DeletePropagationForeground)
	c.awaitOwnerGone(t)
	for _, s := range c.dependent {
		c.release(t, s)
	}
	c.awaitRemaining(t)
}

func orphanDependents(t *testing.T, c *clan) {
	c.addDependents(t, referTo(c.owner, true))
	c.deleteOwner(t, metav1.DeletePropagationOrphan)
	c.awaitOwnerGone(t)
	for _, s := range c.dependent {
		object := must(c.of(s, c.namespace).Get(t.Context(), "dependent", metav1.GetOptions{}))(t)
		if owners := object.GetOwnerReferences(); len(owners) != 0 || object.GetDeletionTimestamp() != nil {
			t.Errorf("%s has %s", s.name, toJSON(object.Object["metadata"]))
		}
	}
}

func collectWrongUID(t *testing.T, c *clan) {
	wrong := referTo(c.owner, true)
	wrong.UID = types.UID(strings.Repeat("0", 8) + string(c.owner.GetUID())[8:])
	c.addDependents(t, wrong)
	c.awaitRemaining(t)
	must(c.of(c.kind, c.namespace).Get(t.Context(), c.owner.GetName(), metav1.GetOptions{}))(t)
}

// collectAfterSecondOwner gives dependents a second owner of each kind but cluster-scoped, so that in any case one is in etcd and
// one in Annex.
func collectAfterSecondOwner(t *testing.T, c *clan) {
	references := []metav1.OwnerReference{referTo(c.owner, true)}
	for i, s := range c.dependent {
		references = append(references, referTo(c.create(t, s, c.namespace, fmt.Sprintf("second-%d", i)), true))
	}
	c.addDependents(t, references...)
	for gone := range references {
		if gone == 0 {
			c.deleteOwner(t, metav1.DeletePropagationBackground)
		} else if err := c.of(c.dependent[gone-1], c.namespace).Delete(t.Context(), references[gone].Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, s := range c.dependent {
			c.awaitReferences(t, s, references[gone+1:])
		}
	}
}

// awaitReferences waits until these owners are left in a dependent: without any it has to go.
func (c *clan) awaitReferences(t *testing.T, s species, want []metav1.OwnerReference) {
	t.Helper()
	harness.Eventually(t, collectorPatience, func() error {
		object, err := c.of(s, c.namespace).Get(t.Context(), "dependent", metav1.GetOptions{})
		if len(want) == 0 {
			if !apierrors.IsNotFound(err) {
				return errors.Join(fmt.Errorf("%s is there", s.name), err)
			}
			return nil
		}
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if owners := object.GetOwnerReferences(); toJSON(owners) != toJSON(want) {
			return fmt.Errorf("%s is owned by %s, want %s", s.name, toJSON(owners), toJSON(want))
		}
		return nil
	})
}
