package cluster_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// The limit of kube-apiserver, and what Annex has by default.
const maxBodyBytes = 3 << 20

func TestTooLongBodiesAreRefusedWithAStatus(t *testing.T) {
	forEachAtOnce(t, everywhere, func(t *testing.T, b *backend) {
		url := b.config.Host + "/apis/" + b.Domain + "/v1/namespaces/" + b.namespace(t) + "/widgets"
		body := []byte(toJSON(b.object("Widget", "long", map[string]any{"size": 1, "message": strings.Repeat("x", maxBodyBytes)})))
		for _, protocol := range []string{"http/1.1", "h2"} {
			config := rest.CopyConfig(b.config)
			config.NextProtos = []string{protocol}
			client := must(rest.HTTPClientFor(config))(t)
			response := must(client.Post(url, "application/json", bytes.NewReader(body)))(t)
			var status metav1.Status
			err := json.NewDecoder(response.Body).Decode(&status)
			response.Body.Close()
			if err != nil || response.StatusCode != http.StatusRequestEntityTooLarge || status.Reason != metav1.StatusReasonRequestEntityTooLarge {
				t.Errorf("%s: got %s and %+v (%v), want 413 and a Status that says so", protocol, response.Status, status, err)
			}
		}
	})
}
