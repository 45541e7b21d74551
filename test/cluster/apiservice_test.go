package cluster_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"annex.dev/annex/test/cluster/harness"
)

func TestAPIServices(t *testing.T) {
	forEach(t, onAggregated, func(t *testing.T, b *backend) {
		// A group of its own: a registration that is spoilt on purpose harms nobody else here.
		group := "registered." + b.Domain
		if err := b.Install(within(t, reloadPatience), toyDefinition(group, "toys", "Toy", nil, "v1")); err != nil {
			t.Fatal(err)
		}
		services := b.dynamic.Resource(harness.APIServiceResource)
		name := "v1." + group

		t.Run("each group and version is registered, with a CA, and available", func(t *testing.T) { servicesAreComplete(t, b) })
		for _, spoil := range []struct{ what, patch string }{
			{"an emptied CA bundle", `{"spec":{"caBundle":null,"insecureSkipTLSVerify":true}}`},
			{"another Service", `{"spec":{"service":{"name":"elsewhere","port":1}}}`},
			{"other priorities", `{"spec":{"groupPriorityMinimum":1,"versionPriority":1}}`},
		} {
			t.Run("it is repaired after "+spoil.what, func(t *testing.T) {
				before := must(services.Get(t.Context(), name, metav1.GetOptions{}))(t)
				must(services.Patch(t.Context(), name, types.MergePatchType, []byte(spoil.patch), metav1.PatchOptions{}))(t)
				awaitRegistered(t, b, name, before)
			})
		}
		t.Run("it is registered again after it was deleted", func(t *testing.T) {
			before := must(services.Get(t.Context(), name, metav1.GetOptions{}))(t)
			if err := services.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			awaitRegistered(t, b, name, before)
		})
		t.Run("a stop leaves it, and a start keeps its CA", func(t *testing.T) {
			before := must(services.Get(t.Context(), name, metav1.GetOptions{}))(t)
			if err := b.Annex.Stop(); err != nil {
				t.Error(err)
			}
			must(services.Get(t.Context(), name, metav1.GetOptions{}))(t)
			if err := b.Annex.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			awaitRegistered(t, b, name, before)
			if err := harness.WaitServed(within(t, time.Minute), b.config, b.resource("widgets")); err != nil {
				t.Error(err)
			}
		})
	})
}

func servicesAreComplete(t *testing.T, b *backend) {
	registered := must(harness.APIServices(t.Context(), b.config))(t)
	for _, name := range []string{"v1." + b.Domain, "v1.registered." + b.Domain} {
		if !slices.ContainsFunc(registered, func(s unstructured.Unstructured) bool { return s.GetName() == name }) {
			t.Errorf("no APIService %s", name)
		}
	}
	for _, service := range registered {
		name := service.GetName()
		harness.Eventually(t, reloadPatience, func() error {
			object := must(b.dynamic.Resource(harness.APIServiceResource).Get(t.Context(), name, metav1.GetOptions{}))(t)
			return available(object)
		})
		checkField(t, &service, map[string]any{"name": b.Annex.Options().Service, "namespace": "annex-system", "port": b.Annex.Options().Port}, "spec", "service")
		if skip := field(&service, "spec", "insecureSkipTLSVerify"); skip == true {
			t.Errorf("%s does not verify Annex's certificate", name)
		}
		if value, labelled := service.GetLabels()["kube-aggregator.kubernetes.io/automanaged"]; labelled {
			t.Errorf("%s has the label automanaged=%s, so kube-apiserver would remove it", name, value)
		}
		checkBundle(t, name, field(&service, "spec", "caBundle"))
	}
}

func checkBundle(t *testing.T, name string, bundle any) {
	t.Helper()
	text, _ := bundle.(string)
	data := must(base64.StdEncoding.DecodeString(text))(t)
	block, _ := pem.Decode(data)
	if block == nil {
		t.Errorf("%s has no certificate in its CA bundle", name)
		return
	}
	certificate := must(x509.ParseCertificate(block.Bytes))(t)
	if !certificate.IsCA || certificate.NotAfter.Before(time.Now().Add(30*24*time.Hour)) {
		t.Errorf("%s has a CA certificate that is none (%v) or ends soon (%s)", name, certificate.IsCA, certificate.NotAfter)
	}
}

func available(service *unstructured.Unstructured) error {
	if conditionOf(service, "Available") != "True" {
		return fmt.Errorf("%s is not available: %s", service.GetName(), toJSON(service.Object["status"]))
	}
	return nil
}

// awaitRegistered waits until an APIService has the same spec as before and is available.
func awaitRegistered(t *testing.T, b *backend, name string, before *unstructured.Unstructured) {
	t.Helper()
	harness.Eventually(t, 60*time.Second, func() error {
		now, err := b.dynamic.Resource(harness.APIServiceResource).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if toJSON(now.Object["spec"]) != toJSON(before.Object["spec"]) {
			return fmt.Errorf("spec is %s, want %s", toJSON(now.Object["spec"]), toJSON(before.Object["spec"]))
		}
		return available(now)
	})
}
