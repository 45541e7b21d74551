package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// client makes requests over a fixed number of HTTP/2 connections that stay open, in turn. It may be used by many goroutines.
type client struct {
	host        string
	connections []*http.Client
	next        atomic.Uint64
}

type request struct {
	method      string
	path        string // with the query
	body        []byte
	contentType string // empty means application/json
}

func newClient(config *rest.Config, connections int) (*client, error) {
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	c := &client{host: config.Host}
	for range connections {
		transport := &http.Transport{
			TLSClientConfig: tls.Clone(), ForceAttemptHTTP2: true, DisableCompression: true, MaxConnsPerHost: 1,
			ReadBufferSize: 64 << 10, WriteBufferSize: 64 << 10,
		}
		c.connections = append(c.connections, &http.Client{Transport: transport})
	}
	return c, nil
}

// open sends a request and returns the answer with its body still to be read. Any status but 2xx is an error.
func (c *client) open(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	httpRequest, err := http.NewRequestWithContext(ctx, r.method, c.host+r.path, body)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		httpRequest.Header.Set("Content-Type", "application/json")
	}
	if r.contentType != "" {
		httpRequest.Header.Set("Content-Type", r.contentType)
	}
	httpRequest.Header.Set("Accept", "application/json")
	connection := c.connections[c.next.Add(1)%uint64(len(c.connections))]
	response, err := connection.Do(httpRequest)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer response.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(response.Body, 2000))
		return nil, fmt.Errorf("%s %s: %s: %s", r.method, r.path, response.Status, text)
	}
	return response, nil
}

// do returns the whole body of the answer.
func (c *client) do(ctx context.Context, r request) ([]byte, error) {
	response, err := c.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// discard reads the whole body of the answer and returns its length.
func (c *client) discard(ctx context.Context, r request) (int64, error) {
	response, err := c.open(ctx, r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return io.Copy(io.Discard, response.Body)
}
