package cluster_test

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"annex.dev/annex/test/cluster/harness"
)

// A webhook behind a Service: its address is asked of the cluster, its certificate is for the Service's name. What webhooks may do
// and get wrong is in test/parity/scenarios/conversion.
func TestConversionWebhookBehindService(t *testing.T) {
	forEach(t, inCluster, func(t *testing.T, b *backend) {
		group := "hooked." + b.Domain
		v2 := convertedToys(t, b, group)
		read := must(v2.Get(t.Context(), "one", metav1.GetOptions{}))(t)
		checkField(t, read, "a", "spec", "name")
		checkField(t, read, group+"/v2", "spec", "shown")
		list := must(v2.List(t.Context(), metav1.ListOptions{}))(t)
		if len(list.Items) != 1 {
			t.Fatalf("the list is %s", toJSON(list))
		}
		checkField(t, &list.Items[0], group+"/v2", "spec", "shown")
	})
}

// convertedToys makes a toy of version v1 in a group with a conversion webhook, and returns the toys as v2.
func convertedToys(t *testing.T, b *backend, group string) dynamic.ResourceInterface {
	t.Helper()
	namespace := b.namespace(t)
	url, authority := startWebhook(t, "hook."+namespace+".svc")
	port := must(net.LookupPort("tcp", url[strings.LastIndex(url, ":")+1:]))(t)
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "hook"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}
	must(b.core.CoreV1().Services(namespace).Create(t.Context(), service, metav1.CreateOptions{}))(t)
	conversion := fmt.Sprintf("\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {caBundle: %s, service: {namespace: %s, name: hook, port: %d, path: /convert}}}}\n",
		base64.StdEncoding.EncodeToString(authority), namespace, port)
	definition := string(toyDefinition(group, "toys", "Toy", []string{"shown", "name"}, "v1", "v2"))
	if err := b.Install(t.Context(), []byte(definition+conversion)); err != nil {
		t.Fatal(err)
	}
	resource := func(version string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: group, Version: version, Resource: "toys"}
	}
	toy := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1", "kind": "Toy", "metadata": map[string]any{"name": "one"}, "spec": map[string]any{"name": "a"}}}
	must(b.dynamic.Resource(resource("v1")).Namespace(namespace).Create(t.Context(), toy, metav1.CreateOptions{}))(t)
	return b.dynamic.Resource(resource("v2")).Namespace(namespace)
}

// startWebhook serves a conversion webhook on loopback, with a certificate for host. It writes the version that is asked for to
// spec.shown.
func startWebhook(t *testing.T, host string) (url string, authority []byte) {
	issuer := must(harness.NewAuthority("webhooks"))(t)
	pair := must(issuer.Issue(harness.Leaf{CommonName: host, DNSNames: []string{host}}))(t)
	certificate := must(tls.X509KeyPair(pair.CertPEM, pair.KeyPEM))(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		var review unstructured.Unstructured
		if err := json.NewDecoder(in.Body).Decode(&review.Object); err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		version, _, _ := unstructured.NestedString(review.Object, "request", "desiredAPIVersion")
		objects, _, _ := unstructured.NestedSlice(review.Object, "request", "objects")
		for _, object := range objects {
			object := object.(map[string]any)
			object["apiVersion"] = version
			_ = unstructured.SetNestedField(object, version, "spec", "shown")
		}
		uid, _, _ := unstructured.NestedString(review.Object, "request", "uid")
		review.Object["response"] = map[string]any{"uid": uid, "result": map[string]any{"status": "Success"}, "convertedObjects": objects}
		_ = json.NewEncoder(out).Encode(review.Object) // who asked may have gone
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, issuer.CertPEM
}
