package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// event is what a watch must deliver for one write.
type event struct {
	kind    watch.EventType
	name    string
	version uint64 // 0 for a deletion that was not seen by its writer
}

func (e event) String() string { return fmt.Sprintf("%s %s@%d", e.kind, e.name, e.version) }

// eventOf fails the test for an event that is not about an object.
func eventOf(t testing.TB, e watch.Event) event {
	t.Helper()
	object, ok := e.Object.(*unstructured.Unstructured)
	if !ok || e.Type == watch.Error {
		t.Fatalf("event %s: %s", e.Type, toJSON(e.Object))
	}
	return event{kind: e.Type, name: object.GetName(), version: versionOf(t, object)}
}

func versionOf(t testing.TB, object interface{ GetResourceVersion() string }) uint64 {
	t.Helper()
	return must(strconv.ParseUint(object.GetResourceVersion(), 10, 64))(t)
}

// next returns the next event of a watch and fails the test if none comes.
func next(t testing.TB, w watch.Interface) watch.Event {
	t.Helper()
	select {
	case e, open := <-w.ResultChan():
		if !open {
			t.Fatal("the watch ended")
		}
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("no event within 20 s")
	}
	panic("unreachable")
}

func startWatch(t testing.TB, widgets dynamic.ResourceInterface, options metav1.ListOptions) watch.Interface {
	t.Helper()
	w := must(widgets.Watch(t.Context(), options))(t)
	t.Cleanup(w.Stop)
	return w
}

func TestWatchDeliversEveryEventOnceInOrder(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		widgets := b.widgets(namespace)
		start := must(widgets.List(t.Context(), metav1.ListOptions{}))(t).GetResourceVersion()
		early := startWatch(t, widgets, metav1.ListOptions{ResourceVersion: start})

		written := writeConcurrently(t, b, namespace, 6, 60)
		last := b.create(t, namespace, b.widget("last", "red", 1)).GetResourceVersion()
		written = append(written, event{watch.Added, "last", must(strconv.ParseUint(last, 10, 64))(t)})

		all := collectUntil(t, early, "last")
		t.Run("a watch opened before the writes has them all", func(t *testing.T) { checkHistory(t, all, written) })
		t.Run("a watch from any version between has the rest", func(t *testing.T) {
			for range 20 {
				cut := rand.IntN(len(all))
				w := startWatch(t, widgets, metav1.ListOptions{ResourceVersion: fmt.Sprint(all[cut].version)})
				if cut == len(all)-1 {
					continue // nothing is left to wait for
				}
				if rest := collectUntil(t, w, "last"); !slices.Equal(rest, all[cut+1:]) {
					t.Errorf("watch from %d: %v\nwant %v", all[cut].version, rest, all[cut+1:])
				}
				w.Stop()
			}
		})
		t.Run("a watch with a selector sees objects come and go", func(t *testing.T) { selectiveWatch(t, b) })
		t.Run("a watch without a version begins with what is there", func(t *testing.T) {
			w := startWatch(t, widgets, metav1.ListOptions{FieldSelector: "metadata.name=last"})
			if got := eventOf(t, next(t, w)); got.kind != watch.Added || fmt.Sprint(got.version) != last {
				t.Errorf("got %s", got)
			}
		})
		t.Run("a watch with initial events marks their end", func(t *testing.T) { initialEventsEnd(t, b, namespace) })
		t.Run("a watch ends after timeoutSeconds", func(t *testing.T) { watchTimesOut(t, widgets) })
		t.Run("a watch of a version from the future is no error", func(t *testing.T) {
			w := startWatch(t, widgets, metav1.ListOptions{ResourceVersion: "999999999", TimeoutSeconds: seconds(1)})
			for e := range w.ResultChan() {
				t.Errorf("got event %s: %s", e.Type, toJSON(e.Object))
			}
		})
	})
}

// writeConcurrently lets writers create, change and delete widgets of a few common names, and returns an event for each
// write that was acknowledged.
func writeConcurrently(t *testing.T, b *backend, namespace string, writers, writes int) []event {
	var mutex sync.Mutex
	var written []event
	inParallel(writers, func(int) {
		for range writes {
			done, err := randomWrite(t.Context(), b, namespace, fmt.Sprintf("w-%d", rand.IntN(8)))
			switch {
			case err == nil:
				mutex.Lock()
				written = append(written, done)
				mutex.Unlock()
			case !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err):
				t.Errorf("write: %v", err)
			}
		}
	})()
	return written
}

func randomWrite(ctx context.Context, b *backend, namespace, name string) (event, error) {
	widgets := b.widgets(namespace)
	kind := watch.Modified
	var object *unstructured.Unstructured
	var err error
	switch rand.IntN(5) {
	case 0:
		return event{kind: watch.Deleted, name: name}, widgets.Delete(ctx, name, metav1.DeleteOptions{})
	case 1:
		kind = watch.Added
		object, err = widgets.Create(ctx, b.widget(name, "red", 1), metav1.CreateOptions{})
	default:
		patch := fmt.Appendf(nil, `{"spec":{"message":"%d"}}`, rand.Int64())
		object, err = widgets.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		return event{}, err
	}
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	return event{kind: kind, name: name, version: version}, err
}

