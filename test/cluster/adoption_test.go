package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"annex.dev/annex/test/cluster/harness"
)

var definitionResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// beyondEtcd is a resourceVersion that etcd will not count to, and Annex begins beyond.
const beyondEtcd = 1_000_000_000_000

// adoptedCount is how many objects are moved under load: $ANNEX_TEST_ADOPTED, or else what takes seconds.
var adoptedCount = func() int {
	if count, err := strconv.Atoi(os.Getenv("ANNEX_TEST_ADOPTED")); err == nil {
		return count
	}
	return 2000
}()

// adoptionPatience is how long they may take to move on a busy machine.
var adoptionPatience = 3*time.Minute + time.Duration(adoptedCount)*10*time.Millisecond

// adoption is a group of the cluster's own definitions, and an Annex that may adopt it.
type adoption struct {
	*backend
	annex *harness.Annex
}

// newAdoption installs definitions of a new group in the cluster itself.
func newAdoption(t *testing.T, name string, kinds ...string) *adoption {
	t.Helper()
	if shared.cluster == nil {
		t.Skip("no cluster was started")
	}
	group := name + ".adopted.example.dev"
	native := harness.NativeBackend(shared.cluster)
	native.Domain = group
	b := must(newBackend(native))(t)
	for _, kind := range kinds {
		if err := b.Install(within(t, time.Minute), definitionFor(kind, group, "ad"+name)); err != nil {
			t.Fatal(err)
		}
	}
	annex := must(harness.NewAnnex(t.Context(), harness.AnnexOptions{
		Mode: harness.Files, Cluster: shared.cluster, Service: "adopt-" + name,
		DataDir: filepath.Join(shared.dir, "adopt-"+name, "data"), Args: []string{"--adopt"},
	}))(t)
	if err := annex.GrantAdoption(t.Context(), group); err != nil {
		t.Fatal(err)
	}
	a := &adoption{backend: b, annex: annex}
	a.start(t)
	t.Cleanup(func() { a.end(t) })
	return a
}

func (a *adoption) start(t *testing.T) {
	t.Helper()
	if err := a.annex.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	harness.ShowLogOnFailure(t, a.annex.Process().LogPath())
}

// end gives the group up, so that no APIService of the shared cluster leads to a server that is gone.
func (a *adoption) end(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), adoptionPatience)
	defer cancel()
	a.releaseWidgets(ctx)
	for _, name := range a.definitions(t) {
		_ = a.dynamic.Resource(definitionResource).Delete(ctx, name, metav1.DeleteOptions{})
	}
	err := harness.Poll(ctx, func() error {
		registered, err := harness.APIServices(ctx, a.config)
		for _, service := range registered {
			if group, _, _ := unstructured.NestedString(service.Object, "spec", "group"); group == a.Domain {
				return fmt.Errorf("%s is still there", service.GetName())
			}
		}
		return err
	})
	if err == nil {
		// Now the old copies are reached again, and hold the definitions up as long as they have finalizers.
		err = harness.Poll(ctx, func() error {
			a.releaseWidgets(ctx)
			if left := a.definitions(t); len(left) > 0 {
				return fmt.Errorf("%v are still there", left)
			}
			return nil
		})
	}
	if err != nil {
		t.Error(err)
	}
	if err := a.annex.Stop(); err != nil {
		t.Error(err)
	}
}

