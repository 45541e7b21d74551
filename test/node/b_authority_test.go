package node_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"annex.dev/annex/test/cluster/harness"
)

const authoritySecret = "annex-ca"

// The authority of Annex's certificate lies in a Secret, and kube-apiserver verifies Annex with it. Who deletes the Secret gets a
// new authority, and no client notices.
func TestBAuthorityIsReplacedUnderLoad(t *testing.T) {
	w := needNode(t)
	before := w.authority(t)
	harness.Eventually(t, 30*time.Second, func() error { return w.verifiesWith(t, before) })

	refused := w.countRefused(t)
	load := startLoad(t, w, "load-new-authority")
	load.runFor(t, time.Second)
	w.kubectl(t, "delete", "secret", "-n", namespace, authoritySecret)
	var after []byte
	harness.Eventually(t, 30*time.Second, func() error {
		if after = w.authority(t); bytes.Equal(after, before) {
			return fmt.Errorf("it has the old authority")
		}
		return nil
	})
	// The old one signs on until all can know the new one: Annex looks once a minute.
	harness.Eventually(t, 3*time.Minute, func() error { return w.verifiesWith(t, after) })
	load.runFor(t, time.Second)
	away := load.stop(t)
	fmt.Printf("node: a new authority under write load: %d requests refused, at most %.2f s between two acknowledged writes\n", refused.Load(), away.Seconds())
	if refused.Load() > 0 {
		t.Errorf("%d requests were refused by kube-apiserver", refused.Load())
	}
}

// countRefused counts the requests of tests that kube-apiserver answers with 503, as it does when it cannot verify Annex. Client-go
// sends those again by itself, so that callers do not see them.
func (w *world) countRefused(t *testing.T) *atomic.Int64 {
	counter := &atomic.Int64{}
	t.Cleanup(func() { w.onAnswer.Store(func(*http.Response) {}) })
	w.onAnswer.Store(func(answer *http.Response) {
		if answer.StatusCode == http.StatusServiceUnavailable {
			counter.Add(1)
		}
	})
	return counter
}

// authority is what the Secret has, once it is there.
func (w *world) authority(t *testing.T) []byte {
	t.Helper()
	var secret *corev1.Secret
	harness.Eventually(t, 30*time.Second, func() error {
		var err error
		secret, err = w.core.CoreV1().Secrets(namespace).Get(t.Context(), authoritySecret, metav1.GetOptions{})
		return err
	})
	if secret.Type != corev1.SecretTypeTLS {
		t.Errorf("the Secret is of type %q", secret.Type)
	}
	return secret.Data[corev1.TLSCertKey]
}

// verifiesWith returns an error unless kube-apiserver verifies Annex with this authority, and no other.
func (w *world) verifiesWith(t *testing.T, authority []byte) error {
	service, err := w.dynamic.Resource(harness.APIServiceResource).Get(t.Context(), "v1.samples.annex.dev", metav1.GetOptions{})
	if err != nil {
		return err
	}
	bundle, _, _ := unstructured.NestedString(service.Object, "spec", "caBundle")
	if bundle != base64.StdEncoding.EncodeToString(authority) {
		return fmt.Errorf("the APIService has another bundle")
	}
	if skip, _, _ := unstructured.NestedBool(service.Object, "spec", "insecureSkipTLSVerify"); skip {
		return fmt.Errorf("the APIService does not verify")
	}
	return nil
}
