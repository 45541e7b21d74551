package cluster_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"annex.dev/annex/test/cluster/harness"
)

// caller asks Annex directly, past kube-apiserver, with whatever identity it can show.
type caller struct {
	certificate *harness.KeyPair
	headers     map[string]string
}

// ask sends a GET by HTTP/1.1 and by HTTP/2 and returns the status code, which has to be the same, and the body.
func (c caller) ask(t testing.TB, b *backend, path string) (int, string) {
	t.Helper()
	oldCode, oldBody := c.askBy(t, b, path, "http/1.1")
	code, body := c.askBy(t, b, path, "h2")
	if code != oldCode {
		t.Errorf("by HTTP/1.1 %d: %s\nby HTTP/2 %d: %s", oldCode, oldBody, code, body)
	}
	return code, body
}

// askBy has a connection of its own for each call, so that no identity is left over from an earlier one.
func (c caller) askBy(t testing.TB, b *backend, path, protocol string) (int, string) {
	t.Helper()
	direct := must(b.Annex.Direct(t.Context()))(t)
	roots := x509.NewCertPool()
	ca := direct.CAData
	if len(ca) == 0 || !roots.AppendCertsFromPEM(ca) {
		t.Fatal("Annex's CA bundle has no certificate")
	}
	config := &tls.Config{RootCAs: roots, ServerName: direct.ServerName, NextProtos: []string{protocol}}
	if c.certificate != nil {
		pair := must(tls.X509KeyPair(c.certificate.CertPEM, c.certificate.KeyPEM))(t)
		// Offered whatever CAs the server asks for: a client that means harm does not care.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: protocol == "h2"}
	defer transport.CloseIdleConnections()
	request := must(http.NewRequestWithContext(t.Context(), http.MethodGet, b.Annex.Address()+path, nil))(t)
	for name, value := range c.headers {
		request.Header[name] = []string{value} // not Set: that would correct the spelling
	}
	response := must((&http.Client{Transport: transport, Timeout: 20 * time.Second}).Do(request))(t)
	defer response.Body.Close()
	if got := response.ProtoMajor; got != map[string]int{"http/1.1": 1, "h2": 2}[protocol] {
		t.Errorf("%s was offered, but the answer came by HTTP/%d", protocol, got)
	}
	return response.StatusCode, string(must(io.ReadAll(response.Body))(t))
}

func issue(t testing.TB, authority *harness.Authority, leaf harness.Leaf) *harness.KeyPair {
	t.Helper()
	pair := must(authority.Issue(leaf))(t)
	return &pair
}

// identityFixture is a namespace in which exactly one user and one service account may list widgets.
type identityFixture struct {
	b         *backend
	namespace string
	user      string
	path      string // of the list that they may read
	token     string // of the service account
}

func newIdentityFixture(t *testing.T, b *backend) *identityFixture {
	f := &identityFixture{b: b, namespace: b.namespace(t), user: "identity-user"}
	f.path = fmt.Sprintf("/apis/%s/v1/namespaces/%s/widgets", b.Domain, f.namespace)
	b.grant(t, f.namespace, "user", userSubject(f.user), []string{"widgets"}, []string{"list"})
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
	must(b.core.CoreV1().ServiceAccounts(f.namespace).Create(t.Context(), account, metav1.CreateOptions{}))(t)
	b.grant(t, f.namespace, "robot", rbacv1.Subject{Kind: "ServiceAccount", Name: "robot", Namespace: f.namespace}, []string{"widgets"}, []string{"list"})
	request := must(b.core.CoreV1().ServiceAccounts(f.namespace).CreateToken(t.Context(), "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{}))(t)
	f.token = request.Status.Token
	return f
}

// allowed waits until the caller may list: Annex learns of new rights with a delay.
func (f *identityFixture) allowed(t *testing.T, c caller) {
	t.Helper()
	harness.Eventually(t, rightsPatience, func() error {
		if code, body := c.ask(t, f.b, f.path); code != http.StatusOK {
			return fmt.Errorf("%d: %s", code, body)
		}
		return nil
	})
}

// refused checks that the caller is nobody: either it is told so, or it is forbidden as the anonymous user.
func (f *identityFixture) refused(t *testing.T, c caller) {
	t.Helper()
	code, body := c.ask(t, f.b, f.path)
	anonymous := code == http.StatusForbidden && strings.Contains(body, `User \"system:anonymous\" cannot list`)
	if code != http.StatusUnauthorized && code != http.StatusBadRequest && !anonymous {
		t.Errorf("got %d: %s\nwant 401, 400, or 403 for system:anonymous", code, body)
	}
}

// refusedAs checks that the caller is known, but under the given name, which has no rights.
func (f *identityFixture) refusedAs(t *testing.T, name string, c caller) {
	t.Helper()
	code, body := c.ask(t, f.b, f.path)
	if code != http.StatusForbidden || !strings.Contains(body, fmt.Sprintf(`User \"%s\" cannot list`, name)) {
		t.Errorf("got %d: %s\nwant 403 for %s", code, body, name)
	}
}

func TestIdentityOfDirectCallers(t *testing.T) {
	forEachAtOnce(t, onAggregated, func(t *testing.T, b *backend) {
		f := newIdentityFixture(t, b)
		t.Run("who is trusted", func(t *testing.T) { trustedCallers(t, f) })
		t.Run("who is not trusted", func(t *testing.T) { untrustedCallers(t, f) })
	})
}

func trustedCallers(t *testing.T, f *identityFixture) {
	cluster := f.b.Cluster
	proxy := issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client"})
	t.Run("the front proxy vouches for the user in its headers", func(t *testing.T) {
		f.allowed(t, caller{proxy, map[string]string{"X-Remote-User": f.user}})
	})
	t.Run("the front proxy vouches for groups", func(t *testing.T) {
		f.allowed(t, caller{proxy, map[string]string{"X-Remote-User": "somebody", "X-Remote-Group": "system:masters"}})
	})
	t.Run("a client certificate of the cluster's CA names user and groups", func(t *testing.T) {
		f.allowed(t, caller{certificate: issue(t, cluster.ClientCA(), harness.Leaf{CommonName: f.user})})
		f.allowed(t, caller{certificate: issue(t, cluster.ClientCA(), harness.Leaf{CommonName: "boss", Organizations: []string{"system:masters"}})})
		f.refusedAs(t, "other", caller{certificate: issue(t, cluster.ClientCA(), harness.Leaf{CommonName: "other"})})
	})
	t.Run("a service account's token", func(t *testing.T) {
		f.allowed(t, caller{headers: map[string]string{"Authorization": "Bearer " + f.token}})
	})
	t.Run("health is public", func(t *testing.T) {
		if code, body := (caller{}).ask(t, f.b, "/readyz"); code != http.StatusOK {
			t.Errorf("got %d: %s", code, body)
		}
	})
}

func untrustedCallers(t *testing.T, f *identityFixture) {
	cluster := f.b.Cluster
	other := must(harness.NewAuthority(cluster.FrontProxyCA().Certificate.Subject.CommonName))(t)
	spoofed := map[string]string{"X-Remote-User": f.user, "X-Remote-Group": "system:masters"}
	client, server := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for name, c := range map[string]caller{
		"nobody at all":                                     {},
		"headers without a certificate":                     {headers: spoofed},
		"headers with a certificate of another CA":          {issue(t, other, harness.Leaf{CommonName: "front-proxy-client"}), spoofed},
		"headers with another name of the front proxy's CA": {issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "somebody-else"}), spoofed},
		"headers with nearly the name of the front proxy":   {issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "Front-Proxy-Client"}), spoofed},
		"headers with an expired certificate":               {issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client", NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour)}), spoofed},
		"headers with a certificate of the future":          {issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client", NotBefore: time.Now().Add(time.Hour)}), spoofed},
		"headers with a server's certificate":               {issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client", Usages: server}), spoofed},
		"the front proxy without a user":                    {issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client", Usages: client}), map[string]string{"X-Remote-Group": "system:masters"}},
		"the front proxy with headers of other spelling":    {issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client"}), map[string]string{"X_Remote_User": f.user, "X_Remote_Group": "system:masters"}},
		"a client certificate that has expired":             {certificate: issue(t, cluster.ClientCA(), harness.Leaf{CommonName: f.user, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour)})},
		"a client certificate of an unknown CA":             {certificate: issue(t, other, harness.Leaf{CommonName: f.user})},
		"a token that nobody issued":                        {headers: map[string]string{"Authorization": "Bearer eyJhbGciOiJub25lIn0.e30."}},
		"a token with a letter changed":                     {headers: map[string]string{"Authorization": "Bearer " + f.token[:len(f.token)-2] + "xx"}},
		"a password":                                        {headers: map[string]string{"Authorization": "Basic YWRtaW46YWRtaW4="}},
	} {
		t.Run(name, func(t *testing.T) { f.refused(t, c) })
	}
	t.Run("headers beside a client certificate do not count", func(t *testing.T) {
		f.refusedAs(t, "front-proxy-client", caller{issue(t, cluster.ClientCA(), harness.Leaf{CommonName: "front-proxy-client"}), spoofed})
	})
	t.Run("headers beside a token do not count", func(t *testing.T) {
		elsewhere := fmt.Sprintf("/apis/%s/v1/namespaces/default/widgets", f.b.Domain)
		headers := map[string]string{"Authorization": "Bearer " + f.token, "X-Remote-User": f.user, "X-Remote-Group": "system:masters"}
		if code, body := (caller{headers: headers}).ask(t, f.b, elsewhere); code != http.StatusForbidden {
			t.Errorf("got %d: %s", code, body)
		}
	})
	t.Run("a group under another spelling of its header gives nothing", func(t *testing.T) {
		for _, header := range []string{"X_Remote_Group", "X-Remote-Groups", "X-Remote.Group", "X-Remote_Group"} {
			proxy := issue(t, cluster.FrontProxyCA(), harness.Leaf{CommonName: "front-proxy-client"})
			code, body := caller{proxy, map[string]string{"X-Remote-User": "somebody", header: "system:masters"}}.ask(t, f.b, f.path)
			if code != http.StatusForbidden && code != http.StatusBadRequest {
				t.Errorf("%s: got %d: %s", header, code, body)
			}
		}
	})
}

func TestStandaloneTrustsOnlyItsOwnCertificates(t *testing.T) {
	forEach(t, []harness.BackendName{harness.BackendStandalone}, func(t *testing.T, b *backend) {
		path := fmt.Sprintf("/apis/%s/v1/widgets", b.Domain)
		other := must(harness.NewAuthority("annex"))(t)
		spoofed := map[string]string{"X-Remote-User": "admin", "X-Remote-Group": "system:masters"}
		for name, c := range map[string]caller{
			"no credentials":              {},
			"identity headers":            {headers: spoofed},
			"a certificate of another CA": {certificate: issue(t, other, harness.Leaf{CommonName: "admin", Organizations: []string{"system:masters"}})},
			"both":                        {issue(t, other, harness.Leaf{CommonName: "front-proxy-client"}), spoofed},
			"a token that nobody issued":  {headers: map[string]string{"Authorization": "Bearer abc"}},
		} {
			t.Run(name, func(t *testing.T) {
				if code, body := c.ask(t, b, path); code != http.StatusUnauthorized && code != http.StatusForbidden {
					t.Errorf("got %d: %s", code, body)
				}
			})
		}
	})
}
