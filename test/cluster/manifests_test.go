package cluster_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"annex.dev/annex/test/cluster/harness"
)

// repository is the working copy, as seen from this package's folder.
const repository = "../.."

// TestManifests shows every combination of what an installation is put together from to kube-apiserver, which checks it as if it
// were installed. test/node installs one.
func TestManifests(t *testing.T) {
	if shared.cluster == nil {
		t.Skip("there is no cluster: only the backend standalone was selected")
	}
	m := &manifests{kubectl: filepath.Join(must(harness.BinariesDir())(t), "kubectl"), home: t.TempDir()}
	m.kubeconfig = filepath.Join(m.home, "kubeconfig")
	if err := harness.WriteKubeconfig(m.kubeconfig, shared.cluster.Admin()); err != nil {
		t.Fatal(err)
	}
	// Objects are only judged in a namespace that is there; its labels make kube-apiserver judge the pods too.
	if output, err := m.run(t, "", "apply", "-f", filepath.Join(repository, "manifests/base/namespace.yaml")); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, test := range []struct {
		name       string
		resource   string
		components []string
		privileged bool // beyond Pod Security "restricted"
	}{
		{name: "base", resource: "manifests/base"},
		{name: "files", resource: "manifests/files"},
		{name: "samples", resource: "manifests/samples"},
		{name: "adopt", resource: "manifests/adopt"},
		{name: "host network", resource: "manifests/files", components: []string{"manifests/options/host-network"}, privileged: true},
		{name: "port 10250", resource: "manifests/files", components: []string{"manifests/options/port-10250"}},
	} {
		t.Run(test.name+" is what kube-apiserver accepts", func(t *testing.T) {
			rendered := m.render(t, test.resource, test.components)
			output, err := m.run(t, rendered, "apply", "--dry-run=server", "-f", "-")
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if violates := strings.Contains(output, "would violate PodSecurity"); violates != test.privileged {
				t.Errorf("the pod violates Pod Security \"restricted\": %v\n%s", violates, output)
			}
			if !strings.Contains(output, "deployment.apps/annex created (server dry run)") {
				t.Errorf("there is no Deployment:\n%s", output)
			}
		})
	}
	for file, from := range map[string]string{"annex": "files", "annex-adopt": "adopt"} {
		t.Run("the single file "+file+".yaml is what manifests/"+from+" renders to", func(t *testing.T) {
			text := string(must(os.ReadFile(filepath.Join(repository, "manifests", file+".yaml")))(t))
			if _, objects, _ := strings.Cut(text, "\napiVersion"); "apiVersion"+objects != m.render(t, "manifests/"+from, nil) {
				t.Errorf("manifests/%s.yaml is out of date: run scripts/manifests", file)
			}
		})
	}
	t.Run("the alerts for the operator are those of the file", func(t *testing.T) {
		text := string(must(os.ReadFile(filepath.Join(repository, "manifests/monitoring/prometheusrule.yaml")))(t))
		rules := string(must(os.ReadFile(filepath.Join(repository, "manifests/monitoring/rules.yaml")))(t))
		var object struct{ Spec any }
		var file any
		if err := errors.Join(yaml.Unmarshal([]byte(text), &object), yaml.Unmarshal([]byte(rules), &file)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(object.Spec, file) {
			t.Error("manifests/monitoring/prometheusrule.yaml is out of date: run scripts/manifests")
		}
	})
	t.Run("the ClusterRole for a group is what its instructions make", func(t *testing.T) {
		output, err := m.run(t, "", "create", "clusterrole", "annex-adopt-example", "--verb=get,list,watch,create,update,patch,delete", "--resource=*.example.com", "--dry-run=server", "-o", "jsonpath={.rules}")
		if want := `[{"apiGroups":["example.com"],"resources":["*"],"verbs":["get","list","watch","create","update","patch","delete"]}]`; err != nil || output != want {
			t.Errorf("%v: %s, want %s", err, output, want)
		}
	})
}

type manifests struct{ kubectl, kubeconfig, home string }

func (m *manifests) run(t testing.TB, input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, m.kubectl, append([]string{"--kubeconfig", m.kubeconfig}, args...)...)
	command.Env = append(os.Environ(), "HOME="+m.home)
	command.Stdin = strings.NewReader(input)
	output, err := command.CombinedOutput()
	return string(output), err
}

// render is what a user's own kustomization of these parts gives.
func (m *manifests) render(t *testing.T, resource string, components []string) string {
	t.Helper()
	// Kustomize takes only relative paths.
	dir := must(os.MkdirTemp(must(filepath.Abs(repository))(t), ".kustomize-"))(t)
	defer os.RemoveAll(dir)
	text := "resources: [../" + resource + "]\n"
	for i, component := range components {
		if i == 0 {
			text += "components:\n"
		}
		text += "  - ../" + component + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	rendered, err := m.run(t, "", "kustomize", dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, rendered)
	}
	return rendered
}
