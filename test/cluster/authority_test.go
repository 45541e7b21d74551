package cluster_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"annex.dev/annex/test/cluster/harness"
)

// certManagerModule has the definitions of cert-manager's kinds.
const certManagerModule = "github.com/cert-manager/cert-manager@v1.18.2"

// certManagerSecret is what cert-manager writes for a self-signed Certificate with isCA and an ECDSA key.
func certManagerSecret(t *testing.T, name string) *corev1.Secret {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "annex-ca"},
		NotBefore: time.Now(), NotAfter: time.Now().Add(87600 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)})
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"controller.cert-manager.io/fao": "true"},
			Annotations: map[string]string{"cert-manager.io/certificate-name": name, "cert-manager.io/issuer-kind": "Issuer", "cert-manager.io/issuer-name": name},
		},
		Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{
			"ca.crt": certificate, corev1.TLSCertKey: certificate,
			corev1.TLSPrivateKeyKey: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: must(x509.MarshalECPrivateKey(key))(t)}),
		},
	}
}

// TestAuthorityOfCertManager: Annex serves with the authority that somebody else keeps in its Secret, from its start and after
// a renewal.
func TestAuthorityOfCertManager(t *testing.T) {
	if shared.cluster == nil {
		t.Skip("no cluster was started")
	}
	const service = "certmanager"
	dir := filepath.Join(shared.dir, service)
	definitions := filepath.Join(dir, "definitions")
	if err := os.MkdirAll(definitions, 0o755); err != nil {
		t.Fatal(err)
	}
	annex := must(harness.NewAnnex(t.Context(), harness.AnnexOptions{
		Mode: harness.Files, Cluster: shared.cluster, Service: service, DataDir: filepath.Join(dir, "data"), Definitions: definitions,
		Args: []string{"--ca-secret", service},
	}))(t)
	client := must(kubernetes.NewForConfig(shared.cluster.Admin()))(t)
	grantSecret(t, client, service)
	secrets := client.CoreV1().Secrets("annex-system")
	first := must(secrets.Create(t.Context(), certManagerSecret(t, service), metav1.CreateOptions{}))(t)
	if err := annex.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = annex.Stop() })
	harness.ShowLogOnFailure(t, annex.Process().LogPath())
	b := must(newBackend(harness.AggregatedBackend(annex)))(t)
	b.Domain = service + ".example.dev"
	if err := b.Install(within(t, time.Minute), definitionFor("gadgets", b.Domain, "")); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, time.Minute, func() error { return bundleHas(t, service, first) })
	must(b.gadgets().List(t.Context(), metav1.ListOptions{}))(t)

	renewed := certManagerSecret(t, service)
	renewed.ResourceVersion = first.ResourceVersion
	must(secrets.Update(t.Context(), renewed, metav1.UpdateOptions{}))(t)
	harness.Eventually(t, time.Minute, func() error {
		_, err := b.gadgets().List(t.Context(), metav1.ListOptions{})
		return errors.Join(err, bundleHas(t, service, renewed))
	})
	kept := must(secrets.Get(t.Context(), service, metav1.GetOptions{}))(t)
	if !bytes.Equal(kept.Data[corev1.TLSPrivateKeyKey], renewed.Data[corev1.TLSPrivateKeyKey]) || kept.Labels["app.kubernetes.io/managed-by"] != "" {
		t.Error("Annex wrote a Secret that it did not make")
	}
	// The definition goes, and with it the APIService that leads to a server that will be gone.
	if err := os.RemoveAll(definitions); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(definitions, 0o755); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, time.Minute, func() error {
		if err := bundleHas(t, service, renewed); err == nil {
			return errors.New("the APIService is still there")
		}
		return nil
	})
}

// grantSecret gives Annex's identity the rights on its Secret that manifests/base has.
func grantSecret(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	_, err := client.RbacV1().Roles("annex-system").Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"create"}},
			{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{name}, Verbs: []string{"get", "list", "watch", "update"}},
		},
	}, metav1.CreateOptions{})
	_, bindingErr := client.RbacV1().RoleBindings("annex-system").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "annex-system", Name: "annex"}},
	}, metav1.CreateOptions{})
	if err := errors.Join(err, bindingErr); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// bundleHas returns an error unless the APIServices that lead to a Service let kube-apiserver verify it with a Secret's authority.
func bundleHas(t *testing.T, service string, secret *corev1.Secret) error {
	registered, err := harness.APIServices(t.Context(), shared.cluster.Admin())
	if err != nil {
		return err
	}
	for _, item := range registered {
		if name, _, _ := unstructured.NestedString(item.Object, "spec", "service", "name"); name != service {
			continue
		}
		text, _, _ := unstructured.NestedString(item.Object, "spec", "caBundle")
		bundle, err := base64.StdEncoding.DecodeString(text)
		if err == nil && !bytes.Contains(bundle, bytes.TrimSpace(secret.Data[corev1.TLSCertKey])) {
			err = fmt.Errorf("%s is verified with another authority", item.GetName())
		}
		return err
	}
	return fmt.Errorf("no APIService leads to %s", service)
}

// The component of certs/cert-manager is judged by cert-manager's own definitions.
func TestCertManagerComponent(t *testing.T) {
	if shared.cluster == nil {
		t.Skip("no cluster was started")
	}
	output, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", certManagerModule).Output()
	var module struct{ Dir string }
	if err := errors.Join(err, json.Unmarshal(output, &module)); err != nil {
		t.Skipf("cert-manager's definitions cannot be had: %v", err)
	}
	m := &manifests{kubectl: filepath.Join(must(harness.BinariesDir())(t), "kubectl"), home: t.TempDir()}
	m.kubeconfig = kubeconfigOf(t, shared.cluster.Admin())
	definitions := []string{"crd/issuers.cert-manager.io", "crd/certificates.cert-manager.io"}
	defer func() { _, _ = m.run(t, "", append([]string{"delete", "--ignore-not-found"}, definitions...)...) }()
	for _, file := range []string{"crd-issuers.yaml", "crd-certificates.yaml"} {
		// They are templates of Helm in a few lines, which say nothing about the kinds.
		text := must(os.ReadFile(filepath.Join(module.Dir, "deploy/crds", file)))(t)
		text = regexp.MustCompile(`(?m)^.*\{\{.*\}\}.*\n`).ReplaceAll(text, nil)
		if output, err := m.run(t, string(text), "apply", "--server-side", "-f", "-"); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	if output, err := m.run(t, "", append([]string{"wait", "--for=condition=Established"}, definitions...)...); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	rendered := m.render(t, "manifests/files", []string{"certs/cert-manager"})
	_, own, found := strings.Cut(rendered, "apiVersion: cert-manager.io/v1\n")
	if !found {
		t.Fatalf("it has no objects of cert-manager:\n%s", rendered)
	}
	text, err := m.run(t, "apiVersion: cert-manager.io/v1\n"+own, "apply", "--dry-run=server", "--validate=strict", "-f", "-")
	for _, want := range []string{"certificate.cert-manager.io/annex-ca created", "issuer.cert-manager.io/annex-ca created"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: %q is not in:\n%s", err, want, text)
		}
	}
}
