package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets this program play the process that starts a child and dies: see the first test.
func TestMain(m *testing.M) {
	if log := os.Getenv("HARNESS_TEST_PARENT"); log != "" {
		child, err := StartProcess(Command{Name: "sleep", Path: "/bin/sleep", Args: []string{"600"}, Log: log})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(child.Pid())
		select {} // until it is killed
	}
	os.Exit(m.Run())
}

func TestChildrenDieWithAProcessThatIsKilled(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "HARNESS_TEST_PARENT="+filepath.Join(t.TempDir(), "log"))
	output, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 32)
	n, err := output.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	Eventually(t, 10*time.Second, func() error {
		// Nobody here reaps the orphan, so it may remain as a zombie.
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && !bytes.Contains(status, []byte(") Z ")) {
			return fmt.Errorf("child %d lives: %s", pid, status)
		}
		return nil
	})
}

func TestAProcessThatEndsBeforeItIsReadyShowsItsLog(t *testing.T) {
	process, err := StartProcess(Command{Name: "sad", Path: "/bin/sh", Args: []string{"-c", "echo it hurts; exit 3"}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	err = process.WaitReady(t.Context(), func(context.Context) error { return errors.New("not yet") })
	if err == nil || !strings.Contains(err.Error(), "it hurts") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v", err)
	}
}

func TestStopKillsWhatDoesNotListen(t *testing.T) {
	process, err := StartProcess(Command{Name: "stubborn", Path: "/bin/sh", Args: []string{"-c", "trap '' TERM; while :; do sleep 0.05; done"}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	// SIGTERM before the trap is set would end it.
	Eventually(t, 10*time.Second, func() error {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Pid()))
		if err != nil {
			return err
		}
		for _, line := range strings.Split(string(status), "\n") {
			if mask, found := strings.CutPrefix(line, "SigIgn:"); found {
				value, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
				if err == nil && value&(1<<(uint(syscall.SIGTERM)-1)) != 0 {
					return nil
				}
			}
		}
		return errors.New("the trap is not set yet")
	})
	if err := process.Stop(200 * time.Millisecond); err == nil || process.Running() {
		t.Errorf("Stop returned %v; running: %v", err, process.Running())
	}
}
