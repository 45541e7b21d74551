package node_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"annex.dev/annex/test/cluster/harness"
)

// annex doctor finds nothing to mend in what the manifests install, from a person's machine and beside Annex.
func TestBDoctorIsContent(t *testing.T) {
	w := needNode(t)
	check := func(t *testing.T, command *exec.Cmd, texts ...string) {
		t.Helper()
		output, err := command.CombinedOutput()
		for _, text := range texts {
			if err != nil || !strings.Contains(string(output), text) {
				t.Fatalf("%v; the text %q is wanted in:\n%s", err, text, output)
			}
		}
	}
	t.Run("from outside", func(t *testing.T) {
		binary, err := harness.AnnexBinary()
		if err != nil {
			t.Fatal(err)
		}
		check(t, exec.CommandContext(t.Context(), binary, "doctor", "--kubeconfig", filepath.Join(w.Dir(), "admin.kubeconfig")),
			"the Deployment annex runs the image annex:", "the pod annex-", "the Service annex-system/annex leads to a pod",
			"kube-apiserver reaches Annex for", "has the rights to serve")
	})
	t.Run("in the pod, with what its account may see", func(t *testing.T) {
		check(t, w.command(t.Context(), "exec", "-n", namespace, "deploy/annex", "--", "annex", "doctor"),
			"Kubernetes v1.", "kube-apiserver reaches Annex for", "has the rights to serve")
	})
}
