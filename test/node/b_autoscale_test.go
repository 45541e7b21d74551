package node_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"annex.dev/annex/test/cluster/harness"
)

const (
	burnImage     = "localhost/burn:1"
	burnNamespace = "autoscaled"
	burnSelector  = "app=burn"
	// What each pod asks for, and all that it gets: it uses twice what the autoscaler wants.
	burnProcessor  = "50m"
	wantedPercent  = 50
	fewestReplicas = 1
	mostReplicas   = 3
	// Metrics of a pod are there after two looks, ten seconds apart, and the autoscaler waits for what has just started.
	scalePatience = 2 * time.Minute
)

// The cluster's own controllers use /scale of a kind that Annex serves: the autoscaler, by what real pods use, and the one that protects
// pods from disruption, which asks how many a controller wants.
func TestBControllersUseScale(t *testing.T) {
	w := needNode(t)
	if err := w.StartMetricsServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.ImportProgram(t.Context(), burnImage, "burn"); err != nil {
		t.Fatal(err)
	}
	w.kubectl(t, "create", "namespace", burnNamespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "samples.annex.dev/v1", "kind": "Cache", "metadata": map[string]any{"name": "hot"}, "spec": map[string]any{"size": int64(1)},
	}}
	hot, err := w.dynamic.Resource(caches).Namespace(burnNamespace).Create(t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stop := runOperator(t, w, hot)
	if !t.Run("an autoscaler raises the replicas", func(t *testing.T) { autoscales(t, w) }) {
		return
	}
	t.Run("a disruption budget counts what the owner wants", func(t *testing.T) {
		budgetCounts(t, w)
		// From here on evicted pods do not come back.
		stop()
		budgetHolds(t, w)
	})
	w.kubectl(t, "delete", "namespace", burnNamespace, "--timeout=60s")
}

// operator makes pods for a Cache, as many as its spec says, and reports them in its status.
type operator struct {
	w     *world
	owner *unstructured.Unstructured
}

// runOperator runs one until the function that it returns is called, or the test ends.
func runOperator(t *testing.T, w *world, owner *unstructured.Unstructured) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Add(1)
	o := &operator{w, owner}
	go func() {
		defer done.Done()
		for tick := time.NewTicker(500 * time.Millisecond); ctx.Err() == nil; {
			if err := o.reconcile(ctx); err != nil && ctx.Err() == nil {
				t.Logf("the operator tries again: %v", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}()
	stop = func() { cancel(); done.Wait() }
	t.Cleanup(stop)
	return stop
}

func (o *operator) reconcile(ctx context.Context) error {
	client := o.w.dynamic.Resource(caches).Namespace(burnNamespace)
	object, err := client.Get(ctx, o.owner.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	want, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	for i := range want {
		_, err := o.w.core.CoreV1().Pods(burnNamespace).Create(ctx, o.pod(int(i)), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	status := fmt.Appendf(nil, `{"status":{"replicas":%d,"selector":%q}}`, want, burnSelector)
	_, err = client.Patch(ctx, o.owner.GetName(), types.MergePatchType, status, metav1.PatchOptions{}, "status")
	return err
}

func (o *operator) pod(number int) *corev1.Pod {
	processor := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(burnProcessor)}
	grace := int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("hot-%d", number), Labels: map[string]string{"app": "burn"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(o.owner, o.owner.GroupVersionKind())},
		},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: &grace,
			Containers: []corev1.Container{{
				Name: "burn", Image: burnImage, ImagePullPolicy: corev1.PullNever,
				Resources: corev1.ResourceRequirements{Requests: processor, Limits: processor},
			}},
		},
	}
}

func autoscales(t *testing.T, w *world) {
	percent, fewest := int32(wantedPercent), int32(fewestReplicas)
	autoscaler := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "hot"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "samples.annex.dev/v1", Kind: "Cache", Name: "hot"},
			MinReplicas:    &fewest, MaxReplicas: mostReplicas,
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name:   corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
				},
			}},
		},
	}
	autoscalers := w.core.AutoscalingV2().HorizontalPodAutoscalers(burnNamespace)
	if _, err := autoscalers.Create(t.Context(), autoscaler, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	harness.Eventually(t, scalePatience, func() error {
		object, err := w.dynamic.Resource(caches).Namespace(burnNamespace).Get(t.Context(), "hot", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if replicas, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas"); replicas == mostReplicas {
			return nil
		}
		now, err := autoscalers.Get(t.Context(), "hot", metav1.GetOptions{})
		return fmt.Errorf("the autoscaler is at %+v, %v", now.Status, err)
	})
	fmt.Printf("node: an autoscaler raised the replicas of a custom resource after %.0f s\n", time.Since(begun).Seconds())
}

func budgetCounts(t *testing.T, w *world) {
	one := intstr.FromInt32(1)
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "hot"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "burn"}},
		},
	}
	budgets := w.core.PolicyV1().PodDisruptionBudgets(burnNamespace)
	if _, err := budgets.Create(t.Context(), budget, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, time.Minute, func() error {
		now, err := budgets.Get(t.Context(), "hot", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s := now.Status; s.ExpectedPods != mostReplicas || s.CurrentHealthy != mostReplicas || s.DisruptionsAllowed != 1 {
			return fmt.Errorf("its status is %+v", s)
		}
		return nil
	})
}

// budgetHolds evicts one pod, which the budget allows, and another, which it does not.
func budgetHolds(t *testing.T, w *world) {
	evict := func(pod string) error {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: burnNamespace}}
		return w.core.PolicyV1().Evictions(burnNamespace).Evict(t.Context(), eviction)
	}
	if err := evict("hot-0"); err != nil {
		t.Errorf("the first eviction: %v", err)
	}
	if err := evict("hot-1"); !apierrors.IsTooManyRequests(err) {
		t.Errorf("the second eviction: got %v, want TooManyRequests", err)
	}
}
