// Package cluster_test runs the same requests against a real kube-apiserver, against Annex behind one and against Annex
// alone. See README.md.
package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"annex.dev/annex/test/cluster/harness"
)

// defaultBackends is what runs without ANNEX_TEST_BACKENDS.
const defaultBackends = "native,aggregated,standalone"

// world is what all tests of a run share, as starting it takes most of ten seconds.
type world struct {
	dir      string
	args     []string         // of kube-apiserver
	cluster  *harness.Cluster // nil if only standalone was asked for
	backends []*backend
}

var shared *world

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "annex-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = &world{dir: dir}
	defer shared.stop()
	defer stopFaulty()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	selected, err := selectedBackends()
	if err == nil {
		err = shared.start(ctx, selected)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "cannot start what the tests need: %v\nlogs are kept in %s\n", err, dir)
		return 1
	}
	code := m.Run()
	if code == 0 {
		_ = os.RemoveAll(dir)
	} else {
		fmt.Fprintf(os.Stderr, "logs and data are kept in %s\n", dir)
	}
	return code
}

func (w *world) start(ctx context.Context, selected []harness.BackendName) error {
	native, aggregated := slices.Contains(selected, harness.BackendNative), slices.Contains(selected, harness.BackendAggregated)
	if native || aggregated {
		var err error
		if w.cluster, err = harness.StartCluster(ctx, harness.ClusterOptions{Dir: filepath.Join(w.dir, "cluster"), APIServerArgs: w.args}); err != nil {
			return err
		}
	}
	for _, name := range selected {
		b, err := w.startBackend(ctx, name)
		if err != nil {
			return fmt.Errorf("backend %s: %w", name, err)
		}
		for _, kind := range []string{"widgets", "parts", "gadgets"} {
			if err := b.Install(ctx, b.definition(kind)); err != nil {
				return fmt.Errorf("backend %s: %w", name, err)
			}
		}
		w.backends = append(w.backends, b)
	}
	if w.cluster == nil {
		return nil
	}
	// The garbage collector looks for new resources only twice a minute, so it starts when all are there.
	return w.startControllers(ctx)
}

func (w *world) startControllers(ctx context.Context) error {
	return w.cluster.StartControllerManager(ctx, "namespace-controller", "garbage-collector-controller", "resourcequota-controller",
		"clusterrole-aggregation-controller")
}

// backend returns nil if this world has no such backend.
func (w *world) backend(name harness.BackendName) *backend {
	for _, b := range w.backends {
		if b.Name == name {
			return b
		}
	}
	return nil
}

func (w *world) startBackend(ctx context.Context, name harness.BackendName) (*backend, error) {
	switch name {
	case harness.BackendNative:
		return newBackend(harness.NativeBackend(w.cluster))
	case harness.BackendAggregated:
		definitions := filepath.Join(w.dir, "annex", "definitions")
		if err := os.MkdirAll(definitions, 0o755); err != nil {
			return nil, err
		}
		annex, err := harness.StartAnnex(ctx, harness.AnnexOptions{
			Mode: harness.Files, Cluster: w.cluster, DataDir: filepath.Join(w.dir, "annex", "data"), Definitions: definitions,
		})
		if err != nil {
			return nil, err
		}
		return newBackend(harness.AggregatedBackend(annex))
	default:
		annex, err := harness.StartAnnex(ctx, harness.AnnexOptions{
			Mode: harness.Standalone, DataDir: filepath.Join(w.dir, "alone", "data"),
		})
		if err != nil {
			return nil, err
		}
		return newBackend(harness.StandaloneBackend(annex))
	}
}

// stop ends everything, what was started last first.
func (w *world) stop() {
	if w.cluster != nil {
		w.cluster.StopControllerManager()
	}
	for _, b := range slices.Backward(w.backends) {
		if b.Annex != nil {
			if err := b.Annex.Stop(); err != nil {
				fmt.Fprintf(os.Stderr, "annex (%s) did not end cleanly: %v\n", b.Name, err)
			}
		}
	}
	if w.cluster != nil {
		w.cluster.Stop()
	}
}

func selectedBackends() ([]harness.BackendName, error) {
	list := os.Getenv("ANNEX_TEST_BACKENDS")
	if list == "" {
		list = defaultBackends
	}
	known := []harness.BackendName{harness.BackendNative, harness.BackendAggregated, harness.BackendStandalone}
	var selected []harness.BackendName
	for _, field := range strings.Split(list, ",") {
		name := harness.BackendName(strings.TrimSpace(field))
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("ANNEX_TEST_BACKENDS: %q is none of %v", name, known)
		}
		selected = append(selected, name)
	}
	if len(selected) == 0 {
		return nil, errors.New("ANNEX_TEST_BACKENDS selects nothing")
	}
	return selected, nil
}
