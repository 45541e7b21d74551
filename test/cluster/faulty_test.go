package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"annex.dev/annex/test/cluster/harness"
)

// faulty is a second cluster, for tests that take servers away from it: nothing else notices. One test at a time has it.
var faulty struct {
	sync.Mutex
	start sync.Once
	err   error
	*world
}

// needFaulty runs the test in parallel with others, and gives it the second cluster when its turn comes, with all servers running.
func needFaulty(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	if shared.backend(harness.BackendAggregated) == nil {
		t.Skip("the backend aggregated was not selected")
	}
	faulty.Lock()
	t.Cleanup(faulty.Unlock)
	faulty.start.Do(func() {
		// It says when it has loaded certificates.
		args := []string{"--vmodule=dynamic_serving_content=2,dynamic_cafile_content=2"}
		faulty.world = &world{dir: filepath.Join(shared.dir, "faulty"), args: args}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		faulty.err = faulty.world.start(ctx, inCluster)
	})
	if faulty.err != nil {
		t.Fatalf("the second cluster cannot be started: %v", faulty.err)
	}
	w := faulty.world
	harness.ShowLogOnFailure(t, w.annex().Annex.Process().LogPath())
	t.Cleanup(func() { w.mend(t) })
	return w
}

// stopFaulty ends the second cluster, if any test needed it.
func stopFaulty() {
	if faulty.world != nil {
		faulty.stop()
	}
}

func (w *world) annex() *backend { return w.backend(harness.BackendAggregated) }

// mend starts what a test has left stopped, so that the next one does not suffer.
func (w *world) mend(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	running := w.cluster.Processes()
	for name, restart := range map[string]func(context.Context) error{
		"kube-apiserver": w.cluster.StartAPIServer, "kube-controller-manager": w.startControllers,
	} {
		if process := running[name]; process == nil || !process.Running() {
			if err := restart(ctx); err != nil {
				t.Errorf("%s cannot be started again: %v", name, err)
			}
		} else if err := process.Thaw(); err != nil {
			t.Error(err)
		}
	}
	annex := w.annex().Annex
	if err := annex.Process().Thaw(); err == nil && annex.Process().Running() {
		return
	}
	if err := annex.Start(ctx); err != nil {
		t.Errorf("Annex cannot be started again: %v", err)
	}
}

// stopAnnex kills Annex and waits until kube-apiserver has noticed: from then on its group is unavailable.
func (w *world) stopAnnex(t *testing.T) {
	t.Helper()
	w.annex().Annex.Kill()
	w.awaitAvailability(t, "False")
}

func (w *world) startAnnex(t *testing.T) {
	t.Helper()
	if err := w.annex().Annex.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// awaitAvailability waits until kube-apiserver says that Annex's group is available ("True"), or is not. It looks by itself only
// twice a minute, but also when the object changes; a look takes up to six seconds, and is lost if the object changes meanwhile.
func (w *world) awaitAvailability(t *testing.T, want string) {
	t.Helper()
	b := w.annex()
	services := b.dynamic.Resource(harness.APIServiceResource)
	name := "v1." + b.Domain
	for range 5 {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"example.dev/look":"%d"}}}`, time.Now().UnixNano())
		must(services.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}))(t)
		err := harness.Poll(within(t, 8*time.Second), func() error {
			object, err := services.Get(t.Context(), name, metav1.GetOptions{})
			if err == nil && conditionOf(object, "Available") != want {
				err = fmt.Errorf("it is available: %q", conditionOf(object, "Available"))
			}
			return err
		})
		if err == nil {
			return
		}
	}
	t.Fatalf("kube-apiserver does not say that availability is %q", want)
}

// conditionOf returns the status of a condition, "" if the object has no such condition.
func conditionOf(object *unstructured.Unstructured, name string) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && fields["type"] == name {
			return fmt.Sprint(fields["status"])
		}
	}
	return ""
}