// releaseWidgets takes the finalizers of all widgets away.
func (a *adoption) releaseWidgets(ctx context.Context) {
	list, err := a.dynamic.Resource(a.resource("widgets")).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for _, item := range list.Items {
		if len(item.GetFinalizers()) > 0 {
			_, _ = a.widgets(item.GetNamespace()).Patch(ctx, item.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		}
	}
}

func (a *adoption) definitions(t *testing.T) []string {
	list := must(a.dynamic.Resource(definitionResource).List(context.Background(), metav1.ListOptions{}))(t)
	var names []string
	for _, item := range list.Items {
		if strings.HasSuffix(item.GetName(), "."+a.Domain) {
			names = append(names, item.GetName())
		}
	}
	return names
}

// ask labels all definitions of the group.
func (a *adoption) ask(t *testing.T) {
	t.Helper()
	for _, name := range a.definitions(t) {
		a.label(t, name)
	}
}

func (a *adoption) label(t *testing.T, definition string) {
	t.Helper()
	a.patchDefinition(t, definition, `{"metadata":{"labels":{"annex.dev/serve":"true"}}}`)
}

func (a *adoption) patchDefinition(t *testing.T, definition, patch string) {
	t.Helper()
	must(a.dynamic.Resource(definitionResource).Patch(t.Context(), definition, types.MergePatchType, []byte(patch), metav1.PatchOptions{}))(t)
}

// condition returns the condition annex.dev/Adopted of a definition: its status, reason and message.
func (a *adoption) condition(ctx context.Context, definition string) (status, reason, message string, err error) {
	return a.conditionOf(ctx, definition, "annex.dev/Adopted")
}

func (a *adoption) conditionOf(ctx context.Context, definition, kind string) (status, reason, message string, err error) {
	object, err := a.dynamic.Resource(definitionResource).Get(ctx, definition, metav1.GetOptions{})
	if err != nil {
		return "", "", "", err
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && fields["type"] == kind {
			return fmt.Sprint(fields["status"]), fmt.Sprint(fields["reason"]), fmt.Sprint(fields["message"]), nil
		}
	}
	return "", "", "", nil
}

// awaitReason waits for a reason in the condition of a definition, and returns the message.
func (a *adoption) awaitReason(t *testing.T, definition, want string) string {
	t.Helper()
	var told string
	harness.Eventually(t, adoptionPatience, func() error {
		_, reason, message, err := a.condition(t.Context(), definition)
		if err == nil && reason != want {
			err = fmt.Errorf("%s: reason %q (%s), want %q", definition, reason, message, want)
		}
		told = message
		return err
	})
	return told
}

// awaitOneOf waits until widgets have one of the reasons.
func (a *adoption) awaitOneOf(t *testing.T, wanted ...string) {
	t.Helper()
	harness.Eventually(t, adoptionPatience, func() error {
		_, reason, _, err := a.condition(t.Context(), "widgets."+a.Domain)
		if err == nil && !slices.Contains(wanted, reason) {
			err = fmt.Errorf("reason %q, want one of %q", reason, wanted)
		}
		return err
	})
}

func (a *adoption) awaitAdopted(t *testing.T) string {
	t.Helper()
	var message string
	for _, name := range a.definitions(t) {
		message = a.awaitReason(t, name, "Served")
	}
	return message
}

// everything lists a resource in pages, by namespace and name.
func (a *adoption) everything(t *testing.T, plural string) map[string]*unstructured.Unstructured {
	t.Helper()
	objects := map[string]*unstructured.Unstructured{}
	options := metav1.ListOptions{Limit: 500}
	for {
		list := must(a.dynamic.Resource(a.resource(plural)).List(t.Context(), options))(t)
		for _, item := range list.Items {
			objects[item.GetNamespace()+"/"+item.GetName()] = &item
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return objects
		}
	}
}

// withoutVersion is an object as text, without what an adoption changes.
func withoutVersion(object *unstructured.Unstructured) string {
	copied := object.DeepCopy()
	copied.SetResourceVersion("")
	return toJSON(copied.Object)
}

// fill creates widgets and gives some of them what an adoption has to keep.
func (a *adoption) fill(t *testing.T, namespace string, count int) {
	t.Helper()
	wait := inParallel(8, func(part int) {
		for i := part; i < count; i += 8 {
			widget := a.widget(fmt.Sprintf("w-%05d", i), "red", int64(1+i%1000))
			widget.SetLabels(map[string]string{"part": strconv.Itoa(part)})
			if i%100 == 1 {
				widget.SetFinalizers([]string{"example.dev/keep"})
			}
			if _, err := a.widgets(namespace).Create(t.Context(), widget, metav1.CreateOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	wait()
	for i := 1; i < count; i += 100 {
		name := fmt.Sprintf("w-%05d", i)
		patch := []byte(`{"status":{"phase":"Ready","observedGeneration":1}}`)
		must(a.widgets(namespace).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}, "status"))(t)
		if i%200 == 1 {
			if err := a.widgets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAdoptionKeepsObjects(t *testing.T) {
	a := newAdoption(t, "keeps", "widgets", "gadgets")
	namespace := a.namespace(t)
	a.fill(t, namespace, 1200)
	owner := must(a.gadgets().Create(t.Context(), a.object("Gadget", "owner", map[string]any{"any": []any{1.5, "x", nil}}), metav1.CreateOptions{}))(t)
	owned := a.widget("owned", "green", 7)
	owned.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID()}})
	a.create(t, namespace, owned)
	before, gadgets := a.everything(t, "widgets"), a.everything(t, "gadgets")

	a.ask(t)
	t.Log(a.awaitAdopted(t))
	after := a.everything(t, "widgets")
	maps.Copy(after, a.everything(t, "gadgets"))
	maps.Copy(before, gadgets)
	if len(after) != len(before) {
		t.Errorf("%d objects after the adoption, %d before", len(after), len(before))
	}
	for key, was := range before {
		is := after[key]
		if is == nil {
			t.Errorf("%s is lost", key)
			continue
		}
		if withoutVersion(is) != withoutVersion(was) {
			t.Errorf("%s changed:\n%s\nbefore:\n%s", key, withoutVersion(is), withoutVersion(was))
		}
		if versionOf(t, is) <= beyondEtcd {
			t.Errorf("%s has the resourceVersion %s, within etcd's", key, is.GetResourceVersion())
		}
	}

	t.Run("objects go on from where they were", func(t *testing.T) {
		// One that was being deleted goes when its finalizer does; another one's generation goes on counting.
		patch := []byte(`{"metadata":{"finalizers":null}}`)
		must(a.widgets(namespace).Patch(t.Context(), "w-00001", types.MergePatchType, patch, metav1.PatchOptions{}))(t)
		if _, err := a.widgets(namespace).Get(t.Context(), "w-00001", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("w-00001 is still there: %v", err)
		}
		changed := must(a.widgets(namespace).Patch(t.Context(), "w-00002", types.MergePatchType, []byte(`{"spec":{"size":999}}`), metav1.PatchOptions{}))(t)
		if changed.GetGeneration() != 2 {
			t.Errorf("generation %d, want 2", changed.GetGeneration())
		}
		list := must(a.widgets(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "spec.color=green"}))(t)
		if len(list.Items) != 1 {
			t.Errorf("%d green widgets, want 1", len(list.Items))
		}
	})
	t.Run("a resourceVersion of etcd is too old for a watch", func(t *testing.T) {
		version := gadgets["/owner"].GetResourceVersion()
		watch := must(a.gadgets().Watch(t.Context(), metav1.ListOptions{ResourceVersion: version}))(t)
		defer watch.Stop()
		event := <-watch.ResultChan()
		if err := apierrors.FromObject(event.Object); !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			t.Errorf("%v, want 410", err)
		}
	})
	t.Run("whoever takes the APIService away finds the old copies read-only, and it comes back", func(t *testing.T) { a.guarded(t, namespace) })
	t.Run("a change of the definition reaches Annex", func(t *testing.T) { a.redefined(t, namespace) })
	t.Run("it survives a restart", func(t *testing.T) {
		if err := a.annex.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		harness.Eventually(t, time.Minute, func() error {
			_, err := a.widgets(namespace).Get(t.Context(), "w-00002", metav1.GetOptions{})
			return err
		})
	})
	t.Run("the definition takes its objects along", func(t *testing.T) { a.deleted(t) })
}

func (a *adoption) guarded(t *testing.T, namespace string) {
	services := a.dynamic.Resource(harness.APIServiceResource)
	name := "v1." + a.Domain
	if err := services.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		widget := a.widget(fmt.Sprintf("guarded-%d", i), "red", 1)
		created, err := a.widgets(namespace).Create(t.Context(), widget, metav1.CreateOptions{})
		if err == nil && versionOf(t, created) <= beyondEtcd {
			t.Errorf("%s was written to etcd", widget.GetName())
		}
		time.Sleep(20 * time.Millisecond)
	}
	harness.Eventually(t, time.Minute, func() error {
		service, err := services.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return available(service)
	})
	a.create(t, namespace, a.widget("guarded-last", "red", 1))
}

