package cluster_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"annex.dev/annex/test/cluster/harness"
)

const assemblyFinalizer = "example.dev/assembly"

// assembler is a controller as people write them: for each Widget it keeps as many Parts as spec.replicas says, reports in
// status, and cleans up in a finalizer. It reads from a cache and writes to the server.
type assembler struct {
	client.Client
	scheme     *runtime.Scheme
	group      schema.GroupVersion
	reconciles atomic.Int64
}

func (a *assembler) empty(kind string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(a.group.WithKind(kind))
	return object
}

func (a *assembler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	a.reconciles.Add(1)
	widget := a.empty("Widget")
	if err := a.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if widget.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, a.cleanUp(ctx, widget)
	}
	if controllerutil.AddFinalizer(widget, assemblyFinalizer) {
		// It goes on at once: a finalizer does not change the generation, so the predicate would not bring it back here.
		if err := a.Update(ctx, widget); err != nil {
			return ctrl.Result{}, err
		}
	}
	want, _, _ := unstructured.NestedInt64(widget.Object, "spec", "replicas")
	have, err := a.keepParts(ctx, widget, want)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, a.report(ctx, widget, have)
}

// keepParts creates missing Parts and deletes those beyond want. It returns how many there are when it is done.
func (a *assembler) keepParts(ctx context.Context, widget *unstructured.Unstructured, want int64) (int64, error) {
	for i := range want {
		part := a.empty("Part")
		part.SetName(fmt.Sprintf("%s-%d", widget.GetName(), i))
		part.SetNamespace(widget.GetNamespace())
		_, err := controllerutil.CreateOrUpdate(ctx, a.Client, part, func() error {
			part.SetLabels(map[string]string{"widget": widget.GetName()})
			part.Object["spec"] = map[string]any{"index": i}
			return controllerutil.SetControllerReference(widget, part, a.scheme)
		})
		if err != nil && !apierrors.IsAlreadyExists(err) { // the cache may not have it yet
			return 0, err
		}
	}
	parts := &unstructured.UnstructuredList{}
	parts.SetGroupVersionKind(a.group.WithKind("PartList"))
	if err := a.List(ctx, parts, client.InNamespace(widget.GetNamespace()), client.MatchingLabels{"widget": widget.GetName()}); err != nil {
		return 0, err
	}
	have := int64(0)
	for _, part := range parts.Items {
		if index, _, _ := unstructured.NestedInt64(part.Object, "spec", "index"); index < want {
			have++
		} else if err := a.Delete(ctx, &part); client.IgnoreNotFound(err) != nil {
			return 0, err
		}
	}
	return have, nil
}

func (a *assembler) report(ctx context.Context, widget *unstructured.Unstructured, have int64) error {
	before := widget.DeepCopy()
	phase := "Assembling"
	if want, _, _ := unstructured.NestedInt64(widget.Object, "spec", "replicas"); have == want {
		phase = "Assembled"
	}
	widget.Object["status"] = map[string]any{"phase": phase, "replicas": have, "observedGeneration": widget.GetGeneration()}
	if toJSON(before) == toJSON(widget) {
		return nil
	}
	return a.Status().Update(ctx, widget)
}

func (a *assembler) cleanUp(ctx context.Context, widget *unstructured.Unstructured) error {
	err := a.DeleteAllOf(ctx, a.empty("Part"), client.InNamespace(widget.GetNamespace()), client.MatchingLabels{"widget": widget.GetName()})
	if err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(widget, assemblyFinalizer)
	return client.IgnoreNotFound(a.Update(ctx, widget))
}

