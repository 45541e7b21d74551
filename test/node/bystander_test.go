package node_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	// A bystander asks so often.
	bystanderPeriod = 20 * time.Millisecond
	// What a request to kube-apiserver itself may take on a busy machine, and a leader may be late: both far less than an Annex that is
	// away would cost.
	bystanderPatience = 2 * time.Second
)

// bystander is everybody in the cluster who does not use Annex: a client of kube-apiserver's own objects, and a leader that renews its
// lease. Whatever happens to Annex, they notice nothing.
type bystander struct {
	w     *world
	begun time.Time
	end   context.CancelFunc
	done  sync.WaitGroup

	latencies []time.Duration
	failures  []string
	lost      bool // the leadership
}

// newBystander begins, under a name of its own. Stop it before anything else of the test ends.
func newBystander(t *testing.T, w *world, name string) *bystander {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	b := &bystander{w: w, begun: time.Now(), end: cancel}
	leads := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Client: w.core.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		},
		LeaseDuration: 2 * bystanderPatience, RenewDeadline: bystanderPatience, RetryPeriod: bystanderPatience / 4,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(leads) },
			OnStoppedLeading: func() { b.lost = ctx.Err() == nil },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.done.Add(2)
	go func() { defer b.done.Done(); elector.Run(ctx) }()
	go func() { defer b.done.Done(); b.ask(ctx) }()
	select {
	case <-leads:
	case <-time.After(time.Minute):
		t.Fatal("nobody leads")
	}
	return b
}

func (b *bystander) ask(ctx context.Context) {
	tick := time.NewTicker(bystanderPeriod)
	defer tick.Stop()
	for ctx.Err() == nil {
		begun := time.Now()
		_, err := b.w.core.CoreV1().ConfigMaps("kube-system").List(ctx, metav1.ListOptions{})
		if err != nil && ctx.Err() == nil {
			b.failures = append(b.failures, err.Error())
		}
		b.latencies = append(b.latencies, time.Since(begun))
		<-tick.C
	}
}

// stop fails the test if anybody noticed anything.
func (b *bystander) stop(t *testing.T) {
	t.Helper()
	b.end()
	b.done.Wait()
	slices.Sort(b.latencies)
	worst := b.latencies[len(b.latencies)-1]
	fmt.Printf("node: meanwhile %d requests for other objects took %.0f ms at the median, %.0f ms at most\n",
		len(b.latencies), b.latencies[len(b.latencies)/2].Seconds()*1000, worst.Seconds()*1000)
	if len(b.failures) > 0 || worst > bystanderPatience {
		t.Errorf("of %d requests for other objects the slowest took %s, and these failed: %q", len(b.latencies), worst, b.failures)
	}
	if b.lost {
		t.Error("a leader lost its lease")
	}
	b.checkEvents(t)
}

// checkEvents looks for warnings about others.
func (b *bystander) checkEvents(t *testing.T) {
	events, err := b.w.core.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events.Items {
		recent := event.CreationTimestamp.Add(time.Second).After(b.begun)
		if recent && event.Type == corev1.EventTypeWarning && event.InvolvedObject.Namespace != namespace {
			t.Errorf("an event about %s %s: %s: %s", event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Reason, event.Message)
		}
	}
}
