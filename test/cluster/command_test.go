package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// commandPatience is how long a command may take on a busy machine.
const commandPatience = 2 * time.Minute

// command is a run of the annex program, by the cluster's administrator.
type command struct {
	*exec.Cmd
	output bytes.Buffer // both streams
}

// kubeconfigOf writes a kubeconfig for the time of a test.
func kubeconfigOf(t *testing.T, config *rest.Config) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := harness.WriteKubeconfig(path, config); err != nil {
		t.Fatal(err)
	}
	return path
}

// newCommand prepares a run; KUBECONFIG names the shared cluster.
func newCommand(t *testing.T, args ...string) *command {
	t.Helper()
	kubeconfig := kubeconfigOf(t, shared.cluster.Admin())
	ctx, cancel := context.WithTimeout(context.Background(), commandPatience)
	t.Cleanup(cancel)
	c := &command{Cmd: exec.CommandContext(ctx, must(harness.AnnexBinary())(t), args...)}
	c.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	c.Stdout, c.Stderr = &c.output, &c.output
	return c
}

// end waits for the end and returns the exit code.
func (c *command) end(t *testing.T) int {
	t.Helper()
	err := c.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

// runCommand runs the annex program, which must end with the code and write all of the texts. What goes well has no step that failed on its way.
func runCommand(t *testing.T, code int, args []string, texts ...string) string {
	t.Helper()
	c := newCommand(t, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	got, output := c.end(t), c.output.String()
	if got != code {
		t.Errorf("annex %s: exit code %d, want %d", strings.Join(args, " "), got, code)
	}
	for _, text := range texts {
		if !strings.Contains(output, text) {
			t.Errorf("annex %s: the output lacks %q", strings.Join(args, " "), text)
		}
	}
	if code == 0 && strings.Contains(output, "Failed: ") {
		t.Errorf("annex %s: a step failed", strings.Join(args, " "))
	}
	if t.Failed() {
		t.Fatalf("the output:\n%s", output)
	}
	return output
}

// labelled tells how many definitions of the group ask for adoption.
func (a *adoption) labelled(t *testing.T) int {
	t.Helper()
	list := must(a.dynamic.Resource(definitionResource).List(t.Context(), metav1.ListOptions{LabelSelector: "annex.dev/serve"}))(t)
	count := 0
	for _, item := range list.Items {
		if strings.HasSuffix(item.GetName(), "."+a.Domain) {
			count++
		}
	}
	return count
}

func TestAdoptCommand(t *testing.T) {
	a := newAdoption(t, "command", "widgets", "gadgets")
	namespace := a.namespace(t)
	a.fill(t, namespace, 120)
	if rows := runCommand(t, 0, []string{"adopt", a.Domain, "--dry-run"}, "nothing was changed"); !strings.Contains(rows, "widgets."+a.Domain+"       120   about") {
		t.Errorf("the number of widgets is not in:\n%s", rows)
	}
	if n := a.labelled(t); n != 0 {
		t.Errorf("a dry run labelled %d definitions", n)
	}
	output := runCommand(t, 0, []string{"adopt", a.Domain + "/v1"},
		"All versions of a kind share their objects", "2 definitions labelled annex.dev/serve=true",
		"Served: 120 objects of the group were moved; writes were refused for ", a.Domain+" is served by Annex\n")
	t.Log(output)
	if strings.Contains(output, "Blocked") {
		t.Error("that the definitions are labelled one after the other is told as if it were in the way")
	}
	for key, object := range a.everything(t, "widgets") {
		if versionOf(t, object) <= beyondEtcd {
			t.Errorf("%s is etcd's still", key)
		}
	}
	runCommand(t, 0, []string{"adopt", a.Domain}, a.Domain+" is served by Annex already")
}

func TestAdoptCommandFails(t *testing.T) {
	a := newAdoption(t, "fails", "widgets")
	t.Run("for a group that there is not", func(t *testing.T) {
		runCommand(t, 1, []string{"adopt", "nobody.example.dev"}, `no CustomResourceDefinition of the group "nobody.example.dev"`)
		runCommand(t, 1, []string{"adopt", a.Domain + "/v7"}, `has a version "v7"`)
	})
	t.Run("for a wrong command line", func(t *testing.T) {
		runCommand(t, 2, []string{"adopt", "Widgets!"}, "is no group")
		runCommand(t, 2, []string{"adopt", a.Domain, "--context", "elsewhere"}, `there is no entry named "elsewhere"`)
	})
	t.Run("while a webhook looks at the objects, and changes nothing", func(t *testing.T) {
		webhooks := a.dynamic.Resource(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"})
		hook := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": map[string]any{"name": "fails-adoption"},
			"webhooks": []any{map[string]any{
				"name": "hook.example.dev", "sideEffects": "None", "admissionReviewVersions": []any{"v1"}, "failurePolicy": "Ignore",
				"clientConfig": map[string]any{"url": "https://127.0.0.1:1/"},
				"rules":        []any{map[string]any{"apiGroups": []any{a.Domain}, "apiVersions": []any{"*"}, "operations": []any{"*"}, "resources": []any{"widgets"}}},
			}},
		}}
		must(webhooks.Create(t.Context(), hook, metav1.CreateOptions{}))(t)
		defer func() { _ = webhooks.Delete(context.Background(), hook.GetName(), metav1.DeleteOptions{}) }()
		runCommand(t, 1, []string{"adopt", a.Domain}, `in the way: ValidatingWebhookConfiguration "fails-adoption"`, "nothing was changed")
		if n := a.labelled(t); n != 0 {
			t.Errorf("%d definitions were labelled", n)
		}
	})
	t.Run("with a word about SIGINT, and goes on when it is run again", func(t *testing.T) {
		if err := a.annex.Stop(); err != nil {
			t.Fatal(err)
		}
		c := newCommand(t, "adopt", a.Domain)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		harness.Eventually(t, time.Minute, func() error {
			if a.labelled(t) == 0 {
				return errors.New("the definition is not labelled")
			}
			return nil
		})
		if err := c.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if code := c.end(t); code != 1 || !strings.Contains(c.output.String(), "run the same command again to follow") {
			t.Errorf("exit code %d:\n%s", code, c.output.String())
		}
		// Nobody is there to take it up.
		runCommand(t, 1, []string{"adopt", a.Domain}, "no Annex took it up", "annex doctor")
		a.start(t)
		runCommand(t, 0, []string{"adopt", a.Domain}, a.Domain+" is served by Annex")
	})
}

func TestPurgeCommand(t *testing.T) {
	a := newAdoption(t, "purge", "widgets", "gadgets")
	a.fill(t, a.namespace(t), 100)
	runCommand(t, 1, []string{"purge", a.Domain, "--yes"}, "is not served by Annex")
	runCommand(t, 0, []string{"adopt", a.Domain})
	runCommand(t, 1, []string{"purge", a.Domain}, "Nobody can be asked here: add --yes", "nothing was changed")
	t.Log(runCommand(t, 0, []string{"purge", a.Domain, "--yes"}, "2 definitions annotated annex.dev/purge=old-copies",
		"Purged: 100 old copies were removed from etcd", a.Domain+" is in Annex alone"))
	runCommand(t, 0, []string{"purge", a.Domain, "--yes"}, "has no old copies in etcd any more")
	if objects := a.everything(t, "widgets"); len(objects) != 100 {
		t.Errorf("%d widgets are left, want 100", len(objects))
	}
}

func TestReleaseCommand(t *testing.T) {
	a := newAdoption(t, "giveback", "widgets", "gadgets")
	a.fill(t, a.namespace(t), 100)
	runCommand(t, 1, []string{"release", a.Domain}, "is not served by Annex")
	runCommand(t, 0, []string{"adopt", a.Domain})
	t.Log(runCommand(t, 0, []string{"release", a.Domain}, "2 definitions labelled annex.dev/serve=false", "Released: ", "is served by kube-apiserver again"))
	for key, object := range a.everything(t, "widgets") {
		if versionOf(t, object) >= beyondEtcd {
			t.Errorf("%s is not etcd's", key)
		}
	}
	runCommand(t, 0, []string{"release", a.Domain}, "was given back already")
	// And over again, with a purge of each time.
	runCommand(t, 0, []string{"adopt", a.Domain}, a.Domain+" is served by Annex\n")
	runCommand(t, 0, []string{"purge", a.Domain, "--yes"}, "Purged: 100 old copies were removed from etcd")
	runCommand(t, 0, []string{"release", a.Domain}, "is served by kube-apiserver again")
	runCommand(t, 0, []string{"adopt", a.Domain}, a.Domain+" is served by Annex\n")
	runCommand(t, 0, []string{"purge", a.Domain, "--yes"}, "Purged: 100 old copies were removed from etcd")
}

// A kubeconfig whose credentials come from a program is of use through kubectl, which runs it.
func TestCommandsGoThroughKubectlProxy(t *testing.T) {
	if shared.cluster == nil {
		t.Skip("no cluster was started")
	}
	port := must(harness.FreePort())(t)
	kubectl := filepath.Join(must(harness.BinariesDir())(t), "kubectl")
	process := must(harness.StartProcess(harness.Command{
		Name: "kubectl-proxy", Path: kubectl, Log: filepath.Join(t.TempDir(), "log"),
		Args: []string{"--kubeconfig", kubeconfigOf(t, shared.cluster.Admin()), "proxy", fmt.Sprintf("--port=%d", port)},
	}))(t)
	t.Cleanup(func() { _ = process.Stop(5 * time.Second) })
	server := fmt.Sprintf("http://127.0.0.1:%d", port)
	harness.Eventually(t, 20*time.Second, func() error {
		answer, err := http.Get(server + "/version")
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	})
	runCommand(t, 0, []string{"doctor", "--server", server + "/"}, "Kubernetes v1.34.4 at "+server)
	runCommand(t, 2, []string{"doctor", "--server", "somewhere"}, "is no http(s) URL")

	config := filepath.Join(t.TempDir(), "kubeconfig")
	text := "current-context: x\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nclusters: [{name: x, cluster: {server: " + server + "}}]\n" +
		"users: [{name: x, user: {exec: {command: get-token}}}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	runCommand(t, 2, []string{"doctor", "--kubeconfig", config}, "user.exec is not supported", "kubectl proxy")
}