// startAssembler runs the controller in a manager until the test ends.
func startAssembler(t *testing.T, b *backend, namespace string) *assembler {
	ctrllog.SetLogger(logr.Discard()) // it logs each conflict, of which optimistic concurrency has many
	a := &assembler{scheme: runtime.NewScheme(), group: schema.GroupVersion{Group: b.Domain, Version: "v1"}}
	skipNames := true // the controller runs once for each backend
	manager := must(ctrl.NewManager(b.config, ctrl.Options{
		Scheme:     a.scheme,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Client:     client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Controller: config.Controller{SkipNameValidation: &skipNames, MaxConcurrentReconciles: 4},
	}))(t)
	a.Client = manager.GetClient()
	err := ctrl.NewControllerManagedBy(manager).Named("assembler").
		For(a.empty("Widget"), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(a.empty("Part")).
		Complete(a)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the manager ended with: %v", err)
		}
	})
	return a
}

func TestControllerRuntime(t *testing.T) {
	forEachAtOnce(t, everywhere, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		const count = 15
		a := startAssembler(t, b, namespace)
		for i := range count {
			widget := b.widget(fmt.Sprintf("a-%02d", i), "red", 1)
			unstructured.SetNestedField(widget.Object, int64(3), "spec", "replicas")
			b.create(t, namespace, widget)
		}
		t.Run("a reconciler brings all objects to their steady state", func(t *testing.T) {
			awaitAssembled(t, b, namespace, count, 3)
		})
		t.Run("it follows changes, up and down", func(t *testing.T) {
			for i := range count {
				patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, []int{5, 1}[i%2])
				must(b.widgets(namespace).Patch(t.Context(), fmt.Sprintf("a-%02d", i), types.MergePatchType, patch, metav1.PatchOptions{}))(t)
			}
			awaitAssembled(t, b, namespace, count, 5, 1)
		})
		t.Run("a child that is deleted comes back", func(t *testing.T) {
			if err := b.parts(namespace).Delete(t.Context(), "a-00-4", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			harness.Eventually(t, 30*time.Second, func() error {
				_, err := b.parts(namespace).Get(t.Context(), "a-00-4", metav1.GetOptions{})
				return err
			})
		})
		t.Run("finalizers let everything go", func(t *testing.T) {
			if err := b.widgets(namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			harness.Eventually(t, 30*time.Second, func() error {
				widgets := must(b.widgets(namespace).List(t.Context(), metav1.ListOptions{}))(t)
				parts := must(b.parts(namespace).List(t.Context(), metav1.ListOptions{}))(t)
				if len(widgets.Items)+len(parts.Items) > 0 {
					return fmt.Errorf("%d widgets and %d parts are left", len(widgets.Items), len(parts.Items))
				}
				return nil
			})
		})
		// Every widget takes some ten rounds; a watch that repeats or a write that is never quiet takes thousands.
		if n := a.reconciles.Load(); n > 60*count {
			t.Errorf("%d reconciles for %d widgets: the steady state is not quiet", n, count)
		}
	})
}

// awaitAssembled waits until the status of all widgets says that they have their Parts, and the Parts are there. Widget i has
// replicas[i%len(replicas)].
func awaitAssembled(t *testing.T, b *backend, namespace string, count int, replicas ...int64) {
	t.Helper()
	harness.Eventually(t, 60*time.Second, func() error {
		widgets, err := b.widgets(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		parts, err := b.parts(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(widgets.Items) != count {
			return fmt.Errorf("%d widgets", len(widgets.Items))
		}
		owned := map[types.UID]int64{}
		for _, part := range parts.Items {
			for _, owner := range part.GetOwnerReferences() {
				owned[owner.UID]++
			}
		}
		for i, widget := range widgets.Items {
			want := replicas[i%len(replicas)]
			status := map[string]any{"phase": "Assembled", "replicas": want, "observedGeneration": widget.GetGeneration()}
			if toJSON(widget.Object["status"]) != toJSON(status) || owned[widget.GetUID()] != want {
				return fmt.Errorf("%s has %d parts, want %d; its status is %s", widget.GetName(), owned[widget.GetUID()], want, toJSON(widget.Object["status"]))
			}
		}
		return nil
	})
}
