package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a child process whose output goes to a log file. It is killed by the kernel when this process dies, however
// that happens, and is always waited for. Safe for use by several goroutines.
type Process struct {
	name    string
	logPath string
	cmd     *exec.Cmd
	done    chan struct{}
	err     error // how it ended; to be read after done is closed
}

// Command says what to run. Env is added to the environment of this process.
type Command struct {
	Name string // for messages and for the log's file name
	Path string
	Args []string
	Env  []string
	Log  string // appended to, so that the log of a restarted process keeps its history
}

// StartProcess starts command. An error means that nothing runs.
func StartProcess(command Command) (*Process, error) {
	if err := os.MkdirAll(filepath.Dir(command.Log), 0o755); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(command.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()

	cmd := exec.Command(command.Path, command.Args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), command.Env...)
	// A group of its own: Ctrl-C in a terminal reaches only this process, which then stops its children in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := startFromLastingThread(cmd); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", command.Name, err)
	}
	p := &Process{name: command.Name, logPath: command.Log, cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Pid returns the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// LogPath returns the file that holds what the process wrote.
func (p *Process) LogPath() string { return p.logPath }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running reports whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Stop asks the process to end with SIGTERM, waits, and kills it if it takes longer than grace. It returns an error if
// killing was needed or if the process ended with a failure. Stopping an ended process does nothing.
func (p *Process) Stop(grace time.Duration) error {
	if !p.Running() {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return p.err
	case <-time.After(grace):
		p.Kill()
		return fmt.Errorf("%s did not end within %s of SIGTERM and was killed", p.name, grace)
	}
}

// Kill ends the process with SIGKILL and waits until it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Freeze stops the process from running (SIGSTOP), with all its connections open, until Thaw.
func (p *Process) Freeze() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// Wait returns how the process ended: nil for exit code 0.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WaitReady calls check until it returns nil. It gives up when the process ends or ctx does; the error then carries the
// last failure and the end of the log.
func (p *Process) WaitReady(ctx context.Context, check func(context.Context) error) error {
	var last error
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if last = check(ctx); last == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before it was ready (%v); end of its log:\n%s", p.name, p.err, LogTail(p.logPath, 20))
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; end of its log:\n%s", p.name, errors.Join(ctx.Err(), last), LogTail(p.logPath, 20))
		case <-tick.C:
		}
	}
}

// LogTail returns the last lines of a log file, or what stopped it from being read.
func LogTail(path string, lines int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return strings.Join(all, "\n")
}

// The parent-death signal is sent when the *thread* that forked ends, not the process. So all children are forked by one
// goroutine that holds its thread for as long as this process lives.
var (
	spawnerOnce sync.Once
	spawner     chan func()
)

func startFromLastingThread(cmd *exec.Cmd) error {
	spawnerOnce.Do(func() {
		spawner = make(chan func())
		go func() {
			runtime.LockOSThread()
			for start := range spawner {
				start()
			}
		}()
	})
	result := make(chan error)
	spawner <- func() { result <- cmd.Start() }
	return <-result
}
