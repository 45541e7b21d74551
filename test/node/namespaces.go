package node

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
)

// insideVariable tells a program that it runs in its namespaces already; its value is the name of its folder for control groups.
const insideVariable = "ANNEX_NODE_CGROUP"

// Missing says why no node can run on this machine: "" if one can.
func Missing() string {
	if os.Geteuid() != 0 {
		return "a node needs root"
	}
	for _, name := range []string{"containerd", "ctr", "runc", "iptables", "conntrack", "ip"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Sprintf("there is no %s: run scripts/install node", name)
		}
	}
	if _, err := os.Stat(pluginDir + "/bridge"); err != nil {
		return "there are no network plugins in " + pluginDir + ": run scripts/install node"
	}
	if err := tryNamespaces(); err != nil {
		return fmt.Sprintf("this machine allows no new namespaces: %v", err)
	}
	return ""
}

func tryNamespaces() error {
	command := exec.Command("ip", "link", "add", "node0", "type", "bridge")
	command.SysProcAttr = namespaces()
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}

func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
		Pdeathsig:  syscall.SIGKILL,
	}
}

// InNamespaces runs this program again, with the same arguments and environment, in namespaces of its own, and returns its exit
// code.
func InNamespaces(run func() int) int { return InNamespacesWith(nil, run) }

// InNamespacesWith is InNamespaces with files that are opened outside; inside they are the descriptors 3 and up.
func InNamespacesWith(open func() ([]*os.File, error), run func() int) int {
	if os.Getenv(insideVariable) != "" {
		if err := setUp(); err != nil {
			fmt.Fprintln(os.Stderr, "node:", err)
			return 1
		}
		return run()
	}
	var files []*os.File
	if open != nil {
		var err error
		if files, err = open(); err != nil {
			fmt.Fprintln(os.Stderr, "node:", err)
			return 1
		}
	}
	code, err := runAgain(files)
	if err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
	}
	return code
}

func runAgain(files []*os.File) (int, error) {
	removeAbandonedGroups()
	groups, err := makeGroups()
	if err != nil {
		return 1, err
	}
	command := exec.Command("/proc/self/exe", os.Args[1:]...)
	command.Args[0] = os.Args[0]
	command.Env = append(os.Environ(), insideVariable+"="+groups)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.ExtraFiles = files
	command.SysProcAttr = namespaces()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return 1, errors.Join(err, removeGroups(groups))
	}
	go func() {
		for sent := range signals {
			_ = command.Process.Signal(sent)
		}
	}()
	_ = command.Wait()
	return command.ProcessState.ExitCode(), removeGroups(groups)
}

// setUp gives the namespaces their own view of processes, their own folders to write to, and a network.
func setUp() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to itself: %w", err)
	}
	if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	// Where kubelet, containerd, its shims and the network plugins keep their state; some of these paths cannot be chosen.
	for _, folder := range []string{"/run", "/var/lib", "/var/log"} {
		if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "mode=755"); err != nil {
			return fmt.Errorf("mount %s: %w", folder, err)
		}
	}
	return setUpNetwork()
}
