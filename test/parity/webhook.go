package parity

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"annex.dev/annex/test/cluster/harness"
)

// Webhook is a conversion webhook that both sides reach. It renames spec.size of v1 to spec.length of v2 and back, gives the
// objects of v2 the label shown=v2, and then does what the first object asks for in spec.answer (Script).
type Webhook struct {
	good      *httptest.Server
	misnamed  *httptest.Server // its certificate is for another name
	authority *harness.Authority
}

// Script says what is wrong with an answer.
type Script struct {
	With map[string]any `json:"with"` // changes to the review, as in a step
	Code int            `json:"code"`
	Type string         `json:"type"`
	Text *string        `json:"text"` // instead of the review
	// Hang waits this long before the answer, Drip between each byte of it.
	Hang string `json:"hang"`
	Drip string `json:"drip"`
	// Close ends the connection without an answer; Raw is written to it as it stands.
	Close bool   `json:"close"`
	Raw   string `json:"raw"`
}

type review struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Request    *reviewRequest `json:"request,omitempty"`
	Response   any            `json:"response,omitempty"`
}

type reviewRequest struct {
	UID               string           `json:"uid"`
	DesiredAPIVersion string           `json:"desiredAPIVersion"`
	Objects           []map[string]any `json:"objects"`
}

// StartWebhook serves on loopback.
func StartWebhook() (*Webhook, error) {
	authority, err := harness.NewAuthority("webhooks")
	if err != nil {
		return nil, err
	}
	w := &Webhook{authority: authority}
	if w.good, err = w.serve(harness.Leaf{CommonName: "webhook", IPs: []net.IP{net.IPv4(127, 0, 0, 1)}}); err != nil {
		return nil, err
	}
	w.misnamed, err = w.serve(harness.Leaf{CommonName: "127.0.0.1", DNSNames: []string{"hooks.example.com"}})
	return w, err
}

func (w *Webhook) serve(leaf harness.Leaf) (*httptest.Server, error) {
	pair, err := w.authority.Issue(leaf)
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(pair.CertPEM, pair.KeyPEM)
	if err != nil {
		return nil, err
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(convert))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are what some scenarios are about
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	return server, nil
}

// Stop ends it.
func (w *Webhook) Stop() {
	for _, server := range []*httptest.Server{w.good, w.misnamed} {
		if server != nil {
			server.CloseClientConnections()
			server.Close()
		}
	}
}

// Words are what scenarios call it by.
func (w *Webhook) Words() map[string]string {
	return map[string]string{
		"hook":          w.good.URL,
		"hook_misnamed": w.misnamed.URL,
		"hook_ca":       base64.StdEncoding.EncodeToString(w.authority.CertPEM),
	}
}

func convert(out http.ResponseWriter, in *http.Request) {
	var question review
	if err := json.NewDecoder(in.Body).Decode(&question); err != nil || question.Request == nil {
		http.Error(out, "no ConversionReview", http.StatusBadRequest)
		return
	}
	request := question.Request
	script := scriptOf(request.Objects)
	for _, object := range request.Objects {
		convertObject(object, request.DesiredAPIVersion)
	}
	answer := review{APIVersion: question.APIVersion, Kind: question.Kind, Response: map[string]any{
		"uid": request.UID, "result": map[string]any{"status": "Success"}, "convertedObjects": request.Objects,
	}}
	script.give(out, answer)
}

func scriptOf(objects []map[string]any) Script {
	var script Script
	if len(objects) > 0 {
		spec, _ := objects[0]["spec"].(map[string]any)
		if data, err := json.Marshal(spec["answer"]); err == nil {
			_ = json.Unmarshal(data, &script) // an object without a script asks for nothing
		}
	}
	return script
}

func convertObject(object map[string]any, version string) {
	object["apiVersion"] = version
	from, to := "length", "size"
	toV2 := strings.HasSuffix(version, "/v2")
	if toV2 {
		from, to = to, from
	}
	if spec, ok := object["spec"].(map[string]any); ok && spec[from] != nil {
		spec[to] = spec[from]
		delete(spec, from)
	}
	metadata := object["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
	}
	delete(labels, "shown")
	if toV2 {
		labels["shown"] = "v2"
	}
	metadata["labels"] = labels
	if len(labels) == 0 {
		delete(metadata, "labels")
	}
}

func (s Script) give(out http.ResponseWriter, answer review) {
	if pause, err := time.ParseDuration(s.Hang); err == nil {
		time.Sleep(pause)
	}
	if s.Close {
		panic(http.ErrAbortHandler)
	}
	if s.Raw != "" {
		writeRaw(out, s.Raw)
		return
	}
	changedAnswer, err := s.changed(answer)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	text, _ := json.Marshal(changedAnswer)
	if s.Text != nil {
		text = []byte(*s.Text)
	}
	contentType := s.Type
	if contentType == "" {
		contentType = "application/json"
	}
	out.Header().Set("Content-Type", contentType)
	if s.Code != 0 {
		out.WriteHeader(s.Code)
	}
	s.write(out, text)
}

// writeRaw takes the connection away from the server, which then reads no more requests from it.
func writeRaw(out http.ResponseWriter, text string) {
	connection, _, err := http.NewResponseController(out).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(connection, text) // who asked may have gone
	time.AfterFunc(time.Minute, func() { connection.Close() })
}

// changed returns the answer with the script's changes.
func (s Script) changed(answer review) (any, error) {
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var content any
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	return changed(content, s.With)
}

func (s Script) write(out http.ResponseWriter, text []byte) {
	pause, err := time.ParseDuration(s.Drip)
	if err != nil {
		_, _ = out.Write(text) // who asked may have gone
		return
	}
	for i := range text {
		if _, err := out.Write(text[i : i+1]); err != nil {
			return
		}
		if err := http.NewResponseController(out).Flush(); err != nil && err != io.EOF {
			return
		}
		time.Sleep(pause)
	}
}
