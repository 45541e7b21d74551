package parity

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// userAgent is sent with each request: what a server remembers of it must be the same on both sides.
	userAgent = "parity/1.0"
	// requestTimeout bounds an ordinary request. kube-apiserver gives a conversion webhook 30 s.
	requestTimeout = 60 * time.Second
	untilTimeout   = 20 * time.Second
	untilPause     = 50 * time.Millisecond
	watchTimeout   = 10 * time.Second
)

// resetPattern is how an error reads if the server gave up a request instead of answering it: kube-apiserver does so after a
// panic, and with paths that are none.
var resetPattern = regexp.MustCompile(`stream error: stream ID \d+; ([A-Z_]+; received from peer)$`)

// beyondLimit is the error if a request's head is larger than the server says it takes: it is not sent.
const beyondLimit = "http2: request header list larger than peer's advertised limit"

// contentTypes are the short names that a step may use.
var contentTypes = map[string]string{
	"json":       "application/json",
	"yaml":       "application/yaml",
	"protobuf":   "application/vnd.kubernetes.protobuf",
	"json-patch": "application/json-patch+json",
	"merge":      "application/merge-patch+json",
	"strategic":  "application/strategic-merge-patch+json",
	"apply":      "application/apply-patch+yaml",
}

// Side is one of the two servers.
type Side struct {
	Name      string
	address   string
	admin     *http.Client
	anonymous *http.Client
	http1     *http.Client // admin over HTTP/1.1
}

// NewSide returns a side whose requests have the rights of config.
func NewSide(name string, config *rest.Config) (*Side, error) {
	side := &Side{Name: name, address: strings.TrimSuffix(config.Host, "/")}
	var err error
	if side.admin, err = newClient(config); err != nil {
		return nil, err
	}
	if side.anonymous, err = newClient(rest.AnonymousClientConfig(config)); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.NextProtos = []string{"http/1.1"}
	side.http1, err = newClient(config)
	return side, err
}

func newClient(config *rest.Config) (*http.Client, error) {
	config = rest.CopyConfig(config)
	config.DisableCompression = true // what a server compresses is part of its answer
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// Answer is what a server said to one request.
type Answer struct {
	Code   int
	Header http.Header
	Body   []byte
	// Events are the lines of a watch, which then has no Body; Ended tells whether the server ended it.
	Events [][]byte
	Ended  bool
}

// Request is a request as it goes out, nothing in it filled in.
type Request struct {
	Method string
	Target string
	Body   []byte // nil: none
	Header map[string]string
}

// Send carries out a request that is not a watch.
func (s *Side) Send(ctx context.Context, request Request) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	outgoing, err := s.outgoing(ctx, request)
	if err != nil {
		return nil, err
	}
	response, err := s.admin.Do(outgoing)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer := &Answer{Code: response.StatusCode, Header: response.Header}
	answer.Body, err = readBody(response)
	return answer, err
}

func (s *Side) outgoing(ctx context.Context, request Request) (*http.Request, error) {
	var body io.Reader
	if request.Body != nil {
		body = bytes.NewReader(request.Body)
	}
	outgoing, err := http.NewRequestWithContext(ctx, request.Method, s.address, body)
	if err != nil {
		return nil, err
	}
	outgoing.URL.Opaque = request.Target // as it is written, whatever signs it holds
	outgoing.Header.Set("User-Agent", userAgent)
	for name, value := range request.Header {
		outgoing.Header.Set(name, value)
	}
	return outgoing, nil
}

// Ask carries out a step that is not the end of an earlier watch.
func (s *Side) Ask(ctx context.Context, step Step, words words) (*Answer, error) {
	if step.Until == nil {
		return s.askOnce(ctx, step, words)
	}
	ctx, cancel := context.WithTimeout(ctx, untilTimeout)
	defer cancel()
	for {
		answer, err := s.askOnce(ctx, step, words)
		if err != nil {
			return nil, fmt.Errorf("until %+v: %w", *step.Until, err)
		}
		if step.Until.holds(answer) {
			return answer, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("not within %s as until says (%+v); the last answer: %d %s", untilTimeout, *step.Until, answer.Code, answer.Body)
		case <-time.After(untilPause):
		}
	}
}

