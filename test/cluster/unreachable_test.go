package cluster_test

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"annex.dev/annex/test/cluster/harness"
)

const (
	// decisionAge is how long Annex remembers what kube-apiserver said about somebody.
	decisionAge = 10 * time.Second
	// reachPatience is how long Annex may take to notice that kube-apiserver went or came, and to read what it needs.
	reachPatience = 30 * time.Second
)

// awaitReadiness waits for a status code of /readyz and a word in what it says.
func awaitReadiness(t *testing.T, b *backend, want int, word string) {
	t.Helper()
	harness.Eventually(t, reachPatience, func() error {
		if code, body := (caller{}).askBy(t, b, "/readyz?verbose", "h2"); code != want || !strings.Contains(body, word) {
			return fmt.Errorf("/readyz: %d: %s", code, body)
		}
		return nil
	})
}

// While kube-apiserver cannot be asked, what it said a moment ago holds, nothing else is allowed, and /readyz says so.
func TestKubeAPIServerGoesAway(t *testing.T) {
	w := needFaulty(t)
	b := w.annex()
	f := newIdentityFixture(t, b)
	b.create(t, f.namespace, b.widget("here", "red", 1))
	user := caller{certificate: issue(t, b.Cluster.ClientCA(), harness.Leaf{CommonName: f.user})}
	robot := caller{headers: map[string]string{"Authorization": "Bearer " + f.token}}
	stranger := caller{certificate: issue(t, b.Cluster.ClientCA(), harness.Leaf{CommonName: "stranger"})}
	unknown := caller{headers: map[string]string{"Authorization": "Bearer " + f.token[:len(f.token)-2] + "xx"}}
	master := caller{certificate: issue(t, b.Cluster.ClientCA(), harness.Leaf{CommonName: "boss", Organizations: []string{"system:masters"}})}
	must(b.Annex.Direct(t.Context()))(t) // remembered, as it asks the cluster
	f.allowed(t, user)
	f.allowed(t, robot)
	decided := time.Now()
	w.cluster.Processes()["kube-apiserver"].Kill()

	t.Run("what was decided holds", func(t *testing.T) {
		for name, c := range map[string]caller{"a certificate": user, "a token": robot, "system:masters": master} {
			if code, body := c.ask(t, b, f.path); code != http.StatusOK {
				t.Errorf("%s, %s after the decision: %d: %s", name, time.Since(decided).Round(time.Millisecond), code, body)
			}
		}
	})
	t.Run("nothing new is allowed", func(t *testing.T) {
		f.letsNobodyIn(t, map[string]caller{"a user without a decision": stranger, "a token without a review": unknown})
	})
	t.Run("readyz says so, and livez does not", func(t *testing.T) {
		awaitReadiness(t, b, http.StatusInternalServerError, "[-]kube-apiserver failed")
		if code, body := (caller{}).ask(t, b, "/livez"); code != http.StatusOK {
			t.Errorf("/livez: %d: %s", code, body)
		}
	})
	t.Run("namespaces that are known can be written in, others not", func(t *testing.T) { writesWithoutCluster(t, f, master) })
	t.Run("a decision does not hold for long", func(t *testing.T) {
		harness.Eventually(t, 2*decisionAge, func() error {
			if code, body := user.askBy(t, b, f.path, "h2"); code != http.StatusInternalServerError {
				return fmt.Errorf("%s after the decision: %d: %s", time.Since(decided), code, body)
			}
			return nil
		})
	})
	if err := w.cluster.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("all is well when it is back", func(t *testing.T) {
		awaitReadiness(t, b, http.StatusOK, "[+]kube-apiserver ok")
		f.allowed(t, user)
		f.allowed(t, robot)
		w.awaitServed(t)
	})
}

// letsNobodyIn asks as all callers at once, as Annex tries for some seconds to ask kube-apiserver about each.
func (f *identityFixture) letsNobodyIn(t *testing.T, callers map[string]caller) {
	names := slices.Collect(maps.Keys(callers))
	inParallel(len(names), func(i int) {
		code, body := callers[names[i]].askBy(t, f.b, f.path, "h2")
		if code != http.StatusInternalServerError && code != http.StatusUnauthorized && code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d: %s", names[i], code, body)
		}
	})()
}

// writesWithoutCluster writes past kube-apiserver.
func writesWithoutCluster(t *testing.T, f *identityFixture, master caller) {
	config := must(f.b.Annex.Direct(t.Context()))(t)
	config.CertData, config.KeyData = master.certificate.CertPEM, master.certificate.KeyPEM
	widgets := must(dynamic.NewForConfig(config))(t).Resource(f.b.resource("widgets"))
	must(widgets.Namespace(f.namespace).Create(t.Context(), f.b.widget("meanwhile", "red", 1), metav1.CreateOptions{}))(t)
	_, err := widgets.Namespace("never-seen").Create(t.Context(), f.b.widget("w", "red", 1), metav1.CreateOptions{})
	if !apierrors.IsInternalError(err) {
		t.Errorf("in a namespace that nobody has seen: got %v, want InternalError", err)
	}
}

// An Annex that begins without kube-apiserver listens, says what it lacks, lets nobody in, and needs no help once it is there.
func TestAnnexBeginsWithoutKubeAPIServer(t *testing.T) {
	w := needFaulty(t)
	b := w.annex()
	f := newIdentityFixture(t, b)
	master := caller{certificate: issue(t, b.Cluster.ClientCA(), harness.Leaf{CommonName: "boss", Organizations: []string{"system:masters"}})}
	proxy := caller{
		issue(t, b.Cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client"}),
		map[string]string{"X-Remote-User": "boss", "X-Remote-Group": "system:masters"},
	}
	must(b.Annex.Direct(t.Context()))(t) // remembered, as it asks the cluster
	b.Annex.Kill()
	w.cluster.Processes()["kube-apiserver"].Kill()
	if err := b.Annex.Launch(); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, reachPatience, func() error {
		connection, err := net.Dial("tcp", strings.TrimPrefix(b.Annex.Address(), "https://"))
		if err != nil {
			return err
		}
		return connection.Close()
	})
	t.Run("readyz says what is missing, and livez is well", func(t *testing.T) {
		awaitReadiness(t, b, http.StatusInternalServerError, "[-]authentication failed")
		awaitReadiness(t, b, http.StatusInternalServerError, "[-]kube-apiserver failed")
		if code, body := (caller{}).ask(t, b, "/livez"); code != http.StatusOK {
			t.Errorf("/livez: %d: %s", code, body)
		}
	})
	t.Run("nobody is let in", func(t *testing.T) {
		f.letsNobodyIn(t, map[string]caller{
			"nobody": {}, "a certificate of system:masters": master, "the front proxy": proxy,
			"a token": {headers: map[string]string{"Authorization": "Bearer " + f.token}},
		})
	})
	if err := w.cluster.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("it serves when kube-apiserver is there", func(t *testing.T) {
		begun := time.Now()
		awaitReadiness(t, b, http.StatusOK, "[+]authentication ok")
		fmt.Printf("cluster: Annex is ready %.1f s after the kube-apiserver that it began without\n", time.Since(begun).Seconds())
		f.allowed(t, master)
		w.awaitServed(t)
	})
}
