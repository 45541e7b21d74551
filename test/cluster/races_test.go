package cluster_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// How many clients want the same object at once, and how often each of them.
const (
	racers = 8
	rounds = 12
)

// Several clients write one object at the same time. Who names no resourceVersion is served, however often somebody else was
// faster; who names one is told 409 if it no longer holds. Nobody's write gets lost, and nobody is answered with a 5xx.
func TestClientsRaceForAnObject(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		t.Run("patches without a resourceVersion all count", func(t *testing.T) { patchesAllCount(t, b) })
		t.Run("updates count up without a gap", func(t *testing.T) { updatesCountUp(t, b) })
		t.Run("of patches with one resourceVersion one counts", func(t *testing.T) { onePatchCounts(t, b) })
		t.Run("JSON patches that test what they change count up without a gap", func(t *testing.T) { testedPatchesCountUp(t, b) })
		t.Run("applies of different fields all count", func(t *testing.T) { appliesAllCount(t, b) })
		t.Run("of applies that create an object one does", func(t *testing.T) { oneApplyCreates(t, b) })
		t.Run("of creations of one name one does", func(t *testing.T) { oneCreates(t, b) })
		t.Run("status, scale and the rest of an object do not hinder each other", func(t *testing.T) { partsDoNotHinder(t, b) })
		t.Run("of deletions one deletes", func(t *testing.T) { oneDeletes(t, b) })
		t.Run("who removes the last finalizer deletes once", func(t *testing.T) { lastFinalizer(t, b) })
		t.Run("a deletion between patches ends them with NotFound", func(t *testing.T) { deletionEndsPatches(t, b) })
	})
}

// race calls do for every racer at once, and returns their errors.
func race(do func(racer int) error) []error {
	errs := make([]error, racers)
	inParallel(racers, func(i int) { errs[i] = do(i) })()
	return errs
}

// checkOneWon checks that one racer had no error, and the others had one that lost is true for.
func checkOneWon(t *testing.T, errs []error, lost func(error) bool) {
	t.Helper()
	won := 0
	for i, err := range errs {
		switch {
		case err == nil:
			won++
		case !lost(err):
			t.Errorf("racer %d: %v", i, err)
		}
	}
	if won != 1 {
		t.Errorf("%d won, want 1", won)
	}
}

func checkNoErrors(t *testing.T, errs []error) {
	t.Helper()
	for i, err := range errs {
		if err != nil {
			t.Errorf("racer %d: %v", i, err)
		}
	}
}

func (b *backend) patch(t *testing.T, namespace, name string, kind types.PatchType, body string, subresources ...string) error {
	_, err := b.widgets(namespace).Patch(t.Context(), name, kind, []byte(body), metav1.PatchOptions{}, subresources...)
	return err
}

func patchesAllCount(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	first := b.create(t, namespace, b.widget("shared", "red", 1))
	checkNoErrors(t, race(func(racer int) error {
		for round := range rounds {
			body := fmt.Sprintf(`{"metadata":{"labels":{"l%d-%d":"x"}},"spec":{"settings":{"s%d-%d":"x"}}}`, racer, round, racer, round)
			if err := b.patch(t, namespace, "shared", types.MergePatchType, body); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	}))
	last := must(b.widgets(namespace).Get(t.Context(), "shared", metav1.GetOptions{}))(t)
	settings, _, _ := unstructured.NestedStringMap(last.Object, "spec", "settings")
	if len(settings) != racers*rounds || len(last.GetLabels()) != racers*rounds {
		t.Errorf("%d settings and %d labels are left of %d", len(settings), len(last.GetLabels()), racers*rounds)
	}
	checkField(t, last, int(first.GetGeneration())+racers*rounds, "metadata", "generation")
}

// increment reads the object, and writes it back with a size that is one higher, until nobody was faster.
func increment(t *testing.T, b *backend, namespace string) error {
	widgets := b.widgets(namespace)
	for {
		widget, err := widgets.Get(t.Context(), "shared", metav1.GetOptions{})
		if err != nil {
			return err
		}
		size, _, _ := unstructured.NestedInt64(widget.Object, "spec", "size")
		if err := unstructured.SetNestedField(widget.Object, size+1, "spec", "size"); err != nil {
			return err
		}
		if _, err = widgets.Update(t.Context(), widget, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return err
		}
	}
}

func updatesCountUp(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("shared", "red", 1))
	checkNoErrors(t, race(func(int) error {
		for range rounds {
			if err := increment(t, b, namespace); err != nil {
				return err
			}
		}
		return nil
	}))
	last := must(b.widgets(namespace).Get(t.Context(), "shared", metav1.GetOptions{}))(t)
	checkField(t, last, 1+racers*rounds, "spec", "size")
}

