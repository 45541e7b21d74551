package cluster_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// The authority of the certificate with which kube-apiserver vouches for users is replaced as in any cluster: first both are trusted,
// then the certificate is a new one, then only the new authority is trusted. Clients notice nothing, and who still has an old
// certificate is nobody from then on, on connections too that are open.
func TestFrontProxyAuthorityIsReplaced(t *testing.T) {
	w := needFaulty(t)
	b := w.annex()
	f := newIdentityFixture(t, b)
	before, after := b.Cluster.FrontProxyCA(), must(harness.NewAuthority("annex-test-front-proxy-ca-2"))(t)
	vouched := map[string]string{"X-Remote-User": f.user}
	old := newLastingCaller(t, b, caller{issue(t, before, harness.Leaf{CommonName: "front-proxy-client"}), vouched})
	newer := newLastingCaller(t, b, caller{issue(t, after, harness.Leaf{CommonName: "front-proxy-client"}), vouched})
	old.awaitCode(t, f.path, http.StatusOK)
	newer.awaitCode(t, f.path, http.StatusUnauthorized, http.StatusForbidden)
	requests := startRequests(t, b, f.path)

	if err := b.Cluster.TrustFrontProxies(before, after); err != nil {
		t.Fatal(err)
	}
	newer.awaitCode(t, f.path, http.StatusOK)
	old.awaitCode(t, f.path, http.StatusOK)
	w.awaitLoaded(t, `"Loaded a new cert/key pair" name="aggregator-proxy-cert`, func() error { return w.cluster.UseFrontProxy(after) })
	requests.awaitMore(t)
	w.forgetOthers(t, after)
	old.awaitCode(t, f.path, http.StatusUnauthorized, http.StatusForbidden)
	newer.awaitCode(t, f.path, http.StatusOK)
	requests.awaitMore(t)
	requests.end(t)
	if old.connections != 1 {
		t.Errorf("the old certificate was shown on %d connections: it was not the open one that was refused", old.connections)
	}
}

// forgetOthers leaves this authority as the only one. kube-apiserver adds what it trusts to the ConfigMap, and takes nothing out of it:
// that is done by hand.
func (w *world) forgetOthers(t *testing.T, only *harness.Authority) {
	t.Helper()
	w.awaitLoaded(t, `"Loaded a new CA Bundle and Verifier" name="request-header`, func() error { return w.cluster.TrustFrontProxies(only) })
	patch := []byte(toJSON(map[string]any{"data": map[string]string{"requestheader-client-ca-file": string(only.CertPEM)}}))
	configMaps := w.annex().core.CoreV1().ConfigMaps("kube-system")
	must(configMaps.Patch(t.Context(), "extension-apiserver-authentication", types.MergePatchType, patch, metav1.PatchOptions{}))(t)
}

// awaitLoaded changes files, and waits until kube-apiserver logs that it has read them.
func (w *world) awaitLoaded(t *testing.T, message string, change func() error) {
	t.Helper()
	said := func() int {
		return strings.Count(string(must(os.ReadFile(w.cluster.Processes()["kube-apiserver"].LogPath()))(t)), message)
	}
	before := said()
	if err := change(); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, reachPatience, func() error {
		if said() == before {
			return fmt.Errorf("kube-apiserver has not said: %s", message)
		}
		return nil
	})
}

// lastingCaller asks Annex directly on one connection (HTTP/2) for as long as that is open.
type lastingCaller struct {
	client      *http.Client
	address     string
	headers     map[string]string
	connections int
}

func newLastingCaller(t *testing.T, b *backend, c caller) *lastingCaller {
	t.Helper()
	direct := must(b.Annex.Direct(t.Context()))(t)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(direct.CAData)
	pair := must(tls.X509KeyPair(c.certificate.CertPEM, c.certificate.KeyPEM))(t)
	l := &lastingCaller{address: b.Annex.Address(), headers: c.headers}
	config := &tls.Config{RootCAs: roots, ServerName: direct.ServerName}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		l.connections++
		return &pair, nil
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	l.client = &http.Client{Transport: transport}
	return l
}

// awaitCode asks until one of these status codes is the answer.
func (l *lastingCaller) awaitCode(t *testing.T, path string, codes ...int) {
	t.Helper()
	harness.Eventually(t, reachPatience, func() error {
		request := must(http.NewRequestWithContext(t.Context(), http.MethodGet, l.address+path, nil))(t)
		for name, value := range l.headers {
			request.Header.Set(name, value)
		}
		answer, err := l.client.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		body := must(io.ReadAll(answer.Body))(t)
		for _, code := range codes {
			if answer.StatusCode == code {
				return nil
			}
		}
		return fmt.Errorf("%s: %s, want one of %v", answer.Status, body, codes)
	})
}

// requests go through kube-apiserver one after the other, until end.
type requests struct {
	mutex    sync.Mutex
	answered int
	refused  []string
	stop     chan struct{}
	wait     func()
}

func startRequests(t *testing.T, b *backend, path string) *requests {
	r := &requests{stop: make(chan struct{})}
	client := must(rest.HTTPClientFor(b.config))(t)
	r.wait = inParallel(2, func(int) {
		for {
			select {
			case <-r.stop:
				return
			default:
				r.ask(client, b.config.Host+path)
			}
		}
	})
	return r
}

func (r *requests) ask(client *http.Client, url string) {
	answer, err := client.Get(url)
	var text string
	if err == nil {
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		text = fmt.Sprintf("%s: %s", answer.Status, body)
	} else {
		text = err.Error()
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.answered++
	if err != nil || answer.StatusCode != http.StatusOK {
		r.refused = append(r.refused, text)
	}
}

func (r *requests) count() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.answered
}

// awaitMore waits for some hundred more answers.
func (r *requests) awaitMore(t *testing.T) {
	t.Helper()
	begun := r.count()
	harness.Eventually(t, reachPatience, func() error {
		if now := r.count(); now < begun+200 {
			return fmt.Errorf("only %d more requests were answered", now-begun)
		}
		return nil
	})
}

// end fails the test if any request was refused.
func (r *requests) end(t *testing.T) {
	close(r.stop)
	r.wait()
	t.Logf("%d requests were answered", r.answered)
	if len(r.refused) > 0 {
		t.Errorf("%d of %d requests were refused, the first with %s", len(r.refused), r.answered, r.refused[0])
	}
}
