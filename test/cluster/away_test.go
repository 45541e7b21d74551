package cluster_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// What the cluster's controllers do while Annex does not answer, and afterwards.

// awayPatience covers that controllers which found a group missing look for it again every 30 seconds.
const awayPatience = 2 * time.Minute

func TestNothingIsCollectedWronglyWhileAnnexIsAway(t *testing.T) {
	world := needFaulty(t)
	w := newWorlds(world.backend(harness.BackendNative), world.annex())
	var living, dying []*clan
	for _, owner := range w.owners {
		for _, clans := range []*[]*clan{&living, &dying} {
			c := w.newClan(t, owner)
			c.addDependents(t, referTo(c.owner, true))
			*clans = append(*clans, c)
		}
	}
	inAnnex := func(c *clan) bool { return c.kind.resource.Group == world.annex().Domain }
	for _, c := range dying {
		if inAnnex(c) {
			c.deleteOwner(t, metav1.DeletePropagationBackground)
		}
	}
	world.stopAnnex(t)
	// A collector that has just started knows nothing, and asks about every owner.
	world.cluster.StopControllerManager()
	for _, c := range dying {
		if !inAnnex(c) {
			c.deleteOwner(t, metav1.DeletePropagationBackground)
		}
	}
	if err := world.startControllers(t.Context()); err != nil {
		t.Fatal(err)
	}
	// It is at work when it has collected what it can: the dependents in etcd of owners in etcd. What it must not touch it has seen by
	// then, as it begins with everything there is.
	for _, c := range dying {
		if !inAnnex(c) {
			c.awaitGone(t, configMaps)
		}
	}
	for _, c := range living {
		for _, s := range c.dependent[:2] {
			if _, err := c.of(s, c.namespace).Get(t.Context(), "dependent", metav1.GetOptions{}); err != nil {
				t.Errorf("while Annex was away, of an owner that is a %s: %v", c.kind.name, err)
			}
		}
	}
	world.startAnnex(t)
	for _, c := range dying {
		for _, s := range c.dependent {
			c.awaitGone(t, s)
		}
	}
	for _, c := range living {
		if left := c.remaining(t); len(left) != len(c.dependent) {
			t.Errorf("an owner that is a %s has only %q left", c.kind.name, left)
		}
	}
}

func (c *clan) awaitGone(t *testing.T, s species) {
	t.Helper()
	harness.Eventually(t, awayPatience, func() error {
		_, err := c.of(s, c.namespace).Get(t.Context(), "dependent", metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("the %s of a %s is not gone: %v", s.name, c.kind.name, err)
		}
		return nil
	})
}

func TestANamespaceWaitsForAnnex(t *testing.T) {
	w := needFaulty(t)
	b := w.annex()
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("left", "red", 1))
	must(b.core.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{}))(t)
	w.stopAnnex(t)
	if err := b.core.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Run("its conditions name the group that cannot be asked", func(t *testing.T) {
		harness.Eventually(t, awayPatience, func() error {
			object := must(b.core.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{}))(t)
			for _, condition := range object.Status.Conditions {
				unasked := condition.Type == corev1.NamespaceDeletionDiscoveryFailure || condition.Type == corev1.NamespaceDeletionContentFailure
				if unasked && condition.Status == corev1.ConditionTrue && strings.Contains(condition.Message, b.Domain) {
					return nil
				}
			}
			return fmt.Errorf("conditions are %s", toJSON(object.Status.Conditions))
		})
	})
	t.Run("what others serve goes meanwhile", func(t *testing.T) {
		harness.Eventually(t, awayPatience, func() error {
			_, err := b.core.CoreV1().ConfigMaps(namespace).Get(t.Context(), "c", metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				return fmt.Errorf("the ConfigMap is not gone: %v", err)
			}
			return nil
		})
	})
	w.startAnnex(t)
	t.Run("it goes once Annex is back, with its objects", func(t *testing.T) {
		harness.Eventually(t, awayPatience, func() error {
			if _, err := b.core.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				return fmt.Errorf("it is not gone: %v", err)
			}
			return nil
		})
		if _, err := b.widgets(namespace).Get(t.Context(), "left", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the widget is not gone: %v", err)
		}
	})
}

// A 404 would tell the garbage collector that an owner is gone. Whoever asks while Annex ends, is not there, begins or reads its
// definitions gets the object, or no answer.
func TestARestartHidesNoObject(t *testing.T) {
	w := needFaulty(t)
	b := w.annex()
	namespace := b.namespace(t)
	b.create(t, namespace, b.widget("here", "red", 1))
	url := fmt.Sprintf("%s/apis/%s/v1/namespaces/%s/widgets/here", b.config.Host, b.Domain, namespace)
	client := must(rest.HTTPClientFor(b.config))(t)
	const askers = 4
	var mutex sync.Mutex
	codes := map[int]int{}
	stop := make(chan struct{})
	wait := inParallel(askers, func(int) {
		for {
			select {
			case <-stop:
				return
			default:
			}
			answer, err := client.Get(url)
			if err != nil {
				t.Error(err)
				return
			}
			_ = answer.Body.Close()
			mutex.Lock()
			codes[answer.StatusCode]++
			mutex.Unlock()
		}
	})
	for round := range 6 {
		if round%2 == 0 {
			b.Annex.Kill()
		} else if err := b.Annex.Stop(); err != nil {
			t.Error(err)
		}
		w.startAnnex(t)
	}
	close(stop)
	wait()
	t.Logf("answers by status code: %v", codes)
	for code := range codes {
		if code != http.StatusOK && code != http.StatusServiceUnavailable {
			t.Errorf("%d answers were %d", codes[code], code)
		}
	}
	if codes[http.StatusOK] == 0 || codes[http.StatusServiceUnavailable] == 0 {
		t.Errorf("the restarts were not seen: %v", codes)
	}
}
