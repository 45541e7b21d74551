package node_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/node"
)

// root is the working copy, as seen from this package's folder.
const root = "../.."

// world is what all tests share: a cluster whose node has the image of Annex. Annex is installed by the first test, restarted by
// others and removed by the last; package testing runs them in the order of the files' names.
type world struct {
	*node.Cluster
	config  *rest.Config
	dynamic dynamic.Interface
	core    kubernetes.Interface
	// onAnswer is a func(*http.Response) that sees each answer that the two clients get, or nil.
	onAnswer atomic.Value
}

// watching is the transport of the clients.
type watching struct {
	w    *world
	next http.RoundTripper
}

func (o watching) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := o.next.RoundTrip(request)
	if see, ok := o.w.onAnswer.Load().(func(*http.Response)); ok && err == nil {
		see(answer)
	}
	return answer, err
}

var (
	shared  *world
	missing string // why there is no world
)

func TestMain(m *testing.M) {
	if missing = node.Missing(); missing != "" {
		os.Exit(m.Run())
	}
	os.Exit(node.InNamespaces(func() int { return runTests(m) }))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "annex-node-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if shared, err = startWorld(ctx, dir); err != nil {
		fmt.Fprintf(os.Stderr, "cannot start what the tests need: %v\nlogs are kept in %s\n", err, dir)
		return 1
	}
	defer shared.Stop()
	code := m.Run()
	if code == 0 {
		_ = os.RemoveAll(dir)
	} else {
		fmt.Fprintf(os.Stderr, "logs and data are kept in %s\n", dir)
	}
	return code
}

func startWorld(ctx context.Context, dir string) (*world, error) {
	image, err := imageArchive()
	if err != nil {
		return nil, err
	}
	cluster, err := node.Start(ctx, node.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	w := &world{Cluster: cluster, config: cluster.Admin()}
	w.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return watching{w, next} })
	if err := w.complete(ctx, image); err != nil {
		cluster.Stop()
		return nil, err
	}
	return w, nil
}

func (w *world) complete(ctx context.Context, image string) error {
	if err := w.Import(ctx, image); err != nil {
		return err
	}
	var err error
	if w.dynamic, err = dynamic.NewForConfig(w.config); err != nil {
		return err
	}
	w.core, err = kubernetes.NewForConfig(w.config)
	return err
}

// imageArchive returns what scripts/image made: $ANNEX_IMAGE, or else the only archive in build.
func imageArchive() (string, error) {
	if path := os.Getenv("ANNEX_IMAGE"); path != "" {
		return path, nil
	}
	found, err := filepath.Glob(filepath.Join(root, "build", "annex-*.tar"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("no image, or several, in build (%v): run scripts/image, or set ANNEX_IMAGE", found)
	}
	return filepath.Abs(found[0])
}

// needNode skips a test where no node can run, and says why.
func needNode(t *testing.T) *world {
	t.Helper()
	if missing != "" {
		t.Skip(missing)
	}
	return shared
}