func (a *adoption) redefined(t *testing.T, namespace string) {
	path := "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/weight"
	patch := []byte(`[{"op":"add","path":"` + path + `","value":{"type":"integer","default":3}}]`)
	must(a.dynamic.Resource(definitionResource).Patch(t.Context(), "widgets."+a.Domain, types.JSONPatchType, patch, metav1.PatchOptions{}))(t)
	harness.Eventually(t, 10*time.Second, func() error {
		widget, err := a.widgets(namespace).Get(t.Context(), "w-00002", metav1.GetOptions{})
		if err == nil && field(widget, "spec", "weight") != int64(3) {
			err = fmt.Errorf("spec is %s", toJSON(field(widget, "spec")))
		}
		return err
	})
}

func (a *adoption) deleted(t *testing.T) {
	definition := "gadgets." + a.Domain
	if err := a.dynamic.Resource(definitionResource).Delete(t.Context(), definition, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, time.Minute, func() error {
		_, err := a.gadgets().List(t.Context(), metav1.ListOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("gadgets are still served: %v", err)
		}
		// The cluster may take longer than Annex; made anew before, it would still be the old one.
		if _, err = a.dynamic.Resource(definitionResource).Get(t.Context(), definition, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the definition is still there: %v", err)
		}
		return nil
	})
	if err := a.Install(within(t, time.Minute), definitionFor("gadgets", a.Domain, "")); err != nil {
		t.Fatal(err)
	}
	if objects := a.everything(t, "gadgets"); len(objects) != 0 {
		t.Errorf("objects of the deleted definition are there again: %v", maps.Keys(objects))
	}
}

