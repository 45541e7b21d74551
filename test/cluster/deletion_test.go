package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"annex.dev/annex/test/cluster/harness"
)

const (
	// fullNamespace is how many objects the deleted namespace has, unless ANNEX_TEST_DELETED says so.
	fullNamespace = 10000
	// nativeShare is how many times fewer objects kube-apiserver deletes by itself: that takes it long.
	nativeShare = 5
	// heldEvery is how many objects there are for each that a finalizer holds.
	heldEvery = 500
	// deletionPatience bounds how long the namespace controller may take to delete them.
	deletionPatience = 3 * time.Minute
)

// Deleting a namespace full of objects costs no more where Annex has them. It runs alone, as it measures.
func TestDeletionOfAFullNamespace(t *testing.T) {
	count := fullNamespace
	if text := os.Getenv("ANNEX_TEST_DELETED"); text != "" {
		count = must(strconv.Atoi(text))(t)
	}
	costs := map[harness.BackendName]deletionCost{}
	forEach(t, inCluster, func(t *testing.T, b *backend) {
		objects := count
		if b.Name == harness.BackendNative {
			objects = count / nativeShare
		}
		costs[b.Name] = deleteFullNamespace(t, b, objects)
		fmt.Printf("cluster: deleting a namespace, %s: %s\n", b.Name, costs[b.Name])
	})
	native, annex := costs[harness.BackendNative], costs[harness.BackendAggregated]
	if native.objects > 0 && annex.objects > 0 && annex.perObject() > native.perObject() {
		t.Errorf("with Annex: %s; without: %s", annex, native)
	}
}

type deletionCost struct {
	objects    int
	seconds    float64 // until only what is held is left
	cpuSeconds float64 // of all servers, meanwhile
}

func (c deletionCost) perObject() float64 { return c.cpuSeconds / float64(c.objects) }

func (c deletionCost) String() string {
	return fmt.Sprintf("%d objects, %.1f s, %.2f ms of CPU time each", c.objects, c.seconds, 1000*c.perObject())
}

func deleteFullNamespace(t *testing.T, b *backend, count int) deletionCost {
	namespace := b.namespace(t)
	fill(t, b, namespace, count)
	held := count / heldEvery
	begun, cpu := time.Now(), b.serversCPU(t)
	if err := b.core.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, deletionPatience, func() error {
		// A page, as reading all of them again and again would be what is measured.
		list := must(b.widgets(namespace).List(t.Context(), metav1.ListOptions{Limit: int64(held) + 1}))(t)
		if len(list.Items) != held || list.Items[0].GetDeletionTimestamp() == nil {
			return errors.New("objects are left that nothing holds")
		}
		return nil
	})
	cost := deletionCost{count, time.Since(begun).Seconds(), b.serversCPU(t) - cpu}
	for i := range held {
		release := []byte(`{"metadata":{"finalizers":null}}`)
		must(b.widgets(namespace).Patch(t.Context(), fmt.Sprintf("w-%d", i*heldEvery), types.MergePatchType, release, metav1.PatchOptions{}))(t)
	}
	b.awaitNamespaceGone(t, namespace)
	return cost
}

// fill makes widgets, of which some have a finalizer.
func fill(t *testing.T, b *backend, namespace string, count int) {
	const writers = 8
	var next atomic.Int64
	inParallel(writers, func(int) {
		for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
			widget := b.widget(fmt.Sprintf("w-%d", i), "red", 1)
			if i%heldEvery == 0 {
				widget.SetFinalizers([]string{"example.dev/wait"})
			}
			if _, err := b.widgets(namespace).Create(t.Context(), widget, metav1.CreateOptions{}); err != nil {
				t.Error(err)
				return
			}
		}
	})()
	if t.Failed() {
		t.FailNow()
	}
}

// serversCPU is the time that everything has used that serves the backend.
func (b *backend) serversCPU(t *testing.T) float64 {
	var seconds float64
	for _, process := range b.Cluster.Processes() {
		seconds += cpuSeconds(t, process.Pid())
	}
	if b.Annex != nil {
		seconds += cpuSeconds(t, b.Annex.Process().Pid())
	}
	return seconds
}