func onePatchCounts(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	version := b.create(t, namespace, b.widget("shared", "red", 1)).GetResourceVersion()
	checkOneWon(t, race(func(racer int) error {
		body := fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"size":%d}}`, version, 100+racer)
		return b.patch(t, namespace, "shared", types.MergePatchType, body)
	}), apierrors.IsConflict)
}

func testedPatchesCountUp(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("shared", "red", 1))
	checkNoErrors(t, race(func(int) error {
		for size := 1; size <= rounds; {
			body := fmt.Sprintf(`[{"op":"test","path":"/spec/size","value":%d},{"op":"replace","path":"/spec/size","value":%d}]`, size, size+1)
			err := b.patch(t, namespace, "shared", types.JSONPatchType, body)
			if err != nil && !apierrors.IsInvalid(err) {
				return err
			}
			size++ // whoever did it, it is done
		}
		return nil
	}))
	last := must(b.widgets(namespace).Get(t.Context(), "shared", metav1.GetOptions{}))(t)
	checkField(t, last, rounds+1, "spec", "size")
}

func appliesAllCount(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("shared", "red", 1))
	checkNoErrors(t, race(func(racer int) error {
		manager := fmt.Sprintf("racer-%d", racer)
		for round := range rounds {
			widget := b.object("Widget", "shared", map[string]any{"settings": map[string]any{manager: strconv.Itoa(round)}})
			if _, err := b.widgets(namespace).Apply(t.Context(), "shared", widget, metav1.ApplyOptions{FieldManager: manager}); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	}))
	last := must(b.widgets(namespace).Get(t.Context(), "shared", metav1.GetOptions{}))(t)
	want := map[string]any{}
	for racer := range racers {
		want[fmt.Sprintf("racer-%d", racer)] = strconv.Itoa(rounds - 1)
	}
	checkField(t, last, want, "spec", "settings")
	if entries := last.GetManagedFields(); len(entries) != racers+1 {
		t.Errorf("the fields have %d owners, want %d: %s", len(entries), racers+1, toJSON(entries))
	}
}

func oneApplyCreates(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	checkNoErrors(t, race(func(racer int) error {
		manager := fmt.Sprintf("racer-%d", racer)
		widget := b.object("Widget", "new", map[string]any{"size": int64(1), "settings": map[string]any{manager: "x"}})
		_, err := b.widgets(namespace).Apply(t.Context(), "new", widget, metav1.ApplyOptions{FieldManager: manager})
		return err
	}))
	created := must(b.widgets(namespace).Get(t.Context(), "new", metav1.GetOptions{}))(t)
	if entries := created.GetManagedFields(); len(entries) != racers {
		t.Errorf("the fields have %d owners, want %d", len(entries), racers)
	}
	checkField(t, created, racers, "metadata", "generation")
}

func oneCreates(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	checkOneWon(t, race(func(racer int) error {
		_, err := b.widgets(namespace).Create(t.Context(), b.widget("new", "red", int64(racer+1)), metav1.CreateOptions{})
		return err
	}), apierrors.IsAlreadyExists)
}

func partsDoNotHinder(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("shared", "red", 1))
	writes := []func(round int) error{
		func(round int) error {
			return b.patch(t, namespace, "shared", types.MergePatchType, fmt.Sprintf(`{"status":{"observedGeneration":%d}}`, round), "status")
		},
		func(round int) error {
			return b.patch(t, namespace, "shared", types.MergePatchType, fmt.Sprintf(`{"spec":{"replicas":%d}}`, round), "scale")
		},
		func(round int) error {
			return b.patch(t, namespace, "shared", types.MergePatchType, fmt.Sprintf(`{"spec":{"size":%d}}`, round))
		},
		func(round int) error {
			return b.patch(t, namespace, "shared", types.MergePatchType, fmt.Sprintf(`{"metadata":{"annotations":{"round":"%d"}}}`, round))
		},
	}
	checkNoErrors(t, race(func(racer int) error {
		for round := 1; round <= rounds; round++ {
			if err := writes[racer%len(writes)](round); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	}))
	last := must(b.widgets(namespace).Get(t.Context(), "shared", metav1.GetOptions{}))(t)
	checkField(t, last, rounds, "status", "observedGeneration")
	checkField(t, last, rounds, "spec", "replicas")
	checkField(t, last, rounds, "spec", "size")
	checkField(t, last, strconv.Itoa(rounds), "metadata", "annotations", "round")
}

func oneDeletes(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	uid := b.create(t, namespace, b.widget("shared", "red", 1)).GetUID()
	checkOneWon(t, race(func(racer int) error {
		options := metav1.DeleteOptions{}
		if racer%2 == 0 {
			options.Preconditions = &metav1.Preconditions{UID: &uid}
		}
		return b.widgets(namespace).Delete(t.Context(), "shared", options)
	}), apierrors.IsNotFound)
}

func lastFinalizer(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	widget := b.widget("shared", "red", 1)
	for racer := range racers {
		widget.SetFinalizers(append(widget.GetFinalizers(), fmt.Sprintf("example.dev/f%d", racer)))
	}
	b.create(t, namespace, widget)
	widgets := b.widgets(namespace)
	if err := widgets.Delete(t.Context(), "shared", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	remove := func(racer int) error {
		for {
			object, err := widgets.Get(t.Context(), "shared", metav1.GetOptions{})
			if err != nil {
				return err
			}
			var rest []string
			for _, finalizer := range object.GetFinalizers() {
				if finalizer != fmt.Sprintf("example.dev/f%d", racer) {
					rest = append(rest, finalizer)
				}
			}
			object.SetFinalizers(rest)
			if _, err = widgets.Update(t.Context(), object, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				return err
			}
		}
	}
	checkNoErrors(t, race(remove))
	if _, err := widgets.Get(t.Context(), "shared", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: got %v, want NotFound", err)
	}
}

func deletionEndsPatches(t *testing.T, b *backend) {
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("shared", "red", 1))
	var begun sync.WaitGroup
	begun.Add(racers - 1)
	errs := race(func(racer int) error {
		if racer == 0 {
			begun.Wait()
			return b.widgets(namespace).Delete(t.Context(), "shared", metav1.DeleteOptions{})
		}
		for round := 0; ; round++ {
			err := b.patch(t, namespace, "shared", types.MergePatchType, fmt.Sprintf(`{"spec":{"settings":{"s%d":"%d"}}}`, racer, round))
			if round == 0 {
				begun.Done()
			}
			if apierrors.IsNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	checkNoErrors(t, errs)
}
