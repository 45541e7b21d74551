package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"

	"annex.dev/annex/test/cluster/harness"
)

// The tests of this file need kube-controller-manager, so they run where there is a cluster.

// collectorPatience covers the garbage collector's and the namespace controller's own delays and retries.
const collectorPatience = 60 * time.Second

func TestNamespaceDeletion(t *testing.T) {
	forEachAtOnce(t, inCluster, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		for i := range 30 {
			widget := b.widget(fmt.Sprintf("n-%02d", i), "red", 1)
			if i == 7 {
				widget.SetFinalizers([]string{"example.dev/wait"})
			}
			b.create(t, namespace, widget)
		}
		namespaces := b.core.CoreV1().Namespaces()
		if err := namespaces.Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Run("all objects without finalizers go", func(t *testing.T) {
			harness.Eventually(t, collectorPatience, func() error {
				list := must(b.widgets(namespace).List(t.Context(), metav1.ListOptions{}))(t)
				if len(list.Items) != 1 || list.Items[0].GetName() != "n-07" {
					return fmt.Errorf("%d objects are left", len(list.Items))
				}
				return nil
			})
		})
		t.Run("nothing new can be created in it", func(t *testing.T) {
			want := fmt.Sprintf(`widgets.%s "late" is forbidden: unable to create new content in namespace %s because it is being terminated`, b.Domain, namespace)
			harness.Eventually(t, 10*time.Second, func() error {
				_, err := b.widgets(namespace).Create(t.Context(), b.widget("late", "red", 1), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				if !apierrors.IsForbidden(err) || err.Error() != want {
					return fmt.Errorf("got %v, want Forbidden: %s", err, want)
				}
				return nil
			})
		})
		t.Run("its conditions tell what is left", func(t *testing.T) {
			harness.Eventually(t, collectorPatience, func() error {
				object := must(namespaces.Get(t.Context(), namespace, metav1.GetOptions{}))(t)
				want := fmt.Sprintf("Some resources are remaining: widgets.%s has 1 resource instances", b.Domain)
				for _, condition := range object.Status.Conditions {
					if condition.Type == corev1.NamespaceContentRemaining && condition.Message == want {
						return nil
					}
				}
				return fmt.Errorf("conditions are %s", toJSON(object.Status.Conditions))
			})
		})
		t.Run("it goes when the last object has gone", func(t *testing.T) {
			object := must(b.widgets(namespace).Get(t.Context(), "n-07", metav1.GetOptions{}))(t)
			object.SetFinalizers(nil)
			must(b.widgets(namespace).Update(t.Context(), object, metav1.UpdateOptions{}))(t)
			b.awaitNamespaceGone(t, namespace)
		})
	})
}

func (b *backend) awaitNamespaceGone(t *testing.T, name string) {
	t.Helper()
	harness.Eventually(t, collectorPatience, func() error {
		if _, err := b.core.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("got %v, want NotFound", err)
		}
		return nil
	})
}

func TestObjectsInAMissingNamespaceAreRefused(t *testing.T) {
	forEach(t, inCluster, func(t *testing.T, b *backend) {
		_, err := b.widgets("no-such-namespace").Create(t.Context(), b.widget("w", "red", 1), metav1.CreateOptions{})
		if !apierrors.IsNotFound(err) || err.Error() != `namespaces "no-such-namespace" not found` {
			t.Errorf("got %v", err)
		}
	})
}

// family is an owner with dependents of several kinds, as the garbage collector sees them.
type family struct {
	b         *backend
	namespace string
	owner     *unstructured.Unstructured
}

// newFamily makes a Widget that owns a Part, which owns a ConfigMap, and another ConfigMap directly.
func newFamily(t *testing.T, b *backend) *family {
	f := &family{b: b, namespace: b.namespace(t)}
	f.owner = b.create(t, f.namespace, b.widget("owner", "red", 1))
	part := b.object("Part", "child", map[string]any{})
	part.SetOwnerReferences([]metav1.OwnerReference{ownedBy(f.owner)})
	part = must(b.parts(f.namespace).Create(t.Context(), part, metav1.CreateOptions{}))(t)
	f.configMap(t, "child", ownedBy(f.owner))
	f.configMap(t, "grandchild", ownedBy(part))
	return f
}

func ownedBy(owner metav1.Object) metav1.OwnerReference {
	yes := true
	reference := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: &yes}
	if object, ok := owner.(*unstructured.Unstructured); ok {
		reference.APIVersion, reference.Kind = object.GetAPIVersion(), object.GetKind()
	}
	return reference
}