// ledger is what a writer knows of its objects: the last size that was acknowledged, and those that may have been written since.
type ledger struct {
	mutex    sync.Mutex
	known    map[string]int64 // 0: deleted
	unknown  map[string][]int64
	accepted int
	refused  int
}

func (l *ledger) note(name string, size int64, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case err == nil:
		l.known[name] = size
		delete(l.unknown, name)
		l.accepted++
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsConflict(err), apierrors.IsNotFound(err):
		l.refused++
	default:
		l.unknown[name] = append(l.unknown[name], size)
	}
}

// writeUntil changes ten widgets of its own, one after the other, until ctx ends.
func (a *adoption) writeUntil(ctx context.Context, namespace string, writer int, l *ledger) {
	for round := int64(1); ctx.Err() == nil; round++ {
		name := fmt.Sprintf("load-%d-%d", writer, round%10)
		size := 1 + round%1000
		l.mutex.Lock()
		exists := l.known[name] != 0
		l.mutex.Unlock()
		switch {
		case !exists:
			_, err := a.widgets(namespace).Create(context.Background(), a.widget(name, "blue", size), metav1.CreateOptions{})
			// What is there already came from an attempt whose answer got lost.
			if !apierrors.IsAlreadyExists(err) {
				l.note(name, size, err)
			}
		case round%37 == 0:
			l.note(name, 0, a.widgets(namespace).Delete(context.Background(), name, metav1.DeleteOptions{}))
		default:
			patch := []byte(fmt.Sprintf(`{"spec":{"size":%d}}`, size))
			_, err := a.widgets(namespace).Patch(context.Background(), name, types.MergePatchType, patch, metav1.PatchOptions{})
			l.note(name, size, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// check compares what was acknowledged with what is there.
func (l *ledger) check(t *testing.T, objects map[string]*unstructured.Unstructured, namespace string) {
	t.Helper()
	for name, size := range l.known {
		var is int64
		if object := objects[namespace+"/"+name]; object != nil {
			is, _, _ = unstructured.NestedInt64(object.Object, "spec", "size")
		}
		if is != size && !slices.Contains(l.unknown[name], is) {
			t.Errorf("%s has the size %d, acknowledged was %d", name, is, size)
		}
	}
}

// load starts writers, and returns a function that ends them and tells what they know.
func (a *adoption) load(t *testing.T, namespace string) func() *ledger {
	l := &ledger{known: map[string]int64{}, unknown: map[string][]int64{}}
	ctx, stop := context.WithCancel(t.Context())
	wait := inParallel(4, func(writer int) { a.writeUntil(ctx, namespace, writer, l) })
	return func() *ledger {
		stop()
		wait()
		return l
	}
}

// widgetInformer is client-go's informer of widgets. It notes which of those that fill made it was told to be deleted.
type widgetInformer struct {
	cache.SharedIndexInformer
	mutex   sync.Mutex
	deleted []string
}

func (a *adoption) informWidgets(t *testing.T, namespace string) *widgetInformer {
	t.Helper()
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(a.dynamic, 0, namespace, nil)
	w := &widgetInformer{SharedIndexInformer: factory.ForResource(a.resource("widgets")).Informer()}
	_ = must(w.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) {
		if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil && strings.Contains(name, "/w-") {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.deleted = append(w.deleted, name)
		}
	}}))(t)
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	return w
}

func (w *widgetInformer) deletions() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Clone(w.deleted)
}

