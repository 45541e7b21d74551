package node_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"annex.dev/annex/test/cluster/harness"
)

const (
	writers = 4
	// A writer that is refused tries again so soon.
	retryAfter = 10 * time.Millisecond
	// The aim is two seconds, of which kubelet takes most after a crash. The bounds leave room for a busy machine.
	awayAtMost           = 5 * time.Second
	awayAtMostAfterCrash = 8 * time.Second
)

var caches = schema.GroupVersionResource{Group: "samples.annex.dev", Version: "v1", Resource: "caches"}

// load is some clients that create objects as fast as they can, and one informer that follows.
type load struct {
	w         *world
	client    dynamic.ResourceInterface
	namespace string
	informer  cache.SharedIndexInformer
	end       context.CancelFunc
	writers   sync.WaitGroup

	mutex        sync.Mutex
	acknowledged []string
	last         time.Time     // of the last acknowledgement
	away         time.Duration // the longest time without one
}

func startLoad(t *testing.T, w *world, name string) *load {
	t.Helper()
	_, err := w.core.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(w.dynamic, 0, name, nil)
	l := &load{
		w: w, client: w.dynamic.Resource(caches).Namespace(name), namespace: name,
		informer: factory.ForResource(caches).Informer(), end: cancel, last: time.Now(),
	}
	informerContext, stopInformer := context.WithCancel(context.Background())
	t.Cleanup(stopInformer)
	go l.informer.Run(informerContext.Done())
	for i := range writers {
		l.writers.Add(1)
		go func() {
			defer l.writers.Done()
			l.write(ctx, i)
		}()
	}
	return l
}

func (l *load) write(ctx context.Context, writer int) {
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("w%d-%06d", writer, i)
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "samples.annex.dev/v1", "kind": "Cache", "metadata": map[string]any{"name": name}, "spec": map[string]any{"size": int64(i)},
		}}
		for ctx.Err() == nil {
			// Not ended with the load: what is under way then is waited for.
			_, err := l.client.Create(context.WithoutCancel(ctx), object, metav1.CreateOptions{})
			// An answer that was lost on its way: the object is there all the same.
			if err == nil || apierrors.IsAlreadyExists(err) {
				l.acknowledge(name)
				break
			}
			time.Sleep(retryAfter)
		}
	}
}

func (l *load) acknowledge(name string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := time.Now()
	l.away = max(l.away, now.Sub(l.last))
	l.last = now
	l.acknowledged = append(l.acknowledged, name)
}

func (l *load) count() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.acknowledged)
}

// runFor waits until the load has been acknowledged for some time.
func (l *load) runFor(t *testing.T, duration time.Duration) {
	t.Helper()
	before := l.count()
	harness.Eventually(t, 60*time.Second, func() error {
		if l.count() == before {
			return fmt.Errorf("no write is acknowledged")
		}
		return nil
	})
	begun := time.Now()
	harness.Eventually(t, duration+time.Minute, func() error {
		if time.Since(begun) < duration {
			return fmt.Errorf("still writing")
		}
		return nil
	})
}

// stop ends the writers, checks that everything acknowledged is there and that the informer knows it, and returns for how long
// nothing was acknowledged at most.
func (l *load) stop(t *testing.T) time.Duration {
	t.Helper()
	l.end()
	l.writers.Wait()
	list, err := l.client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, object := range list.Items {
		there[object.GetName()] = true
	}
	for _, name := range l.acknowledged {
		if !there[name] {
			t.Errorf("%s was acknowledged and is lost", name)
		}
	}
	harness.Eventually(t, 30*time.Second, func() error {
		if known := len(l.informer.GetStore().ListKeys()); known != len(list.Items) {
			return fmt.Errorf("the informer knows %d of %d objects", known, len(list.Items))
		}
		return nil
	})
	t.Logf("%d writes acknowledged, %d objects", len(l.acknowledged), len(list.Items))
	return l.away
}
