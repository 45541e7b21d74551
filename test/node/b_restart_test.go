package node_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"annex.dev/annex/test/cluster/harness"
)

// A restart in each way that happens in the life of a cluster, while clients write and watch. What was acknowledged is never lost;
// how long nothing was acknowledged is measured, and bounded. Nobody else in the cluster notices.
func TestBRestartUnderLoad(t *testing.T) {
	w := needNode(t)
	for _, restart := range []struct {
		what    string
		limit   time.Duration
		restart func(t *testing.T)
	}{
		{"a rollout", awayAtMost, func(t *testing.T) {
			w.kubectl(t, "rollout", "restart", "-n", namespace, "deployment/annex")
			w.kubectl(t, "rollout", "status", "-n", namespace, "deployment/annex", "--timeout=60s")
		}},
		{"an eviction", awayAtMost, func(t *testing.T) {
			w.kubectl(t, "delete", "pod", "-n", namespace, w.pod(t).Name)
			harness.Eventually(t, 60*time.Second, func() error { return podReady(w.pod(t)) })
		}},
		// The first restart of a container is immediate, but kubelet looks for ended containers only once a second.
		{"a crash", awayAtMostAfterCrash, func(t *testing.T) {
			killed := time.Now()
			killAnnex(t)
			harness.Eventually(t, 60*time.Second, func() error { return w.servesSince(t, killed) })
			harness.Eventually(t, 60*time.Second, func() error { return podReady(w.pod(t)) })
		}},
	} {
		t.Run("after "+restart.what, func(t *testing.T) {
			name := strings.ReplaceAll(restart.what, " ", "-")
			others := newBystander(t, w, name)
			load := startLoad(t, w, "load-"+name)
			load.runFor(t, time.Second)
			restart.restart(t)
			load.runFor(t, 2*time.Second)
			away := load.stop(t)
			fmt.Printf("node: %s under write load: away for %.2f s\n", restart.what, away.Seconds())
			others.stop(t)
			if away > restart.limit {
				t.Errorf("nothing was acknowledged for %s, want at most %s", away, restart.limit)
			}
		})
	}
}

// killAnnex ends the process without warning, as running out of memory does.
func killAnnex(t *testing.T) {
	t.Helper()
	if output, err := exec.Command("pkill", "-KILL", "-x", "annex").CombinedOutput(); err != nil {
		t.Fatalf("pkill: %v %s", err, output)
	}
}

// servesSince tells, once the container that was started after a kill serves, what of the time was the cluster's and what Annex's.
func (w *world) servesSince(t *testing.T, killed time.Time) error {
	request := w.core.CoreV1().Pods(namespace).GetLogs(w.pod(t).Name, &corev1.PodLogOptions{Timestamps: true})
	text, err := request.DoRaw(t.Context())
	if err != nil {
		return err
	}
	var opened time.Time
	for line := range strings.Lines(string(text)) {
		stamp, message, _ := strings.Cut(line, " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil || at.Before(killed) {
			continue
		}
		if strings.Contains(message, "Opened the store") {
			opened = at
		}
		if strings.Contains(message, "Started") && !opened.IsZero() {
			fmt.Printf("node: after the crash the container ran again in %.2f s, and served %.2f s later\n", opened.Sub(killed).Seconds(), at.Sub(opened).Seconds())
			return nil
		}
	}
	return fmt.Errorf("the new container has not started to serve")
}

func TestBOldCopiesOfAnnexAreGone(t *testing.T) {
	w := needNode(t)
	harness.Eventually(t, 60*time.Second, func() error {
		pods, err := w.core.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(pods.Items) != 1 {
			return fmt.Errorf("%d pods, want 1", len(pods.Items))
		}
		return nil
	})
}