// awaitAll waits until the informer has all widgets as they are.
func (w *widgetInformer) awaitAll(t *testing.T, a *adoption) {
	t.Helper()
	harness.Eventually(t, time.Minute, func() error {
		for key, object := range a.everything(t, "widgets") {
			item, found, _ := w.GetStore().GetByKey(key)
			if !found || item.(*unstructured.Unstructured).GetResourceVersion() != object.GetResourceVersion() {
				return fmt.Errorf("the informer does not have %s as it is", key)
			}
		}
		return nil
	})
}

func TestAdoptionUnderLoad(t *testing.T) {
	a := newAdoption(t, "load", "widgets")
	namespace := a.namespace(t)
	count := adoptedCount
	a.fill(t, namespace, count)
	informed := a.informWidgets(t, namespace)
	end := a.load(t, namespace)
	time.Sleep(time.Second)
	begin := time.Now()
	a.ask(t)
	message := a.awaitAdopted(t)
	t.Logf("%d objects, %s in all: %s", count, time.Since(begin).Round(time.Millisecond), message)
	time.Sleep(2 * time.Second)
	a.checkNothingLost(t, namespace, count, end(), informed)
}

// checkNothingLost checks the objects w-00000 and so on, and what writers and an informer saw of the way of their group.
func (a *adoption) checkNothingLost(t *testing.T, namespace string, count int, l *ledger, informed *widgetInformer) {
	t.Helper()
	t.Logf("%d writes were accepted, %d refused", l.accepted, l.refused)
	objects := a.everything(t, "widgets")
	l.check(t, objects, namespace)
	for i := range count {
		if objects[fmt.Sprintf("%s/w-%05d", namespace, i)] == nil {
			t.Errorf("w-%05d is lost", i)
		}
	}
	begin := time.Now()
	informed.awaitAll(t, a)
	t.Logf("the informer had everything after another %s", time.Since(begin).Round(time.Millisecond))
	if spurious := informed.deletions(); len(spurious) > 0 {
		t.Errorf("the informer was told of deletions that were none: %v", spurious)
	}
}