func collectUntil(t *testing.T, w watch.Interface, name string) []event {
	t.Helper()
	var all []event
	for {
		e := eventOf(t, next(t, w))
		all = append(all, e)
		if e.name == name {
			return all
		}
	}
}

// checkHistory compares what a watch delivered with what writers were told. Deletions are compared by count, as their
// writers do not learn a version.
func checkHistory(t *testing.T, delivered, written []event) {
	t.Helper()
	if len(written) < 100 {
		t.Fatalf("only %d writes succeeded: too few to show anything", len(written))
	}
	for i := 1; i < len(delivered); i++ {
		if delivered[i].version <= delivered[i-1].version {
			t.Errorf("%s came after %s", delivered[i], delivered[i-1])
		}
	}
	count := map[event]int{}
	for _, e := range written {
		count[e]++
	}
	for _, e := range delivered {
		if e.kind == watch.Deleted {
			e.version = 0
		}
		count[e]--
	}
	for e, n := range count {
		if n > 0 {
			t.Errorf("%s was acknowledged, but is missing in the watch %d times", e, n)
		} else if n < 0 {
			t.Errorf("%s is in the watch %d times too often", e, -n)
		}
	}
	exists := map[string]bool{}
	for _, e := range delivered {
		if (e.kind == watch.Added) == exists[e.name] {
			t.Errorf("%s, but the object existed before: %v", e, exists[e.name])
		}
		exists[e.name] = e.kind != watch.Deleted
	}
}

func selectiveWatch(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	widgets := b.widgets(namespace)
	start := must(widgets.List(t.Context(), metav1.ListOptions{}))(t).GetResourceVersion()
	byField := startWatch(t, widgets, metav1.ListOptions{ResourceVersion: start, FieldSelector: "spec.color=red"})
	byLabel := startWatch(t, widgets, metav1.ListOptions{ResourceVersion: start, LabelSelector: "seen=yes"})
	patch := func(body string) {
		must(widgets.Patch(t.Context(), "moving", types.MergePatchType, []byte(body), metav1.PatchOptions{}))(t)
	}
	b.create(t, namespace, b.widget("moving", "green", 1))
	patch(`{"spec":{"color":"red"},"metadata":{"labels":{"seen":"yes"}}}`)
	patch(`{"spec":{"size":2}}`)
	patch(`{"spec":{"color":"green"},"metadata":{"labels":{"seen":"no"}}}`)
	patch(`{"spec":{"color":"red"},"metadata":{"labels":{"seen":"yes"}}}`)
	if err := widgets.Delete(t.Context(), "moving", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]watch.Interface{"field selector": byField, "label selector": byLabel} {
		var kinds []watch.EventType
		for range 5 {
			e := next(t, w)
			kinds = append(kinds, e.Type)
			if e.Type == watch.Deleted {
				// It shows the last state that matched.
				checkField(t, e.Object.(*unstructured.Unstructured), "red", "spec", "color")
			}
		}
		want := []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Added, watch.Deleted}
		if !slices.Equal(kinds, want) {
			t.Errorf("%s: %v, want %v", name, kinds, want)
		}
	}
}

func initialEventsEnd(t *testing.T, b *backend, namespace string) {
	yes := true
	w := startWatch(t, b.widgets(namespace), metav1.ListOptions{
		SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	list := must(b.widgets(namespace).List(t.Context(), metav1.ListOptions{}))(t)
	for range list.Items {
		if got := eventOf(t, next(t, w)); got.kind != watch.Added {
			t.Errorf("got %s among the initial events", got)
		}
	}
	end := next(t, w)
	object, ok := end.Object.(*unstructured.Unstructured)
	if !ok || end.Type != watch.Bookmark || object.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
		t.Fatalf("after %d initial events came %s: %s", len(list.Items), end.Type, toJSON(end.Object))
	}
	if versionOf(t, object) < versionOf(t, list) {
		t.Errorf("the bookmark is at %s, older than %s", object.GetResourceVersion(), list.GetResourceVersion())
	}
}

func watchTimesOut(t *testing.T, widgets dynamic.ResourceInterface) {
	version := must(widgets.List(t.Context(), metav1.ListOptions{}))(t).GetResourceVersion()
	w := startWatch(t, widgets, metav1.ListOptions{ResourceVersion: version, TimeoutSeconds: seconds(1)})
	deadline := time.After(10 * time.Second)
	for {
		select {
		case e, open := <-w.ResultChan():
			if !open {
				return
			}
			if e.Type == watch.Error {
				t.Errorf("the watch ended with an error: %s", toJSON(e.Object))
			}
		case <-deadline:
			t.Fatal("the watch is still open after 10 s")
		}
	}
}

func seconds(n int64) *int64 { return &n }
