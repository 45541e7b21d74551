package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

const (
	watchers = 100
	// watchedPace is the time between two writes: slow enough that both servers are idle in between, so that the latency is that of
	// an event and not of a queue.
	watchedPace = 25 * time.Millisecond
	watchNumber = 9
	watchName   = "watch: one event to one of 100 watchers"
)

// The targets of the row: 1/watchCPU of the processor time, and events that arrive in time.
const (
	watchCPU = 20
	watchP99 = 3 * time.Millisecond
)

// watchRow measures what an event costs for each watcher that gets it, the write that caused it included, and how long after the
// write was sent it arrived.
func watchRow(ctx context.Context, s *side, duration time.Duration) (figures, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arrivals := make(chan arrival, 4*watchers)
	ready := &sync.WaitGroup{}
	for range watchers {
		ready.Add(1)
		go watchOnce(ctx, s, ready, arrivals)
	}
	ready.Wait()
	writes := int(duration / watchedPace)
	before, err := s.usage()
	if err != nil {
		return figures{}, err
	}
	begin := time.Now()
	failed := make(chan error, 1)
	go func() { failed <- writeAtPace(ctx, s, writes) }()
	latencies, err := collect(ctx, arrivals, failed, writes*watchers)
	if err != nil {
		return figures{}, err
	}
	after, err := s.usage()
	return newFigures(after.since(before), time.Since(begin), latencies), err
}

// arrival is one event that one watcher got, or the end of its watch.
type arrival struct {
	latency time.Duration
	err     error
}

func writeAtPace(ctx context.Context, s *side, writes int) error {
	tick := time.NewTicker(watchedPace)
	defer tick.Stop()
	for i := range writes {
		<-tick.C
		if err := s.patch(ctx, "", i, patchSpec(stamp())); err != nil {
			return err
		}
	}
	return nil
}

func collect(ctx context.Context, arrivals <-chan arrival, failed <-chan error, expected int) ([]time.Duration, error) {
	latencies := make([]time.Duration, 0, expected)
	limit := time.After(2 * time.Minute)
	for len(latencies) < expected {
		select {
		case a := <-arrivals:
			if a.err != nil {
				return nil, a.err
			}
			latencies = append(latencies, a.latency)
		case err := <-failed:
			if err != nil {
				return nil, err
			}
			failed = nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-limit:
			return nil, fmt.Errorf("only %d of %d events arrived", len(latencies), expected)
		}
	}
	return latencies, nil
}

// watchOnce reads one watch of the small namespace, from now on, until ctx ends.
func watchOnce(ctx context.Context, s *side, ready *sync.WaitGroup, arrivals chan<- arrival) {
	report := sync.OnceFunc(ready.Done)
	defer report()
	err := func() error {
		newest, err := s.newestRevision(ctx)
		if err != nil {
			return err
		}
		response, err := s.client.open(ctx, request{
			method: "GET", path: s.collection(smallNamespace) + "?watch=true&timeoutSeconds=600&resourceVersion=" + newest,
		})
		if err != nil {
			return err
		}
		defer response.Body.Close()
		report()
		lines := bufio.NewReaderSize(response.Body, 16<<10)
		for {
			line, err := lines.ReadSlice('\n')
			if err != nil {
				return err
			}
			latency, err := latencyOf(line)
			if err != nil {
				return err
			}
			arrivals <- arrival{latency: latency}
		}
	}()
	if ctx.Err() == nil {
		arrivals <- arrival{err: fmt.Errorf("%s: a watch ended: %w", s.name, err)}
	}
}

// latencyOf reads the time at which the write of an event was sent, which is what patching writes into its object.
func latencyOf(line []byte) (time.Duration, error) {
	_, rest, found := bytes.Cut(line, []byte(`"stamp":`))
	end := bytes.IndexAny(rest, ",}")
	if !found || end < 0 {
		return 0, fmt.Errorf("an unexpected event: %.300s", line)
	}
	sent, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	return time.Since(time.Unix(0, sent)), err
}

// newestRevision returns the resourceVersion of the collection as it is now.
func (s *side) newestRevision(ctx context.Context) (string, error) {
	body, err := s.client.do(ctx, request{method: "GET", path: s.collection(smallNamespace) + "?labelSelector=none"})
	if err != nil {
		return "", err
	}
	_, rest, found := bytes.Cut(body, []byte(`"resourceVersion":"`))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 {
		return "", fmt.Errorf("a list without resourceVersion: %.300s", body)
	}
	return string(rest[:end]), nil
}
