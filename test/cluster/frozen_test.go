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

	"annex.dev/annex/test/cluster/harness"
)

// frozenFor is longer than what clients, kube-apiserver and HTTP/2 pings wait for an answer.
const frozenFor = 35 * time.Second

// A process that does not run for a while, as on a machine that is paused or has no memory left, goes on where it was: informers end up
// with what there is, and see nothing impossible on the way.
func TestInformersSurviveAFrozenAnnex(t *testing.T) {
	w := needFaulty(t)
	b := w.annex()
	namespace := b.namespace(t)
	var stores []func() map[string]string
	var impossible []func() []string
	for range 5 {
		store, problems := runInformer(t, b, namespace)
		impossible = append(impossible, problems)
		stores = append(stores, func() map[string]string {
			versions := map[string]string{}
			for _, item := range store.List() {
				object := item.(*unstructured.Unstructured)
				versions[object.GetName()] = object.GetResourceVersion()
			}
			return versions
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	wait := inParallel(3, func(int) {
		for ctx.Err() == nil {
			_, _ = randomWrite(ctx, b, namespace, fmt.Sprintf("w-%d", rand.IntN(16)))
		}
	})
	moves(t, b, namespace)
	process := b.Annex.Process()
	if err := process.Freeze(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-time.After(frozenFor):
	case <-process.Done():
		t.Fatal("it ended while it was frozen")
	}
	if err := process.Thaw(); err != nil {
		t.Fatal(err)
	}
	moves(t, b, namespace)
	stop()
	wait()
	harness.Eventually(t, time.Minute, func() error {
		list, err := b.widgets(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		want := map[string]string{}
		for _, item := range list.Items {
			want[item.GetName()] = item.GetResourceVersion()
		}
		for i, versions := range stores {
			if got := versions(); !maps.Equal(got, want) {
				return fmt.Errorf("informer %d has %v, a list %v", i, got, want)
			}
		}
		return nil
	})
	for _, problems := range impossible {
		for _, text := range problems() {
			t.Error(text)
		}
	}
}
