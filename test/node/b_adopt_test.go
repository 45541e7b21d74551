package node_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"annex.dev/annex/test/cluster/harness"
)

// movedDefinition is one of the cluster's own, with two objects.
const movedDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.moved.example.dev}
spec:
  group: moved.example.dev
  scope: Namespaced
  names: {plural: crates, kind: Crate}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

const movedObjects = `
apiVersion: moved.example.dev/v1
kind: Crate
metadata: {namespace: default, name: one}
---
apiVersion: moved.example.dev/v1
kind: Crate
metadata: {namespace: default, name: two}
`

// A group moves to the pod by the commands of docs/operations.md: manifests/adopt, a ClusterRole with a label, annex adopt.
func TestBAdoptMovesAGroup(t *testing.T) {
	w := needNode(t)
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	w.kubectl(t, "apply", "-f", file("definition.yaml", movedDefinition))
	w.kubectl(t, "wait", "--for=condition=Established", "crd/crates.moved.example.dev")
	objects := file("objects.yaml", movedObjects)
	harness.Eventually(t, 20*time.Second, func() error { return w.command(t.Context(), "apply", "-f", objects).Run() })
	w.kubectl(t, "apply", "-k", "manifests/adopt")
	w.kubectl(t, "rollout", "status", "-n", namespace, "deployment/annex", "--timeout=60s")
	w.kubectl(t, "create", "clusterrole", "annex-adopt-example", "--verb=get,list,watch,create,update,patch,delete", "--resource=*.moved.example.dev")
	w.kubectl(t, "label", "clusterrole", "annex-adopt-example", "rbac.annex.dev/aggregate-to-adopt=true")

	binary, err := harness.AnnexBinary()
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), binary, "adopt", "moved.example.dev", "--timeout=2m", "--kubeconfig", filepath.Join(w.Dir(), "admin.kubeconfig")).CombinedOutput()
	t.Logf("%s", output)
	if err != nil {
		t.Fatal(err)
	}
	versions := w.kubectl(t, "get", "crates", "-o", "jsonpath={range .items[*]}{.metadata.name}={.metadata.resourceVersion} {end}")
	// Annex's resourceVersions have thirteen digits and more.
	for object := range strings.FieldsSeq(versions) {
		if name, version, _ := strings.Cut(object, "="); len(version) < 13 {
			t.Errorf("%s has the resourceVersion %s, as if etcd had it", name, version)
		}
	}
	if strings.Count(versions, "=") != 2 {
		t.Errorf("the objects are %s", versions)
	}

	w.kubectl(t, "delete", "crd", "crates.moved.example.dev", "--timeout=60s")
	harness.Eventually(t, time.Minute, func() error {
		if left := w.kubectl(t, "get", "validatingadmissionpolicies", "-l", "app.kubernetes.io/managed-by=annex", "-o", "name"); left != "" {
			return fmt.Errorf("the guard of a group that is gone is there: %s", left)
		}
		return nil
	})
	w.kubectl(t, "delete", "clusterrole", "annex-adopt-example")
	w.kubectl(t, "apply", "-k", "manifests/samples")
	w.kubectl(t, "delete", "-f", "manifests/adopt/rights.yaml")
	w.kubectl(t, "rollout", "status", "-n", namespace, "deployment/annex", "--timeout=60s")
}
