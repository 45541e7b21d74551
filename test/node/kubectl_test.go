package node_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const kubectlTimeout = 90 * time.Second

// command is kubectl with the rights of an administrator.
func (w *world) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, w.Binary("kubectl"), append([]string{"--kubeconfig", filepath.Join(w.Dir(), "admin.kubeconfig")}, args...)...)
	command.Env = []string{"HOME=" + w.Dir()}
	command.Dir = root
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command
}

// kubectl runs kubectl in the working copy's folder, and fails the test if it fails. It returns what it wrote to standard output.
func (w *world) kubectl(t testing.TB, args ...string) string {
	t.Helper()
	return w.feed(t, "", args...)
}

// feed is kubectl with standard input.
func (w *world) feed(t testing.TB, input string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), kubectlTimeout)
	defer cancel()
	command := w.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}
