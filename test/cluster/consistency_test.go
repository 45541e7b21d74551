package cluster_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"annex.dev/annex/test/cluster/harness"
)

// An operator's informers follow a kind for hours; a watch of theirs lives five to ten minutes. Three minutes of watches that
// live five to fifteen seconds are as many beginnings as two hours have.
const (
	consistencyTime    = 3 * time.Minute
	consistencyWriters = 4
	consistencyPause   = 15 * time.Millisecond // between two writes of a writer, so that other tests get their share
	shortestWatch      = 5
	longestWatch       = 15
)

// selection is what one informer follows.
type selection struct {
	namespace, labels, fields string
}

// selections returns twenty that overlap in all ways: everything, namespaces, labels, fields, both.
func selections(namespaces [2]string) []selection {
	all := []selection{{}, {namespaces[0], "", ""}, {namespaces[1], "", ""}}
	for _, fields := range []string{
		"spec.color=red", "spec.color!=red", "spec.size=3", "spec.color=green,spec.size!=1", "metadata.name=w-5", "metadata.namespace=" + namespaces[0],
	} {
		all = append(all, selection{"", "", fields}, selection{namespaces[0], "", fields})
	}
	for _, labels := range []string{"team=a", "team!=a", "team in (a,b),tier", "!tier"} {
		all = append(all, selection{"", labels, ""})
	}
	return append(all, selection{"", "team=a", "spec.color=red"})
}

func TestTwentyInformersEndEqualToLists(t *testing.T) {
	forEachAtOnce(t, everywhere, func(t *testing.T, b *backend) {
		namespaces := [2]string{b.namespace(t), b.namespace(t)}
		followers := map[selection]cache.Store{}
		for _, s := range selections(namespaces) {
			followers[s] = follow(t, b, s)
		}
		if len(followers) != 20 {
			t.Fatalf("%d informers", len(followers))
		}
		writes := shuffle(t, b, namespaces)
		for s, store := range followers {
			harness.Eventually(t, 30*time.Second, func() error { return equalToList(t.Context(), b, s, store) })
		}
		t.Logf("%d writes", writes)
	})
}

// follow starts an informer whose watches end early, and waits until it is in sync.
func follow(t *testing.T, b *backend, s selection) cache.Store {
	tweak := func(options *metav1.ListOptions) {
		options.LabelSelector, options.FieldSelector = s.labels, s.fields
		if options.TimeoutSeconds != nil { // a watch
			life := int64(shortestWatch + rand.IntN(longestWatch-shortestWatch+1))
			options.TimeoutSeconds = &life
		}
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(b.dynamic, b.resource("widgets"), s.namespace, 0, cache.Indexers{}, tweak).Informer()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(within(t, 60*time.Second).Done(), informer.HasSynced) {
		t.Fatalf("the informer of %+v is not in sync", s)
	}
	return informer.GetStore()
}

// shuffle writes at random for as long as the test lasts, and returns how many writes succeeded.
func shuffle(t *testing.T, b *backend, namespaces [2]string) int {
	ctx, stop := context.WithTimeout(t.Context(), consistencyTime)
	defer stop()
	counts := make([]int, consistencyWriters)
	inParallel(consistencyWriters, func(i int) {
		for ctx.Err() == nil {
			if shuffleOne(ctx, b, namespaces[rand.IntN(2)], fmt.Sprintf("w-%d", rand.IntN(40))) == nil {
				counts[i]++
			}
			time.Sleep(consistencyPause)
		}
	})()
	sum := 0
	for _, count := range counts {
		sum += count
	}
	if least := int(consistencyTime.Seconds()); sum < least {
		t.Fatalf("only %d writes succeeded, less than %d: too few to show anything", sum, least)
	}
	return sum
}

// shuffleOne makes one random write. That it fails, as the object is not there or there already, is part of the game.
func shuffleOne(ctx context.Context, b *backend, namespace, name string) error {
	widgets := b.widgets(namespace)
	color := []string{"red", "green", "blue"}[rand.IntN(3)]
	switch rand.IntN(10) {
	case 0, 1:
		widget := b.widget(name, color, 1+rand.Int64N(4))
		widget.SetLabels(map[string]string{"team": []string{"a", "b", "c"}[rand.IntN(3)]})
		_, err := widgets.Create(ctx, widget, metav1.CreateOptions{})
		return err
	case 2:
		return widgets.Delete(ctx, name, metav1.DeleteOptions{})
	case 3:
		_, err := widgets.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"status":{"phase":"%s"}}`, color), metav1.PatchOptions{}, "status")
		return err
	case 4:
		tier := []string{`"front"`, `null`}[rand.IntN(2)]
		_, err := widgets.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"tier":%s}}}`, tier), metav1.PatchOptions{})
		return err
	case 5:
		if rand.IntN(20) == 0 {
			return widgets.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "spec.color=" + color})
		}
		fallthrough
	default:
		patch := fmt.Appendf(nil, `{"spec":{"color":"%s","size":%d}}`, color, 1+rand.IntN(4))
		_, err := widgets.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

// equalToList compares what an informer has with a list of what it selects.
func equalToList(ctx context.Context, b *backend, s selection, store cache.Store) error {
	list, err := b.widgets(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: s.labels, FieldSelector: s.fields})
	if err != nil {
		return err
	}
	want := versions(list.Items)
	var items []unstructured.Unstructured
	for _, item := range store.List() {
		items = append(items, *item.(*unstructured.Unstructured))
	}
	if got := versions(items); !maps.Equal(got, want) {
		return fmt.Errorf("the informer of %+v has %v, a list %v", s, got, want)
	}
	return nil
}

// versions returns the resourceVersion of each object.
func versions(objects []unstructured.Unstructured) map[string]string {
	found := map[string]string{}
	for _, object := range objects {
		found[object.GetNamespace()+"/"+object.GetName()] = object.GetResourceVersion()
	}
	return found
}
