package cluster_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"annex.dev/annex/test/cluster/harness"
)

// language is a programming language with an official Kubernetes client, and how its program in clients/ is run in the folder
// that scripts/client-libraries made.
type language struct {
	name    string
	parts   int // how many lines "ok" the program prints
	command func(library, program string) (string, []string)
	program string
}

var languages = []language{
	{"python", 6, func(library, program string) (string, []string) {
		return filepath.Join(library, "bin", "python"), []string{program}
	}, "widgets.py"},
	{"javascript", 4, func(_, program string) (string, []string) { return "node", []string{program} }, "widgets.mjs"},
}

func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			library := l.library(t)
			forEachAtOnce(t, everywhere, func(t *testing.T, b *backend) { l.use(t, b, library) })
		})
	}
}

// library returns the folder of the language's client.
func (l language) library(t *testing.T) string {
	var stderr bytes.Buffer
	install := exec.CommandContext(within(t, 5*time.Minute), "../../scripts/client-libraries", l.name)
	install.Stderr = &stderr
	output, err := install.Output()
	if err != nil {
		t.Skipf("no client for %s: %s", l.name, stderr.String())
	}
	return strings.TrimSpace(string(output))
}

func (l language) use(t *testing.T, b *backend, library string) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := harness.WriteKubeconfig(kubeconfig, b.config); err != nil {
		t.Fatal(err)
	}
	program := must(filepath.Abs(filepath.Join("clients", l.name, l.program)))(t)
	path, args := l.command(library, program)
	cmd := exec.CommandContext(within(t, 2*time.Minute), path, append(args, kubeconfig, b.Domain, b.namespace(t))...)
	cmd.Dir = library
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if done := strings.Count("\n"+string(output), "\nok "); done != l.parts {
		t.Errorf("%d parts were done, want %d:\n%s", done, l.parts, output)
	}
}