func TestAdoptionSurvivesKills(t *testing.T) {
	a := newAdoption(t, "kills", "widgets", "gadgets")
	namespace := a.namespace(t)
	a.fill(t, namespace, 800)
	before := a.everything(t, "widgets")
	end := a.load(t, namespace)
	a.ask(t)
	for _, cut := range []struct {
		step  string
		after time.Duration
	}{
		{"Copying", 0}, {"Verifying", 0}, {"Freezing", 0}, {"Freezing", 400 * time.Millisecond}, {"Freezing", 800 * time.Millisecond},
		{"Freezing", 1200 * time.Millisecond}, {"Freezing", 1400 * time.Millisecond}, {"Freezing", 1600 * time.Millisecond},
		{"Freezing", 1800 * time.Millisecond}, {"Served", 0},
	} {
		a.awaitOneOf(t, "Copying", "Served") // of this life: an earlier one may have told more
		a.awaitOneOf(t, cut.step, "Served")
		time.Sleep(cut.after)
		_, reason, _, err := a.condition(t.Context(), "widgets."+a.Domain)
		t.Logf("killed %s after %s: %s, %v", cut.after, cut.step, reason, err)
		a.annex.Kill()
		a.start(t)
	}
	a.awaitAdopted(t)
	time.Sleep(time.Second)
	l := end()
	t.Logf("%d writes were accepted, %d refused", l.accepted, l.refused)
	after := a.everything(t, "widgets")
	l.check(t, after, namespace)
	for key, was := range before {
		if is := after[key]; is == nil || withoutVersion(is) != withoutVersion(was) {
			t.Errorf("%s is not what it was", key)
		}
	}
}

func TestAdoptionIsRefused(t *testing.T) {
	a := newAdoption(t, "refused", "widgets", "gadgets")
	definition := "widgets." + a.Domain
	blockedBy := func(t *testing.T, want string) {
		t.Helper()
		harness.Eventually(t, time.Minute, func() error {
			status, reason, message, err := a.condition(t.Context(), definition)
			if err == nil && (status != "False" || reason != "Blocked" || !strings.Contains(message, want)) {
				err = fmt.Errorf("%s %s: %s; want the text %s", status, reason, message, want)
			}
			return err
		})
	}
	webhooks := a.dynamic.Resource(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"})
	hook := &unstructured.Unstructured{}
	text := fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"refuses-adoption"},
		"webhooks":[{"name":"hook.example.dev","sideEffects":"None","admissionReviewVersions":["v1"],"failurePolicy":"Ignore","timeoutSeconds":1,
		"clientConfig":{"url":"https://127.0.0.1:1/"},"rules":[{"apiGroups":[%q],"apiVersions":["*"],"operations":["*"],"resources":["widgets"]}]}]}`, a.Domain)
	if err := json.Unmarshal([]byte(text), &hook.Object); err != nil {
		t.Fatal(err)
	}
	must(webhooks.Create(t.Context(), hook, metav1.CreateOptions{}))(t)
	a.label(t, definition)
	blockedBy(t, `"gadgets.`+a.Domain+`" of the same group lacks the label`)
	blockedBy(t, `ValidatingWebhookConfiguration "refuses-adoption", webhook "hook.example.dev"`)

	rule := []byte(`[{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations","value":[{"rule":"self.size < 900"}]}]`)
	must(a.dynamic.Resource(definitionResource).Patch(t.Context(), definition, types.JSONPatchType, rule, metav1.PatchOptions{}))(t)
	blockedBy(t, "x-kubernetes-validations")
	// Nothing of the group was moved, and everything works as before.
	a.create(t, a.namespace(t), a.widget("a", "red", 1))

	undo := []byte(`[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations"}]`)
	must(a.dynamic.Resource(definitionResource).Patch(t.Context(), definition, types.JSONPatchType, undo, metav1.PatchOptions{}))(t)
	if err := webhooks.Delete(t.Context(), "refuses-adoption", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	a.label(t, "gadgets."+a.Domain)
	a.awaitAdopted(t)
	if objects := a.everything(t, "widgets"); len(objects) != 1 {
		t.Errorf("%d widgets, want 1", len(objects))
	}
}
