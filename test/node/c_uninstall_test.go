package node_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"annex.dev/annex/test/cluster/harness"
)

func TestCUninstallLeavesNothing(t *testing.T) {
	w := needNode(t)
	w.kubectl(t, "delete", "-k", "manifests/samples", "--timeout=80s")
	t.Run("no namespace, and with it no Secret, volume claim or pod", func(t *testing.T) {
		_, err := w.core.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("the namespace is there: %v", err)
		}
	})
	t.Run("no APIService", func(t *testing.T) {
		harness.Eventually(t, 30*time.Second, func() error {
			services, err := w.dynamic.Resource(harness.APIServiceResource).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, service := range services.Items {
				if strings.HasSuffix(service.GetName(), ".samples.annex.dev") {
					return fmt.Errorf("%s is there", service.GetName())
				}
			}
			return nil
		})
	})
	t.Run("no rights", func(t *testing.T) {
		for _, kind := range []string{"clusterroles", "clusterrolebindings", "roles", "rolebindings"} {
			for name := range strings.FieldsSeq(w.kubectl(t, "get", kind, "--all-namespaces", "-o", "name")) {
				if strings.Contains(name, "/annex") {
					t.Errorf("%s is there", name)
				}
			}
		}
	})
	t.Run("namespaces can be deleted again", func(t *testing.T) {
		w.kubectl(t, "delete", "namespace", "load-a-rollout", "--ignore-not-found", "--timeout=60s")
	})
}
