package corpus

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annex.dev/annex/test/cluster/harness"
	"annex.dev/annex/test/parity"
)

// suite is what all projects of a run share.
type suite struct {
	sides   [2]*parity.Side
	cluster *harness.Cluster
	annex   *harness.Annex
	summary summary
	open    map[string]parity.Known // by "PROJECT: DEFINITION": what is known to differ and is to be mended

	mutex  sync.Mutex
	groups map[string]*sync.Mutex // by name: projects that share one take turns
	places chan struct{}
}

// projectsAtOnce is how many projects are served at a time. The more definitions there are, the longer kube-apiserver takes to
// publish one more.
const projectsAtOnce = 3

var shared = suite{groups: map[string]*sync.Mutex{}, places: make(chan struct{}, projectsAtOnce)}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "annex-corpus-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	defer shared.stop()
	if err := shared.start(ctx, dir); err != nil {
		fmt.Fprintf(os.Stderr, "cannot start the servers: %v\nlogs are kept in %s\n", err, dir)
		return 1
	}
	code := m.Run()
	shared.summary.print()
	if code == 0 {
		_ = os.RemoveAll(dir)
	} else {
		fmt.Fprintf(os.Stderr, "logs and data are kept in %s\n", dir)
	}
	return code
}

func (s *suite) start(ctx context.Context, dir string) error {
	var err error
	if s.cluster, err = harness.StartCluster(ctx, harness.ClusterOptions{Dir: filepath.Join(dir, "cluster")}); err != nil {
		return err
	}
	s.annex, err = harness.StartAnnex(ctx, harness.AnnexOptions{Mode: harness.Standalone, DataDir: filepath.Join(dir, "annex", "data")})
	if err != nil {
		return err
	}
	config, err := s.annex.Admin()
	if err != nil {
		return err
	}
	if s.sides[0], err = parity.NewSide("kube-apiserver", s.cluster.Admin()); err != nil {
		return err
	}
	if s.sides[1], err = parity.NewSide("annex", config); err != nil {
		return err
	}
	body := []byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + namespace + `"}}`)
	for _, side := range s.sides {
		answer, err := side.Send(ctx, send(http.MethodPost, "/api/v1/namespaces", body, contentJSON))
		if err != nil {
			return err
		}
		if answer.Code != http.StatusCreated {
			return fmt.Errorf("making the namespace: %s: %d %s", side.Name, answer.Code, answer.Body)
		}
	}
	return nil
}

func (s *suite) stop() {
	if s.annex != nil {
		if err := s.annex.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "annex did not end cleanly: %v\n", err)
		}
	}
	if s.cluster != nil {
		s.cluster.Stop()
	}
}

// hold waits until no other project has definitions in the groups of these and few projects are served, and returns what ends
// that.
func (s *suite) hold(definitions []*Definition) (release func()) {
	var names []string
	for _, d := range definitions {
		names = append(names, d.Group)
	}
	slices.Sort(names) // all take them in one order
	var held []*sync.Mutex
	for _, name := range slices.Compact(names) {
		s.mutex.Lock()
		if s.groups[name] == nil {
			s.groups[name] = &sync.Mutex{}
		}
		lock := s.groups[name]
		s.mutex.Unlock()
		lock.Lock()
		held = append(held, lock)
	}
	s.places <- struct{}{}
	return func() {
		<-s.places
		for _, lock := range held {
			lock.Unlock()
		}
	}
}

func TestCorpus(t *testing.T) {
	modules, err := LoadModules("modules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	projects := map[string][]Module{}
	var names []string
	for _, module := range modules {
		if projects[module.Project] == nil {
			names = append(names, module.Project)
		}
		projects[module.Project] = append(projects[module.Project], module)
	}
	shared.open, err = parity.LoadKnown("open.yaml", func(key string) bool {
		project, _, _ := strings.Cut(key, ": ")
		return projects[project] != nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testProject(t, name, projects[name])
		})
	}
}

func testProject(t *testing.T, name string, modules []Module) {
	definitions, err := LoadProject(modules)
	if errors.Is(err, ErrUnavailable) {
		shared.summary.skip(name, err)
		t.Skipf("the definitions of %s cannot be had here: %v", name, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer shared.hold(definitions)()
	harness.ShowLogOnFailure(t, shared.annex.Process().LogPath())
	project := Project{Name: name, Definitions: definitions, sides: shared.sides}
	begun := time.Now()
	results, err := project.Run(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, result := range results {
		judge(t, name+": "+result.Name(), result)
	}
	shared.summary.add(name, results, time.Since(begun))
}

// judge fails the test if what came out is not what open.yaml says.
func judge(t *testing.T, key string, result *Result) {
	entry, open := shared.open[key]
	switch {
	case len(result.Differences) == 0 && open:
		t.Errorf("%s no longer differs: take it out of open.yaml", key)
	case open:
		result.Open = true
		t.Logf("%s differs: %s", key, entry.Why)
	default:
		for _, difference := range result.Differences {
			t.Errorf("%s: %s", key, difference)
		}
	}
}
