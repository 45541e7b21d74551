package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// backend is a harness.Backend with clients that have all rights.
type backend struct {
	*harness.Backend
	config  *rest.Config
	dynamic dynamic.Interface
	core    kubernetes.Interface // to be used only where there is a cluster
}

func newBackend(b *harness.Backend) (*backend, error) {
	config, err := b.Admin()
	if err != nil {
		return nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &backend{Backend: b, config: config, dynamic: dynamicClient, core: core}, nil
}

// The sets of backends that tests name.
var (
	everywhere   = []harness.BackendName{harness.BackendNative, harness.BackendAggregated, harness.BackendStandalone}
	inCluster    = []harness.BackendName{harness.BackendNative, harness.BackendAggregated}
	onAggregated = []harness.BackendName{harness.BackendAggregated}
)

// forEach runs test once for each of the named backends that this run has.
func forEach(t *testing.T, names []harness.BackendName, test func(t *testing.T, b *backend)) {
	t.Helper()
	ran := 0
	for _, b := range shared.backends {
		if !slices.Contains(names, b.Name) {
			continue
		}
		ran++
		t.Run(string(b.Name), func(t *testing.T) {
			if b.Annex != nil {
				harness.ShowLogOnFailure(t, b.Annex.Process().LogPath())
				if !b.Annex.Process().Running() {
					t.Log("Annex is not running any more; it is started again")
					if err := b.Annex.Start(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			test(t, b)
		})
	}
	if ran == 0 {
		t.Skipf("none of the backends %v was selected", names)
	}
}

// forEachAtOnce is forEach for tests that mostly wait: they run in parallel.
func forEachAtOnce(t *testing.T, names []harness.BackendName, test func(t *testing.T, b *backend)) {
	t.Parallel()
	forEach(t, names, func(t *testing.T, b *backend) {
		t.Parallel()
		test(t, b)
	})
}

// definition returns one of the definitions in testdata for this backend's group.
func (b *backend) definition(kind string) []byte { return definitionFor(kind, b.Domain, shortName(b)) }

func definitionFor(kind, group, short string) []byte {
	text, err := os.ReadFile(filepath.Join("testdata", kind+".yaml"))
	if err != nil {
		panic(err)
	}
	return []byte(strings.NewReplacer("GROUP", group, "SHORT", short).Replace(string(text)))
}

// shortName is the short name of widgets. Two groups of one cluster should not share one.
func shortName(b *backend) string { return "wd" + string(b.Name[0]) }

func (b *backend) resource(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: b.Domain, Version: "v1", Resource: plural}
}

func (b *backend) widgets(namespace string) dynamic.ResourceInterface {
	return b.dynamic.Resource(b.resource("widgets")).Namespace(namespace)
}

func (b *backend) parts(namespace string) dynamic.ResourceInterface {
	return b.dynamic.Resource(b.resource("parts")).Namespace(namespace)
}

func (b *backend) gadgets() dynamic.ResourceInterface {
	return b.dynamic.Resource(b.resource("gadgets"))
}

// widgetType is how commands name the type: with the group, as several groups of the cluster have widgets.
func (b *backend) widgetType() string { return "widgets." + b.Domain }

// object builds an object of this backend's group.
func (b *backend) object(kind, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": b.Domain + "/v1",
		"kind":       kind,
		"metadata":   map[string]any{"name": name},
		"spec":       spec,
	}}
}

func (b *backend) widget(name, color string, size int64) *unstructured.Unstructured {
	return b.object("Widget", name, map[string]any{"color": color, "size": size})
}

// create makes a widget and fails the test if that is not possible.
func (b *backend) create(t testing.TB, namespace string, widget *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	created, err := b.widgets(namespace).Create(t.Context(), widget, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("creating widget %s: %v", widget.GetName(), err)
	}
	return created
}

var namespaceCount atomic.Int64

// namespace makes a namespace that nothing else uses. It is left behind: the whole world goes away after the run, and
// removing namespaces would only slow down what others wait for.
func (b *backend) namespace(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test-%s-%d", b.Name, namespaceCount.Add(1))
	if err := b.CreateNamespace(t.Context(), name); err != nil {
		t.Fatalf("creating namespace %s: %v", name, err)
	}
	return name
}

// field returns what stands at a path of an object, nil if nothing does.
func field(object *unstructured.Unstructured, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
	return value
}

// checkField fails the test if a field is not as expected.
func checkField(t testing.TB, object *unstructured.Unstructured, want any, path ...string) {
	t.Helper()
	if got := field(object, path...); toJSON(got) != toJSON(want) {
		t.Errorf("%s of %s is %s, want %s", strings.Join(path, "."), object.GetName(), toJSON(got), toJSON(want))
	}
}

func toJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// within returns a context for one step that must not take longer.
func within(t testing.TB, limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// must returns the value of a call that did not fail: must(call())(t).
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// warningRecorder collects the warnings that a server sends.
type warningRecorder struct {
	mutex    sync.Mutex
	warnings []string
}

func (r *warningRecorder) HandleWarningHeader(_ int, _ string, text string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.warnings = append(r.warnings, text)
}

func (r *warningRecorder) all() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.warnings)
}

// widgetsWithWarnings is widgets, with the server's warnings given to recorder.
func (b *backend) widgetsWithWarnings(t testing.TB, namespace string, recorder *warningRecorder) dynamic.ResourceInterface {
	config := rest.CopyConfig(b.config)
	config.WarningHandler = recorder
	return must(dynamic.NewForConfig(config))(t).Resource(b.resource("widgets")).Namespace(namespace)
}

// inParallel starts n goroutines that call do with their number, and returns a function that waits for all of them.
func inParallel(n int, do func(i int)) (wait func()) {
	var group sync.WaitGroup
	group.Add(n)
	for i := range n {
		go func() {
			defer group.Done()
			do(i)
		}()
	}
	return group.Wait
}