func (f *family) configMap(t *testing.T, name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
	return must(f.b.core.CoreV1().ConfigMaps(f.namespace).Create(t.Context(), object, metav1.CreateOptions{}))(t)
}

// members returns what is left of the family, as "kind/name" in a fixed order.
func (f *family) members(t *testing.T) string {
	var left []string
	for _, item := range must(f.b.widgets(f.namespace).List(t.Context(), metav1.ListOptions{}))(t).Items {
		left = append(left, "widget/"+item.GetName())
	}
	for _, item := range must(f.b.parts(f.namespace).List(t.Context(), metav1.ListOptions{}))(t).Items {
		left = append(left, "part/"+item.GetName())
	}
	for _, item := range must(f.b.core.CoreV1().ConfigMaps(f.namespace).List(t.Context(), metav1.ListOptions{}))(t).Items {
		left = append(left, "configmap/"+item.GetName())
	}
	return strings.Join(left, " ")
}

func (f *family) awaitMembers(t *testing.T, want string) {
	t.Helper()
	harness.Eventually(t, collectorPatience, func() error {
		if left := f.members(t); left != want {
			return fmt.Errorf("left are %q, want %q", left, want)
		}
		return nil
	})
}

func TestGarbageCollection(t *testing.T) {
	forEachAtOnce(t, inCluster, func(t *testing.T, b *backend) {
		t.Run("background: dependents go after their owner", func(t *testing.T) {
			f := newFamily(t, b)
			f.deleteOwner(t, metav1.DeletePropagationBackground)
			f.awaitMembers(t, "")
		})
		t.Run("foreground: the owner waits for its dependents", func(t *testing.T) { collectForeground(t, b) })
		t.Run("orphan: dependents stay and forget their owner", func(t *testing.T) {
			f := newFamily(t, b)
			f.deleteOwner(t, metav1.DeletePropagationOrphan)
			f.awaitMembers(t, "part/child configmap/child configmap/grandchild")
			part := must(b.parts(f.namespace).Get(t.Context(), "child", metav1.GetOptions{}))(t)
			if owners := part.GetOwnerReferences(); len(owners) != 0 {
				t.Errorf("the part is still owned by %s", toJSON(owners))
			}
		})
		t.Run("a ConfigMap can own custom resources", func(t *testing.T) {
			f := &family{b: b, namespace: b.namespace(t)}
			owner := f.configMap(t, "owner")
			widget := b.widget("owned", "red", 1)
			widget.SetOwnerReferences([]metav1.OwnerReference{ownedBy(owner)})
			b.create(t, f.namespace, widget)
			if err := b.core.CoreV1().ConfigMaps(f.namespace).Delete(t.Context(), "owner", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			f.awaitMembers(t, "")
		})
		t.Run("a dependent of an owner that never was goes", func(t *testing.T) {
			f := &family{b: b, namespace: b.namespace(t)}
			widget := b.widget("lost", "red", 1)
			widget.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: b.Domain + "/v1", Kind: "Widget", Name: "nobody", UID: "00000000-0000-0000-0000-000000000000"}})
			b.create(t, f.namespace, widget)
			f.awaitMembers(t, "")
		})
	})
}

func (f *family) deleteOwner(t *testing.T, policy metav1.DeletionPropagation) {
	t.Helper()
	if err := f.b.widgets(f.namespace).Delete(t.Context(), "owner", metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		t.Fatal(err)
	}
}

func collectForeground(t *testing.T, b *backend) {
	f := newFamily(t, b)
	// A finalizer on the child holds the family in the middle of its deletion.
	part := must(b.parts(f.namespace).Get(t.Context(), "child", metav1.GetOptions{}))(t)
	part.SetFinalizers([]string{"example.dev/wait"})
	must(b.parts(f.namespace).Update(t.Context(), part, metav1.UpdateOptions{}))(t)
	f.deleteOwner(t, metav1.DeletePropagationForeground)
	f.awaitMembers(t, "widget/owner part/child")
	owner := must(b.widgets(f.namespace).Get(t.Context(), "owner", metav1.GetOptions{}))(t)
	if finalizers := owner.GetFinalizers(); len(finalizers) != 1 || finalizers[0] != metav1.FinalizerDeleteDependents {
		t.Errorf("the waiting owner has finalizers %v", finalizers)
	}
	// The garbage collector may delete the child, which changes it, between the read and the update.
	if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		part, err := b.parts(f.namespace).Get(t.Context(), "child", metav1.GetOptions{})
		if err != nil {
			return err
		}
		part.SetFinalizers(nil)
		_, err = b.parts(f.namespace).Update(t.Context(), part, metav1.UpdateOptions{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	f.awaitMembers(t, "")
}
