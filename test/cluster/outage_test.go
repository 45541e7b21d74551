package cluster_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

const (
	// othersPatience is how long a request for something else may take while Annex does not answer.
	othersPatience = 5 * time.Second
	// returnPatience is how long it may take until a cluster uses an Annex that is back.
	returnPatience = 10 * time.Second
)

// Whatever Annex does, the rest of the cluster's API works, and Annex's is there again soon after Annex is.
func TestOtherGroupsWorkWhileAnnexDoesNot(t *testing.T) {
	w := needFaulty(t)
	beginNonsense, endNonsense := w.babble()
	for _, outage := range []struct {
		name  string
		begin func(t *testing.T)
		end   func(t *testing.T)
	}{
		{"is down", w.stopAnnex, w.startAnnex},
		{"hangs", w.freezeAnnex, w.thawAnnex},
		{"answers nonsense", beginNonsense, endNonsense},
	} {
		t.Run("Annex "+outage.name, func(t *testing.T) {
			outage.begin(t)
			others := newOthers(t, w)
			t.Run("others' objects are served", others.objects)
			t.Run("discovery has the others", others.discovery)
			t.Run("kubectl finds the others", others.kubectl)
			t.Run("OpenAPI has the others", others.openAPI)
			outage.end(t)
			begun := time.Now()
			t.Run("afterwards all is there", func(t *testing.T) { w.awaitServed(t) })
			fmt.Printf("cluster: Annex %s; when it is back, all is there after %.1f s\n", outage.name, time.Since(begun).Seconds())
		})
	}
}

func (w *world) freezeAnnex(t *testing.T) {
	t.Helper()
	if err := w.annex().Annex.Process().Freeze(); err != nil {
		t.Fatal(err)
	}
	w.awaitAvailability(t, "False")
}

func (w *world) thawAnnex(t *testing.T) {
	t.Helper()
	if err := w.annex().Annex.Process().Thaw(); err != nil {
		t.Fatal(err)
	}
}

// babble returns how to put a server in the place of Annex that has its certificate, and answers every request with 200 and
// something that is no answer, and how to end it.
func (w *world) babble() (begin, end func(t *testing.T)) {
	var server *http.Server
	begin = func(t *testing.T) { server = w.startBabbling(t) }
	end = func(t *testing.T) {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		w.startAnnex(t)
	}
	return begin, end
}

func (w *world) startBabbling(t *testing.T) *http.Server {
	annex := w.annex().Annex
	annex.Kill()
	folder := filepath.Join(annex.Options().DataDir, "pki")
	pair := must(tls.LoadX509KeyPair(filepath.Join(folder, "serving.crt"), filepath.Join(folder, "serving.key")))(t)
	listener := must(tls.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", annex.Options().Port), &tls.Config{Certificates: []tls.Certificate{pair}}))(t)
	server := &http.Server{Handler: http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(answer, `{"kind":"Nonsense","items":[[`)
	})}
	go func() { _ = server.Serve(listener) }()
	w.awaitAvailability(t, "True")
	return server
}

// others asks for what Annex does not serve.
type others struct {
	native  *backend
	client  *http.Client
	kubectl func(t *testing.T)
}

func newOthers(t *testing.T, w *world) *others {
	native := w.backend(harness.BackendNative)
	return &others{native: native, client: must(rest.HTTPClientFor(native.config))(t), kubectl: func(t *testing.T) { kubectlFindsOthers(t, native) }}
}

// get returns the body of an answer, which must come soon, be 200 and have certain words in it.
func (o *others) get(t *testing.T, path, accept string, words ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), othersPatience)
	defer cancel()
	request := must(http.NewRequestWithContext(ctx, http.MethodGet, o.native.config.Host+path, nil))(t)
	request.Header.Set("Accept", accept)
	answer := must(o.client.Do(request))(t)
	defer answer.Body.Close()
	body := must(io.ReadAll(answer.Body))(t)
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %s: %s", path, answer.Status, body)
	}
	for _, word := range words {
		if !strings.Contains(string(body), word) {
			t.Errorf("%s: nothing about %q in %d bytes", path, word, len(body))
		}
	}
}

const (
	plainJSON         = "application/json"
	mergedDiscovery   = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	definitionsOfPods = "io.k8s.api.core.v1.PodSpec"
)

func (o *others) objects(t *testing.T) {
	namespace := o.native.namespace(t)
	o.native.create(t, namespace, o.native.widget("w", "red", 1))
	o.get(t, fmt.Sprintf("/apis/%s/v1/namespaces/%s/widgets", o.native.Domain, namespace), plainJSON, `"w"`)
	o.get(t, "/api/v1/namespaces", plainJSON, `"default"`)
}

func (o *others) discovery(t *testing.T) {
	o.get(t, "/apis", mergedDiscovery, o.native.Domain, `"widgets"`, `"deployments"`)
	o.get(t, "/apis", plainJSON, o.native.Domain, `"apps"`)
	o.get(t, "/apis/"+o.native.Domain+"/v1", plainJSON, `"widgets"`)
}

func (o *others) openAPI(t *testing.T) {
	o.get(t, "/openapi/v2", plainJSON, definitionsOfPods, "/apis/"+o.native.Domain+"/v1/widgets")
	o.get(t, "/openapi/v3", plainJSON, `"apis/`+o.native.Domain+`/v1"`)
	o.get(t, "/openapi/v3/apis/"+o.native.Domain+"/v1", plainJSON, "/apis/"+o.native.Domain+"/v1/widgets")
}

// kubectlFindsOthers has nothing in kubectl's cache.
func kubectlFindsOthers(t *testing.T, b *backend) {
	k := newKubectl(t, b, "kubectl")
	k.run(t, "get", "configmaps")
	k.run(t, "get", b.widgetType())
	// It says what it could not read, and fails, but only after it has written the rest.
	stdout, _, _ := k.try(t, "", "api-resources", "--output=name")
	for _, name := range []string{"configmaps", "deployments.apps", b.widgetType()} {
		if !strings.Contains(stdout, name+"\n") {
			t.Errorf("kubectl api-resources does not know %s", name)
		}
	}
}

// awaitServed waits until Annex's group is in everything that a client could ask: objects, discovery in both forms, and OpenAPI.
func (w *world) awaitServed(t *testing.T) {
	t.Helper()
	b := w.annex()
	ctx, cancel := context.WithTimeout(t.Context(), returnPatience)
	defer cancel()
	if err := harness.WaitServed(ctx, b.config, b.resource("widgets")); err != nil {
		t.Fatal(err)
	}
	must(b.widgets("default").List(ctx, metav1.ListOptions{}))(t)
	core := b.core.Discovery().RESTClient()
	path := "/apis/" + b.Domain + "/v1/widgets"
	for document, form := range map[string]string{"/openapi/v2": plainJSON, "/openapi/v3/apis/" + b.Domain + "/v1": plainJSON} {
		err := harness.Poll(ctx, func() error {
			text, err := core.Get().AbsPath(document).SetHeader("Accept", form).DoRaw(ctx)
			if err == nil && !strings.Contains(string(text), `"`+path+`"`) {
				err = fmt.Errorf("%s has no %s", document, path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
