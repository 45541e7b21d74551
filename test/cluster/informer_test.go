package cluster_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	"annex.dev/annex/test/cluster/harness"
)

// setFeature switches a feature of client-go until the test ends. It holds for the whole process, so such a test cannot run
// in parallel with others.
func setFeature(t *testing.T, feature clientfeatures.Feature, on bool) {
	gates := clientfeatures.FeatureGates()
	before := gates.Enabled(feature)
	set := func(value bool) {
		if err := gates.(interface {
			Set(clientfeatures.Feature, bool) error
		}).Set(feature, value); err != nil {
			t.Fatal(err)
		}
	}
	set(on)
	t.Cleanup(func() { set(before) })
}

func TestInformersEndEqualToAList(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		for _, watchList := range []bool{false, true} {
			t.Run(fmt.Sprintf("with WatchListClient=%v, over restarts where Annex serves", watchList), func(t *testing.T) {
				setFeature(t, clientfeatures.WatchListClient, watchList)
				informerFollows(t, b)
			})
		}
	})
}

func informerFollows(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	for i := range 20 {
		b.create(t, namespace, b.widget(fmt.Sprintf("old-%02d", i), "red", 1))
	}
	store, impossible := runInformer(t, b, namespace)

	ctx, stop := context.WithCancel(t.Context())
	wait := inParallel(3, func(int) {
		for ctx.Err() == nil {
			// Failures are expected while Annex restarts; what counts is what the informer and a list say in the end.
			_, _ = randomWrite(ctx, b, namespace, fmt.Sprintf("w-%d", rand.IntN(16)))
		}
	})
	moves(t, b, namespace)
	if b.Annex != nil {
		if err := b.Annex.Restart(t.Context()); err != nil {
			t.Error(err)
		}
		moves(t, b, namespace)
		b.Annex.Kill()
		if err := b.Annex.Start(t.Context()); err != nil {
			t.Error(err)
		}
	}
	moves(t, b, namespace)
	stop()
	wait()

	harness.Eventually(t, 60*time.Second, func() error {
		list, err := b.widgets(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		want := map[string]string{}
		for _, item := range list.Items {
			want[item.GetName()] = item.GetResourceVersion()
		}
		got := map[string]string{}
		for _, item := range store.List() {
			got[item.(*unstructured.Unstructured).GetName()] = item.(*unstructured.Unstructured).GetResourceVersion()
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("the informer has %v, a list %v", got, want)
		}
		return nil
	})
	for _, text := range impossible() {
		t.Error(text)
	}
}

// runInformer starts an informer and waits until it is in sync. It returns its store and a function that tells which
// impossible changes its handlers saw.
func runInformer(t *testing.T, b *backend, namespace string) (cache.Store, func() []string) {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(b.dynamic, 0, namespace, nil)
	informer := factory.ForResource(b.resource("widgets")).Informer()
	var mutex sync.Mutex
	var problems []string
	note := func(format string, args ...any) {
		mutex.Lock()
		defer mutex.Unlock()
		problems = append(problems, fmt.Sprintf(format, args...))
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			from, to := before.(*unstructured.Unstructured), after.(*unstructured.Unstructured)
			was, wasErr := strconv.ParseUint(from.GetResourceVersion(), 10, 64)
			is, isErr := strconv.ParseUint(to.GetResourceVersion(), 10, 64)
			if wasErr != nil || isErr != nil || from.GetUID() == to.GetUID() && is < was {
				note("%s went from version %q to %q", to.GetName(), from.GetResourceVersion(), to.GetResourceVersion())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	factory.Start(ctx.Done())
	t.Cleanup(func() { stop(); factory.Shutdown() })
	if !cache.WaitForCacheSync(within(t, 30*time.Second).Done(), informer.HasSynced) {
		t.Fatal("the informer is not in sync after 30 s")
	}
	return informer.GetStore(), func() []string {
		mutex.Lock()
		defer mutex.Unlock()
		return problems
	}
}

// moves waits until writes by others have moved the resourceVersion of a namespace's widgets a hundred times or so.
func moves(t *testing.T, b *backend, namespace string) {
	t.Helper()
	newest := func() (uint64, error) {
		list, err := b.widgets(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return 0, err
		}
		var newest uint64
		for _, item := range list.Items {
			newest = max(newest, versionOf(t, &item))
		}
		return newest, nil
	}
	var before uint64
	harness.Eventually(t, 60*time.Second, func() (err error) { before, err = newest(); return err })
	harness.Eventually(t, 60*time.Second, func() error {
		now, err := newest()
		if err == nil && now < before+100 {
			err = fmt.Errorf("only moved from %d to %d", before, now)
		}
		return err
	})
}
