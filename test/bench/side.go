package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// sideName names one of the servers that are compared.
type sideName string

const (
	native sideName = "native"
	annex  sideName = "annex"
)

// side is a running server with the definition installed.
type side struct {
	name      sideName
	group     string // the API group of the definition: two sides may share a cluster
	client    *client
	processes func() []*harness.Process
	stop      func()
	server    *harness.Annex // nil for native
	// population is how many objects the small namespace holds.
	population int
}

func startNative(ctx context.Context, dir string, connections int) (*side, error) {
	cluster, err := harness.StartCluster(ctx, harness.ClusterOptions{Dir: filepath.Join(dir, "native"), Durable: true})
	if err != nil {
		return nil, err
	}
	processes := func() []*harness.Process {
		all := cluster.Processes()
		return []*harness.Process{all["kube-apiserver"], all["etcd"]}
	}
	return newSide(ctx, &side{name: native, group: "native.example.dev", processes: processes, stop: cluster.Stop}, cluster.Admin(), connections)
}

func startAnnex(ctx context.Context, dir string, connections int) (*side, error) {
	server, err := harness.StartAnnex(ctx, harness.AnnexOptions{Mode: harness.Standalone, DataDir: filepath.Join(dir, "annex")})
	if err != nil {
		return nil, err
	}
	config, err := server.Admin()
	if err != nil {
		_ = server.Stop()
		return nil, err
	}
	s := &side{
		name:      annex,
		group:     "annex.example.dev",
		processes: func() []*harness.Process { return []*harness.Process{server.Process()} },
		stop:      func() { _ = server.Stop() },
		server:    server,
	}
	return newSide(ctx, s, config, connections)
}

func newSide(ctx context.Context, s *side, config *rest.Config, connections int) (*side, error) {
	var err error
	s.population = smallCount
	if s.client, err = newClient(config, connections); err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return s, nil
}

// prepare installs the definition and makes the namespaces.
func (s *side) prepare(ctx context.Context) error {
	for _, namespace := range []string{smallNamespace, largeNamespace, scratchNamespace} {
		body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, namespace)
		if _, err := s.client.do(ctx, request{method: "POST", path: "/api/v1/namespaces", body: []byte(body)}); err != nil {
			return err
		}
	}
	if err := s.install(ctx, "widgets", "Widget"); err != nil {
		return err
	}
	return harness.Poll(ctx, func() error {
		_, err := s.client.do(ctx, request{method: "GET", path: s.collection(smallNamespace) + "?limit=1"})
		return err
	})
}

// install creates a definition; it does not wait until it is served.
func (s *side) install(ctx context.Context, plural, kind string) error {
	_, err := s.client.do(ctx, request{
		method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		body: definition(s.group, plural, kind), contentType: "application/yaml",
	})
	return err
}

// usage is what the server's processes have used since they started.
type usage struct {
	processor time.Duration // user and system
	resident  int64         // bytes
}

func (u usage) since(before usage) time.Duration { return u.processor - before.processor }

func (s *side) usage() (usage, error) {
	var sum usage
	for _, process := range s.processes() {
		one, err := processUsage(process.Pid())
		if err != nil {
			return sum, err
		}
		sum.processor += one.processor
		sum.resident += one.resident
	}
	return sum, nil
}

// processUsage returns the processor time of all threads that the process has or had, exact to the nanosecond, from its clock:
// /proc/PID/stat has the same number in hundredths of a second.
func processUsage(pid int) (usage, error) {
	var clock unix.Timespec
	// What clock_getcpuclockid(3) makes of a process id: the kernel's CPUCLOCK_SCHED.
	if err := unix.ClockGettime(int32(^pid<<3|2), &clock); err != nil {
		return usage{}, fmt.Errorf("the processor time of process %d: %w", pid, err)
	}
	resident, err := residentBytes(pid)
	return usage{processor: time.Duration(clock.Nano()), resident: resident}, err
}

// residentBytes reads /proc/PID/statm: the second field is the number of resident pages (proc(5)).
func residentBytes(pid int) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
		return 0, err
	}
	return resident * int64(os.Getpagesize()), nil
}
