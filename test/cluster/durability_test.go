package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"annex.dev/annex/test/cluster/harness"
)

// ownStandalone starts an Annex that only this test uses, with widgets, and a namespace in it.
func ownStandalone(t *testing.T) (*backend, string) {
	t.Helper()
	annex := must(harness.StartAnnex(t.Context(), harness.AnnexOptions{Mode: harness.Standalone, DataDir: filepath.Join(t.TempDir(), "data")}))(t)
	t.Cleanup(annex.Kill)
	harness.ShowLogOnFailure(t, annex.Process().LogPath())
	b := must(newBackend(harness.StandaloneBackend(annex)))(t)
	if err := b.Install(t.Context(), b.definition("widgets")); err != nil {
		t.Fatal(err)
	}
	return b, b.namespace(t)
}

// fate is what is known about one name: the last acknowledged state, and what an unanswered request may have made of it.
// A state is the message of the widget; "" means that there is none.
type fate struct {
	acknowledged string
	unanswered   *string
}

// killLoad writes until the server is killed and knows afterwards what has to be there.
type killLoad struct {
	b         *backend
	namespace string
	mutex     sync.Mutex
	fates     map[string]*fate
	versions  map[event]bool // of all acknowledged creates and changes
	newest    uint64
	writes    atomic.Int64
}

func TestKill9LosesNoAcknowledgedWrite(t *testing.T) {
	forEach(t, []harness.BackendName{harness.BackendStandalone}, func(t *testing.T, _ *backend) {
		const rounds, writers = 20, 4
		b, namespace := ownStandalone(t)
		load := &killLoad{b: b, namespace: namespace, fates: map[string]*fate{}, versions: map[event]bool{}}
		start := must(b.widgets(namespace).List(t.Context(), metav1.ListOptions{}))(t).GetResourceVersion()
		for round := range rounds {
			ctx, stop := context.WithCancel(t.Context())
			target := load.writes.Load() + 50 + rand.Int64N(250)
			reached := make(chan struct{})
			wait := inParallel(writers, func(writer int) { load.write(ctx, writer, target, reached) })
			select {
			case <-reached:
			case <-time.After(60 * time.Second):
				t.Error("the writers are too slow")
			}
			b.Annex.Kill()
			stop()
			wait()
			if err := b.Annex.Start(t.Context()); err != nil {
				t.Fatalf("start after kill %d: %v", round+1, err)
			}
			load.check(t, round)
			if t.Failed() {
				return
			}
		}
		load.checkWatch(t, start)
		t.Logf("%d kills, %d acknowledged writes", rounds, load.writes.Load())
	})
}

