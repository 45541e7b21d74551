package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What an adoption reads and watches may be compacted away under it at any moment: then it lists anew.
func TestAdoptionWhileEtcdIsCompacted(t *testing.T) {
	a := newAdoption(t, "compacted", "widgets")
	namespace := a.namespace(t)
	const count = 1500
	a.fill(t, namespace, count)
	end := a.load(t, namespace)
	ctx, stop := context.WithCancel(t.Context())
	compactions := 0
	wait := inParallel(1, func(int) {
		for ctx.Err() == nil {
			if shared.cluster.CompactEtcd(ctx) == nil {
				compactions++
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	})
	a.ask(t)
	message := a.awaitAdopted(t)
	stop()
	wait()
	l := end()
	t.Logf("%d compactions, %d writes were accepted, %d refused: %s", compactions, l.accepted, l.refused, message)
	objects := a.everything(t, "widgets")
	l.check(t, objects, namespace)
	for i := range count {
		if objects[fmt.Sprintf("%s/w-%05d", namespace, i)] == nil {
			t.Errorf("w-%05d is lost", i)
		}
	}
}

var webhookResource = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}

// A webhook that somebody makes while a group is on its way is not skipped without a word, even one that does not answer.
func TestAdoptionWhileAWebhookAppears(t *testing.T) {
	a := newAdoption(t, "hooked", "widgets")
	definition := "widgets." + a.Domain
	a.fill(t, a.namespace(t), 1500)
	hook := &unstructured.Unstructured{}
	text := fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"appears"},
		"webhooks":[{"name":"hook.example.dev","sideEffects":"None","admissionReviewVersions":["v1"],"failurePolicy":"Fail","timeoutSeconds":1,
		"clientConfig":{"url":"https://127.0.0.1:1/"},"rules":[{"apiGroups":[%q],"apiVersions":["*"],"operations":["*"],"resources":["widgets"]}]}]}`, a.Domain)
	if err := json.Unmarshal([]byte(text), &hook.Object); err != nil {
		t.Fatal(err)
	}
	webhooks := a.dynamic.Resource(webhookResource)
	a.ask(t)
	a.awaitOneOf(t, "Copying", "Verifying")
	must(webhooks.Create(t.Context(), hook, metav1.CreateOptions{}))(t)
	message := a.awaitReason(t, definition, "Blocked")
	if !strings.Contains(message, `ValidatingWebhookConfiguration "appears"`) {
		t.Errorf("it is blocked: %s", message)
	}
	if objects := a.everything(t, "widgets"); len(objects) != 1500 {
		t.Errorf("there are %d objects", len(objects))
	}
	if err := webhooks.Delete(t.Context(), "appears", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
