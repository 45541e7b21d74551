package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// CompactEtcd makes etcd forget all revisions but the present one: what was listed or watched from an earlier one is told that it is too
// old.
func (c *Cluster) CompactEtcd(ctx context.Context) error {
	var present struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	// A range of the key "\0" tells the revision.
	if err := c.askEtcd(ctx, "/v3/kv/range", map[string]any{"key": []byte{0}}, &present); err != nil {
		return err
	}
	var done struct{}
	return c.askEtcd(ctx, "/v3/kv/compaction", map[string]any{"revision": present.Header.Revision, "physical": true}, &done)
}

// askEtcd uses etcd's gateway from JSON to gRPC.
func (c *Cluster) askEtcd(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.etcdURL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s: %s: %s", path, response.Status, text)
	}
	return json.Unmarshal(text, answer)
}