func (u Until) holds(answer *Answer) bool {
	if u.Code != 0 && answer.Code != u.Code {
		return false
	}
	return u.Path == "" || textAt(answer.Body, u.Path) == u.Is
}

func (s *Side) askOnce(ctx context.Context, step Step, words words) (*Answer, error) {
	watch := isWatch(step)
	timeout := requestTimeout
	if watch {
		timeout = watchTimeout
		if step.Within != "" {
			timeout, _ = time.ParseDuration(step.Within) // checked when the file was read
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := s.newRequest(ctx, step, words)
	if err != nil {
		return nil, err
	}
	client := s.admin
	switch {
	case step.Anonymous:
		client = s.anonymous
	case step.HTTP1:
		client = s.http1
	}
	response, err := client.Do(request)
	if err != nil {
		return noAnswer(err)
	}
	defer response.Body.Close()
	answer := &Answer{Code: response.StatusCode, Header: response.Header}
	if watch && response.StatusCode == http.StatusOK {
		return answer, answer.readEvents(response.Body, step.Events)
	}
	answer.Body, err = readBody(response)
	return answer, err
}

// noAnswer returns what stands for the answer if the server refused to give one; else the error.
func noAnswer(err error) (*Answer, error) {
	if reset := resetPattern.FindStringSubmatch(err.Error()); reset != nil {
		return &Answer{Body: []byte(reset[1])}, nil
	}
	if strings.HasSuffix(err.Error(), beyondLimit) {
		return &Answer{Body: []byte(beyondLimit)}, nil
	}
	return nil, err
}

func readBody(response *http.Response) ([]byte, error) {
	if response.Header.Get("Content-Encoding") != "gzip" || response.Request.Method == http.MethodHead {
		return io.ReadAll(response.Body)
	}
	reader, err := gzip.NewReader(response.Body)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return io.ReadAll(reader)
}

func (s *Side) newRequest(ctx context.Context, step Step, words words) (*http.Request, error) {
	line, err := words.Fill(step.Do)
	if err != nil {
		return nil, err
	}
	method, target, _ := strings.Cut(line, " ")
	body, contentType, err := step.content(words)
	if err != nil {
		return nil, err
	}
	header := map[string]string{}
	if contentType != "" {
		header["Content-Type"] = contentType
	}
	if step.Accept != "" {
		header["Accept"] = longName(step.Accept)
	}
	for name, value := range step.Headers {
		if header[name], err = words.Fill(value); err != nil {
			return nil, err
		}
	}
	return s.outgoing(ctx, Request{Method: method, Target: target, Body: body, Header: header})
}

// content returns a step's body and its type.
func (s Step) content(words words) ([]byte, string, error) {
	contentType := longName(s.Type)
	if s.Text != nil {
		text, err := words.Fill(*s.Text)
		return []byte(text), contentType, err
	}
	if s.Body == nil {
		return s.Bytes, contentType, nil
	}
	if contentType == "" {
		contentType = contentTypes["json"]
	}
	body, err := changed(s.Body, s.With)
	if err != nil {
		return nil, "", err
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, "", err
	}
	text, err := words.Fill(data.String())
	if err == nil && s.Type == "protobuf" {
		encoded, err := encodeProtobuf([]byte(text))
		return encoded, contentType, err
	}
	return []byte(text), contentType, err
}

func longName(mediaType string) string {
	if long, known := contentTypes[mediaType]; known {
		return long
	}
	return mediaType
}

// isWatch tells whether a step's answer is a stream of events. Any value but "false" and "0" asks for one, and below watch/
// any method does.
func isWatch(step Step) bool {
	method, target, _ := strings.Cut(step.Do, " ")
	path, query, _ := strings.Cut(target, "?")
	if strings.Contains(path, "/watch/") {
		return true
	}
	for _, parameter := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		if name == "watch" {
			return method == http.MethodGet && value != "0" && !strings.EqualFold(value, "false")
		}
	}
	return false
}
