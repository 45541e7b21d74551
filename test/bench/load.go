package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// operation does the i-th operation of a kind; i grows over all goroutines.
type operation func(ctx context.Context, i int) error

// figures are what one kind of work cost on one side.
type figures struct {
	Operations int           `json:"operations"`
	CPU        time.Duration `json:"cpuPerOperation"`
	PerSecond  float64       `json:"perSecond"`
	P50        time.Duration `json:"p50"`
	P99        time.Duration `json:"p99"`
}

// load is how an operation is repeated.
type load struct {
	concurrency int
	// Either for a time, or a fixed number of times.
	duration time.Duration
	count    int
	first    int // the number of the first operation
}

// run repeats the operation and returns the figures. The first failure ends it.
func (l load) run(ctx context.Context, s *side, do operation) (figures, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	latencies := make([][]time.Duration, l.concurrency)
	before, err := s.usage()
	if err != nil {
		return figures{}, err
	}
	begin := time.Now()
	var workers sync.WaitGroup
	for w := range l.concurrency {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if l.count > 0 && i >= l.count || l.count == 0 && time.Since(begin) > l.duration {
					return
				}
				start := time.Now()
				if err := do(ctx, l.first+i); err != nil {
					cancel(fmt.Errorf("%s: operation %d: %w", s.name, i, err))
					return
				}
				latencies[w] = append(latencies[w], time.Since(start))
			}
		}()
	}
	workers.Wait()
	elapsed := time.Since(begin)
	if err := context.Cause(ctx); err != nil {
		return figures{}, err
	}
	after, err := s.usage()
	if err != nil {
		return figures{}, err
	}
	return newFigures(after.since(before), elapsed, slices.Concat(latencies...)), nil
}

func newFigures(processor, elapsed time.Duration, latencies []time.Duration) figures {
	n := len(latencies)
	if n == 0 {
		return figures{}
	}
	slices.Sort(latencies)
	return figures{
		Operations: n,
		CPU:        processor / time.Duration(n),
		PerSecond:  float64(n) / elapsed.Seconds(),
		P50:        latencies[n/2],
		P99:        latencies[n*99/100],
	}
}

// median returns the round with the median processor time. REQUIRES: rounds is not empty.
func median(rounds []figures) figures {
	sorted := slices.SortedFunc(slices.Values(rounds), func(a, b figures) int { return int(a.CPU - b.CPU) })
	return sorted[len(sorted)/2]
}
