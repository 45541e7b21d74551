package cluster_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"annex.dev/annex/test/cluster/harness"
)

// report is what annex doctor -o json writes.
type report struct {
	Checks    []struct{ Level, Check, Message, Remedy string }
	Kinds     []kind
	EtcdBytes int64
}

type kind struct {
	Name           string
	Objects, Bytes int
	Estimated      bool
	ServedBy       string
	Obstacles      []string
}

func doctor(t *testing.T, code int, args ...string) (r report) {
	t.Helper()
	output := runCommand(t, code, append([]string{"doctor", "-o", "json"}, args...))
	if err := json.Unmarshal([]byte(output), &r); err != nil {
		t.Fatalf("%v in:\n%s", err, output)
	}
	return r
}

// says fails the test unless a check of the level has a message with the text and, if it is not ok, a remedy.
func (r report) says(t *testing.T, level, check, text string) {
	t.Helper()
	for _, c := range r.Checks {
		if c.Level == level && c.Check == check && strings.Contains(c.Message, text) && (level == "ok") == (c.Remedy == "") {
			return
		}
	}
	t.Errorf("no %s of %q has the text %q: %+v", level, check, text, r.Checks)
}

func TestDoctor(t *testing.T) {
	a := newAdoption(t, "doctor", "widgets", "gadgets")
	a.fill(t, a.namespace(t), 200)
	t.Log(runCommand(t, 0, []string{"doctor"}, "OBJECTS", "SERVED BY"))

	t.Run("a cluster that is as it should be", func(t *testing.T) {
		r := doctor(t, 0)
		r.says(t, "ok", "cluster", "Kubernetes v1.34.4 at https://")
		r.says(t, "ok", "aggregation", "is configured")
		r.says(t, "ok", "servers", "one kube-apiserver")
		r.says(t, "ok", "service", "annex-system/annex")
		r.says(t, "ok", "rights", "has the rights to serve")
		if slices.ContainsFunc(shared.backends, func(b *backend) bool { return b.Annex != nil && b.Name == "aggregated" }) {
			r.says(t, "ok", "apiservices", "kube-apiserver reaches Annex")
			r.says(t, "ok", "tls", "holds until")
		}
	})
	t.Run("kinds by how much they are", func(t *testing.T) {
		r := doctor(t, 0)
		if r.EtcdBytes == 0 {
			t.Error("the size of etcd's database is not told")
		}
		for i, kind := range r.Kinds {
			if i > 0 && kind.Bytes > r.Kinds[i-1].Bytes {
				t.Errorf("%s is after a smaller kind", kind.Name)
			}
			if kind.Name == "widgets."+a.Domain && (kind.Objects != 200 || kind.Bytes < 200*300 || kind.ServedBy != "etcd" || len(kind.Obstacles) > 0) {
				t.Errorf("%+v, want 200 objects in etcd with nothing in the way", kind)
			}
		}
	})
	t.Run("an adoption under way is looked at", func(t *testing.T) {
		a.label(t, "widgets."+a.Domain) // and not gadgets
		a.awaitReason(t, "widgets."+a.Domain, "Blocked")
		r := doctor(t, 0)
		r.says(t, "warning", "adoption", "something is in the way")
		r.says(t, "ok", "rights", "has the rights to adopt")
		a.label(t, "gadgets."+a.Domain)
		a.awaitAdopted(t)
		r = doctor(t, 0, "--service-name", "adopt-doctor")
		r.says(t, "ok", "adoption", "Annex serves 2 of the cluster's own definitions")
		if i := slices.IndexFunc(r.Kinds, func(k kind) bool { return k.Name == "widgets."+a.Domain }); i < 0 || r.Kinds[i].ServedBy != "Annex" {
			t.Errorf("widgets are not among what Annex serves: %+v", r.Kinds)
		}
	})
	t.Run("what is not there", func(t *testing.T) {
		r := doctor(t, 1, "--service-name", "nowhere")
		r.says(t, "warning", "service", "there is no Service annex-system/nowhere")
		r.says(t, "error", "adoption", "is not installed")
	})
	t.Run("a server that cannot be reached", func(t *testing.T) {
		services := a.dynamic.Resource(harness.APIServiceResource)
		service := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": "v1.unreachable.example.dev"},
			"spec": map[string]any{
				"group": "unreachable.example.dev", "version": "v1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(15),
				"service": map[string]any{"namespace": "annex-system", "name": "gone", "port": int64(443)}, "insecureSkipTLSVerify": true,
			},
		}}
		must(services.Create(t.Context(), service, metav1.CreateOptions{}))(t)
		defer func() { _ = services.Delete(context.Background(), service.GetName(), metav1.DeleteOptions{}) }()
		r := doctor(t, 1, "--service-name", "gone")
		r.says(t, "error", "apiservices", "v1.unreachable.example.dev is not available")
		r.says(t, "warning", "tls", "lets kube-apiserver trust any certificate")
	})
	t.Run("a cluster that does not answer", func(t *testing.T) {
		config := shared.cluster.Admin()
		config.Host = "https://127.0.0.1:1"
		r := doctor(t, 1, "--kubeconfig", kubeconfigOf(t, config))
		r.says(t, "error", "cluster", "kube-apiserver")
	})
}