// write creates, changes and deletes widgets of names that belong to this writer, until a request fails. When target writes of
// all writers were acknowledged, it closes reached, and goes on: the kill is to meet requests under way.
func (l *killLoad) write(ctx context.Context, writer int, target int64, reached chan struct{}) {
	widgets := l.b.widgets(l.namespace)
	for ctx.Err() == nil {
		name := fmt.Sprintf("k-%d-%d", writer, rand.IntN(5))
		l.mutex.Lock()
		f := l.fates[name]
		if f == nil {
			f = &fate{}
			l.fates[name] = f
		}
		l.mutex.Unlock()

		message := fmt.Sprint(rand.Uint64())
		kind := watch.Modified
		var object *unstructured.Unstructured
		var err error
		switch {
		case f.acknowledged == "":
			kind = watch.Added
			widget := l.b.widget(name, "red", 1)
			widget.Object["spec"].(map[string]any)["message"] = message
			object, err = widgets.Create(ctx, widget, metav1.CreateOptions{})
		case rand.IntN(4) == 0:
			message = ""
			err = widgets.Delete(ctx, name, metav1.DeleteOptions{})
		default:
			patch := fmt.Appendf(nil, `{"spec":{"message":%q}}`, message)
			object, err = widgets.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
		if err != nil {
			f.unanswered = &message
			return
		}
		f.acknowledged = message
		l.note(kind, object)
		if l.writes.Add(1) == target {
			close(reached)
		}
	}
}

func (l *killLoad) note(kind watch.EventType, object *unstructured.Unstructured) {
	if object == nil {
		return
	}
	var version uint64
	_, _ = fmt.Sscan(object.GetResourceVersion(), &version)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.versions[event{kind, object.GetName(), version}] = true
	l.newest = max(l.newest, version)
}

// check compares a list with what was acknowledged, and settles what was not answered.
func (l *killLoad) check(t *testing.T, round int) {
	t.Helper()
	list := must(l.b.widgets(l.namespace).List(t.Context(), metav1.ListOptions{}))(t)
	if got := versionOf(t, list); got < l.newest {
		t.Errorf("after kill %d the list is at %d, but %d was given out before", round+1, got, l.newest)
	}
	present := map[string]string{}
	for _, item := range list.Items {
		present[item.GetName()] = fmt.Sprint(field(&item, "spec", "message"))
	}
	for name, f := range l.fates {
		state := present[name]
		if state != f.acknowledged && (f.unanswered == nil || state != *f.unanswered) {
			t.Errorf("after kill %d %s has message %q, acknowledged was %q, unanswered %s", round+1, name, state, f.acknowledged, toJSON(f.unanswered))
		}
		f.acknowledged, f.unanswered = state, nil
		delete(present, name)
	}
	for name := range present {
		t.Errorf("after kill %d there is %s, which nobody created", round+1, name)
	}
}

// checkWatch replays the whole history and compares it with all acknowledged creates and changes.
func (l *killLoad) checkWatch(t *testing.T, start string) {
	l.b.create(t, l.namespace, l.b.widget("last", "red", 1))
	w := startWatch(t, l.b.widgets(l.namespace), metav1.ListOptions{ResourceVersion: start})
	delivered := collectUntil(t, w, "last")
	for i := 1; i < len(delivered); i++ {
		if delivered[i].version <= delivered[i-1].version {
			t.Errorf("%s came after %s", delivered[i], delivered[i-1])
		}
	}
	for _, e := range delivered {
		delete(l.versions, e)
	}
	for e := range l.versions {
		t.Errorf("%s was acknowledged, but is not in the watch", e)
	}
}

func TestDataFolder(t *testing.T) {
	forEach(t, []harness.BackendName{harness.BackendStandalone}, func(t *testing.T, _ *backend) {
		b, namespace := ownStandalone(t)
		b.create(t, namespace, b.widget("kept", "red", 1))
		t.Run("a second process on it is refused and told why", func(t *testing.T) {
			options := b.Annex.Options()
			options.Port = must(harness.FreePort())(t)
			second := must(harness.NewAnnex(t.Context(), options))(t)
			cmd := exec.CommandContext(within(t, 20*time.Second), options.Binary, second.CommandLine()...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
			output, err := cmd.CombinedOutput()
			if _, failed := err.(*exec.ExitError); !failed || cmd.ProcessState.ExitCode() < 1 {
				t.Errorf("it ended with %v, want a failure of its own; output:\n%s", err, output)
			}
			text := string(output)
			if !strings.Contains(text, options.DataDir) || !strings.Contains(text, "use") && !strings.Contains(text, "lock") {
				t.Errorf("the message neither names the folder nor says that it is in use:\n%s", text)
			}
			must(b.widgets(namespace).Get(t.Context(), "kept", metav1.GetOptions{}))(t)
		})
		t.Run("SIGTERM ends it cleanly in spite of an open watch, and the data stays", func(t *testing.T) {
			startWatch(t, b.widgets(namespace), metav1.ListOptions{})
			if err := b.Annex.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			must(b.widgets(namespace).Get(t.Context(), "kept", metav1.GetOptions{}))(t)
		})
	})
}
