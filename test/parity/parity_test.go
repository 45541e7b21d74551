package parity

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annex.dev/annex/test/cluster/harness"
	"sigs.k8s.io/yaml"
)

// suite is what all scenarios of a run share.
type suite struct {
	sides    [2]*Side
	backends [2]*harness.Backend
	webhook  *Webhook
	files    []File
	declared map[string]Known
	open     map[string]Known

	mutex   sync.Mutex
	results map[string]*tally // by folder
}

// tally counts the scenarios of a folder.
type tally struct{ equal, declared, open, different int }

var shared *suite

func TestMain(m *testing.M) {
	os.Exit(runSuite(m))
}

func runSuite(m *testing.M) int {
	dir, err := os.MkdirTemp("", "annex-parity-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	shared = &suite{results: map[string]*tally{}}
	defer shared.stop()
	if err := shared.load(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := shared.start(ctx, dir); err != nil {
		fmt.Fprintf(os.Stderr, "cannot start what the scenarios need: %v\nlogs are kept in %s\n", err, dir)
		return 1
	}
	code := m.Run()
	shared.printSummary()
	if code == 0 {
		_ = os.RemoveAll(dir)
	} else {
		fmt.Fprintf(os.Stderr, "logs and data are kept in %s\n", dir)
	}
	return code
}

func (s *suite) load() error {
	var err error
	if s.files, err = LoadFiles("scenarios"); err != nil {
		return err
	}
	keys := map[string]bool{}
	for _, file := range s.files {
		for _, scenario := range file.Scenarios {
			keys[file.Key(scenario)] = true
		}
	}
	exists := func(key string) bool { return keys[key] }
	if s.declared, err = LoadKnown("declared.yaml", exists); err != nil {
		return err
	}
	if s.open, err = LoadKnown("open.yaml", exists); err != nil {
		return err
	}
	compatibility, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		return err
	}
	return CheckRows(s.declared, string(compatibility))
}

func (s *suite) start(ctx context.Context, dir string) error {
	var err error
	if s.webhook, err = StartWebhook(); err != nil {
		return err
	}
	for i := range s.files {
		s.files[i].Offer(s.webhook.Words())
	}
	cluster, err := harness.StartCluster(ctx, harness.ClusterOptions{Dir: filepath.Join(dir, "cluster")})
	if err != nil {
		return err
	}
	s.backends[0] = harness.NativeBackend(cluster)
	annex, err := harness.StartAnnex(ctx, harness.AnnexOptions{Mode: harness.Standalone, DataDir: filepath.Join(dir, "annex", "data")})
	if err != nil {
		return err
	}
	s.backends[1] = harness.StandaloneBackend(annex)
	for i, name := range []string{"kube-apiserver", "annex"} {
		config, err := s.backends[i].Admin()
		if err != nil {
			return err
		}
		if s.sides[i], err = NewSide(name, config); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) stop() {
	if s.webhook != nil {
		s.webhook.Stop()
	}
	for _, backend := range s.backends {
		switch {
		case backend == nil:
		case backend.Annex != nil:
			if err := backend.Annex.Stop(); err != nil {
				fmt.Fprintf(os.Stderr, "annex did not end cleanly: %v\n", err)
			}
		default:
			backend.Cluster.Stop()
		}
	}
}

func TestParity(t *testing.T) {
	harness.ShowLogOnFailure(t, shared.backends[1].Annex.Options().DataDir+".log")
	for _, file := range shared.files {
		t.Run(file.Folder+"/"+file.Name, func(t *testing.T) {
			t.Parallel()
			install(t, file)
			kept, err := Prepare(t.Context(), shared.sides, file)
			if err != nil {
				t.Fatal(err)
			}
			for _, scenario := range file.Scenarios {
				t.Run(scenario.Name, func(t *testing.T) {
					t.Parallel()
					check(t, file, scenario, kept)
				})
			}
		})
	}
}

// install makes both sides serve a file's definitions.
func install(t *testing.T, file File) {
	for _, definition := range file.Definitions {
		text, err := definitionText(file, definition)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for _, backend := range shared.backends {
			group.Add(1)
			go func() {
				defer group.Done()
				if err := backend.Install(t.Context(), []byte(text)); err != nil {
					t.Error(err)
				}
			}()
		}
		group.Wait()
	}
	if t.Failed() {
		t.FailNow()
	}
}

func definitionText(file File, definition any) (string, error) {
	var data []byte
	var err error
	if name, named := definition.(string); named {
		data, err = os.ReadFile(filepath.Join("definitions", name+".yaml"))
	} else {
		data, err = yaml.Marshal(definition)
	}
	if err != nil {
		return "", err
	}
	return file.sharedWords().Fill(string(data))
}

func check(t *testing.T, file File, scenario Scenario, kept [2]map[string]string) {
	key := file.Key(scenario)
	differences, chance, err := Run(t.Context(), shared.sides, file, scenario, kept)
	if err != nil {
		shared.count(file, func(c *tally) { c.different++ })
		t.Fatalf("%v\ndifferences before that: %v", err, differences)
	}
	for _, difference := range chance {
		fmt.Printf("parity: chance on kube-apiserver's side: %s, step %d\n", key, difference.Step)
	}
	_, declared := shared.declared[key]
	_, open := shared.open[key]
	switch {
	case len(differences) == 0 && (declared || open):
		shared.count(file, func(c *tally) { c.different++ })
		t.Errorf("the answers no longer differ: take %q out of declared.yaml or open.yaml", key)
	case len(differences) == 0:
		shared.count(file, func(c *tally) { c.equal++ })
	case declared:
		shared.count(file, func(c *tally) { c.declared++ })
	case open:
		shared.count(file, func(c *tally) { c.open++ })
	default:
		shared.count(file, func(c *tally) { c.different++ })
		for _, difference := range differences {
			t.Errorf("- kube-apiserver, + Annex; %s", difference)
		}
	}
}

func (s *suite) count(file File, add func(*tally)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.results[file.Folder] == nil {
		s.results[file.Folder] = &tally{}
	}
	add(s.results[file.Folder])
}

func (s *suite) printSummary() {
	const row = "parity: %-24s %6v %6v %9v %5v %10v\n"
	fmt.Printf(row, "group", "all", "equal", "declared", "open", "different")
	var sum tally
	for _, folder := range slices.Sorted(maps.Keys(s.results)) {
		c := s.results[folder]
		fmt.Printf(row, folder, c.equal+c.declared+c.open+c.different, c.equal, c.declared, c.open, c.different)
		sum.equal, sum.declared, sum.open, sum.different = sum.equal+c.equal, sum.declared+c.declared, sum.open+c.open, sum.different+c.different
	}
	fmt.Printf(row, strings.Repeat("-", 24), sum.equal+sum.declared+sum.open+sum.different, sum.equal, sum.declared, sum.open, sum.different)
}
