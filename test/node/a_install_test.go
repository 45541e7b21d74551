package node_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"annex.dev/annex/test/cluster/harness"
)

const (
	namespace = "annex-system"
	podLabel  = "app.kubernetes.io/name=annex"
)

// pod returns the pod that Annex runs in; not one that is about to end.
func (w *world) pod(t testing.TB) *corev1.Pod {
	t.Helper()
	pods, err := w.core.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: podLabel})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil {
			return &pod
		}
	}
	t.Fatal("Annex has no pod")
	return nil
}

// The commands of the README, in their order.
func TestAInstall(t *testing.T) {
	w := needNode(t)
	begun := time.Now()
	w.kubectl(t, "apply", "-k", "manifests/samples")
	// The object is there once Annex has registered; `kubectl wait` does not wait for that by itself before 1.31.
	w.kubectl(t, "wait", "--for=create", "--timeout=60s", "apiservice/v1.samples.annex.dev")
	w.kubectl(t, "wait", "--for=condition=Available", "--timeout=60s", "apiservice/v1.samples.annex.dev")
	w.kubectl(t, "apply", "-f", "manifests/samples/objects")
	t.Logf("from the first command to the first object: %.1f s", time.Since(begun).Seconds())

	if list := w.kubectl(t, "get", "caches,regions", "-o", "name"); strings.Count(list, "\n") != 3 {
		t.Errorf("the sample objects are not all there:\n%s", list)
	}
	harness.Eventually(t, 20*time.Second, func() error { return podReady(w.pod(t)) })
}

func TestAKubectlUsesWhatIsServed(t *testing.T) {
	w := needNode(t)
	t.Run("explain shows the schema", func(t *testing.T) {
		harness.Eventually(t, 30*time.Second, func() error { return w.command(t.Context(), "explain", "cache.spec.size").Run() })
	})
	t.Run("a field that can be selected selects", func(t *testing.T) {
		if names := w.kubectl(t, "get", "caches", "--field-selector=spec.tier=large", "-o", "name"); names != "cache.samples.annex.dev/images\n" {
			t.Errorf("selected %q", names)
		}
	})
	t.Run("scale changes, and a watch shows it", func(t *testing.T) {
		watch := w.command(t.Context(), "get", "caches", "sessions", "--watch-only", "-o", "jsonpath={.spec.replicas}{\"\\n\"}")
		seen := &lines{}
		watch.Stdout = seen
		if err := watch.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = watch.Process.Kill(); _ = watch.Wait() }()
		// A watch tells nothing when it begins: the number is changed until one is told.
		replicas := 2
		harness.Eventually(t, 30*time.Second, func() error {
			replicas = 2 + replicas%50
			w.kubectl(t, "scale", "cache", "sessions", "--replicas", itoa(replicas))
			return seen.has(itoa(replicas))
		})
	})
	t.Run("what a schema forbids is refused", func(t *testing.T) {
		command := w.command(t.Context(), "patch", "cache", "sessions", "--type=merge", "-p", `{"spec":{"replicas":101}}`)
		output, err := command.CombinedOutput()
		if err == nil || !strings.Contains(string(output), "should be less than or equal to 100") {
			t.Errorf("answer: %v %s", err, output)
		}
	})
	t.Run("an object can be deleted", func(t *testing.T) {
		w.kubectl(t, "delete", "cache", "images")
		if names := w.kubectl(t, "get", "caches", "-o", "name"); strings.Contains(names, "images") {
			t.Errorf("it is still there: %s", names)
		}
	})
}

func TestAPodHasNoRightsItDoesNotNeed(t *testing.T) {
	w := needNode(t)
	container := w.pod(t).Spec.Containers[0]
	if context := container.SecurityContext; context.ReadOnlyRootFilesystem == nil || !*context.ReadOnlyRootFilesystem {
		t.Error("the root file system can be written to")
	}
	// The namespace enforces Pod Security "restricted", so the rest was judged by kube-apiserver.
	object, err := w.core.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if level := object.Labels["pod-security.kubernetes.io/enforce"]; level != "restricted" {
		t.Errorf("Pod Security enforces %q", level)
	}
}
