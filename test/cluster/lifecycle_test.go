package cluster_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// What kube-apiserver's admission of namespaces refuses for its own kinds, it does not see for those of Annex: Annex has to refuse
// the same, in the same words.

// lifecycleRequest is a request for widgets of a namespace. NAME, DOMAIN and OTHER in it are replaced.
type lifecycleRequest struct {
	what, method, path, contentType, body string
}

const (
	validWidget   = `{"apiVersion":"DOMAIN/v1","kind":"Widget","metadata":{"name":"NAME"},"spec":{"size":1}}`
	invalidWidget = `{"apiVersion":"DOMAIN/v1","kind":"Widget","metadata":{"name":"NAME"},"spec":{"size":0}}`
	namelessOne   = `{"apiVersion":"DOMAIN/v1","kind":"Widget","metadata":{"generateName":"made-"},"spec":{"size":1}}`
	withoutName   = `{"apiVersion":"DOMAIN/v1","kind":"Widget","metadata":{},"spec":{"size":1}}`
	misplacedOne  = `{"apiVersion":"DOMAIN/v1","kind":"Widget","metadata":{"name":"NAME","namespace":"elsewhere"},"spec":{"size":1}}`
	wantedScale   = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"NAME"},"spec":{"replicas":2}}`
	labelPatch    = `{"metadata":{"labels":{"a":"b"}}}`
	finalizerGone = `{"metadata":{"finalizers":["example.dev/other"]}}`
	mergePatch    = "application/merge-patch+json"
	applyPatch    = "application/apply-patch+yaml"
)

func lifecycleRequests(name string) []lifecycleRequest {
	item := "/" + name
	return []lifecycleRequest{
		{"create", http.MethodPost, "", plainJSON, validWidget},
		{"create of something invalid", http.MethodPost, "", plainJSON, invalidWidget},
		{"create with a generated name", http.MethodPost, "", plainJSON, namelessOne},
		{"create without a name", http.MethodPost, "", plainJSON, withoutName},
		{"create of what names another namespace", http.MethodPost, "", plainJSON, misplacedOne},
		{"dry run of a create", http.MethodPost, "?dryRun=All", plainJSON, validWidget},
		{"create by apply", http.MethodPatch, "/new?fieldManager=test", applyPatch, strings.ReplaceAll(validWidget, "NAME", "new")},
		{"update", http.MethodPut, item, plainJSON, validWidget},
		{"update of something invalid", http.MethodPut, item, plainJSON, invalidWidget},
		{"update of the status", http.MethodPut, item + "/status", plainJSON, validWidget},
		{"update of the scale", http.MethodPut, item + "/scale", plainJSON, wantedScale},
		{"patch", http.MethodPatch, item + "?dryRun=All", mergePatch, labelPatch},
		{"patch of finalizers", http.MethodPatch, item + "?dryRun=All", mergePatch, finalizerGone},
		{"apply", http.MethodPatch, item + "?fieldManager=test&dryRun=All", applyPatch, validWidget},
		{"get", http.MethodGet, item, "", ""},
		{"delete", http.MethodDelete, item + "?dryRun=All", "", ""},
		{"delete of nothing", http.MethodDelete, "/nothing", "", ""},
		{"delete of all", http.MethodDelete, "?dryRun=All", "", ""},
	}
}

// answer sends a request to a backend and returns what came back, with what differs between backends replaced.
func (r lifecycleRequest) answer(t *testing.T, b *backend, namespace, name string) string {
	t.Helper()
	replace := strings.NewReplacer("DOMAIN", b.Domain, "NAME", name)
	url := fmt.Sprintf("%s/apis/%s/v1/namespaces/%s/widgets%s", b.config.Host, b.Domain, namespace, r.path)
	request := must(http.NewRequestWithContext(t.Context(), r.method, url, strings.NewReader(replace.Replace(r.body))))(t)
	if r.contentType != "" {
		request.Header.Set("Content-Type", r.contentType)
	}
	client := must(rest.HTTPClientFor(b.config))(t)
	response := must(client.Do(request))(t)
	defer response.Body.Close()
	body := string(must(io.ReadAll(response.Body))(t))
	if response.StatusCode < http.StatusBadRequest {
		return response.Status // objects have uids, times and versions of their own
	}
	return response.Status + " " + strings.NewReplacer(b.Domain, "DOMAIN", namespace, "NAMESPACE").Replace(body)
}

func TestWritesIntoNamespacesAreRefusedAlike(t *testing.T) {
	t.Parallel()
	native, annex := shared.backend(harness.BackendNative), shared.backend(harness.BackendAggregated)
	if native == nil || annex == nil {
		t.Skip("this needs the backends native and aggregated")
	}
	for _, where := range []struct {
		what string
		name func(t *testing.T, b *backend) string
	}{
		{"a missing namespace", func(_ *testing.T, b *backend) string { return "missing-" + string(b.Name) }},
		{"a terminating namespace", terminatingNamespace},
	} {
		t.Run("in "+where.what, func(t *testing.T) {
			inNative, inAnnex := where.name(t, native), where.name(t, annex)
			for _, request := range lifecycleRequests("held") {
				want, got := request.answer(t, native, inNative, "held"), request.answer(t, annex, inAnnex, "held")
				if got != want {
					t.Errorf("%s:\ngot  %s\nwant %s", request.what, got, want)
				}
			}
		})
	}
}

// terminatingNamespace has one object that a finalizer keeps, and keeps the namespace.
func terminatingNamespace(t *testing.T, b *backend) string {
	t.Helper()
	namespace := b.namespace(t)
	held := b.widget("held", "red", 1)
	held.SetFinalizers([]string{"example.dev/wait"})
	b.create(t, namespace, held)
	if err := b.core.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, collectorPatience, func() error {
		object := must(b.widgets(namespace).Get(t.Context(), "held", metav1.GetOptions{}))(t)
		if object.GetDeletionTimestamp() == nil {
			return fmt.Errorf("the namespace's content is not deleted yet")
		}
		return nil
	})
	t.Cleanup(func() {
		_, _ = b.widgets(namespace).Patch(t.Context(), "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	})
	return namespace
}

// Who writes while the namespace is being deleted is refused at some moment; what was written before goes with the namespace.
func TestNoObjectOutlivesItsNamespace(t *testing.T) {
	forEachAtOnce(t, inCluster, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		const writers = 4
		begun := make(chan struct{}, writers)
		wait := inParallel(writers, func(writer int) {
			for i := 0; ; i++ {
				_, err := b.widgets(namespace).Create(t.Context(), b.widget(fmt.Sprintf("w%d-%d", writer, i), "red", 1), metav1.CreateOptions{})
				if err != nil {
					if !strings.Contains(err.Error(), "because it is being terminated") {
						t.Error(err)
					}
					return
				}
				if i == 20 {
					begun <- struct{}{}
				}
			}
		})
		for range writers {
			<-begun
		}
		if err := b.core.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		wait()
		b.awaitNamespaceGone(t, namespace)
		list := must(b.dynamic.Resource(b.resource("widgets")).Namespace(namespace).List(t.Context(), metav1.ListOptions{}))(t)
		if len(list.Items) > 0 {
			t.Errorf("%d objects have outlived it", len(list.Items))
		}
	})
}
