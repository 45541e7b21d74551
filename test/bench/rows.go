package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"time"
)

// row is a piece of work that is repeated on every side, with what Annex is to reach.
type row struct {
	number int
	name   string
	// Annex is to need at most 1/cpu of the processor time of kube-apiserver and etcd and to do at least perSecond times as many.
	cpu, perSecond float64
	namespace      string // that has to be filled
	concurrency    int
	work           func(s *side) operation
	// items is how many objects an answer has to hold; 0 for work that answers with no list. first is one operation's request.
	items int
	query url.Values
	first func(s *side) request
}

// objectsOf says how many objects a namespace is filled with.
var objectsOf = map[string]int{smallNamespace: smallCount, largeNamespace: largeCount}

// loadConcurrency is how many requests are under way at once.
const loadConcurrency = 32

// listConcurrency is for answers of many megabytes, of which kube-apiserver cannot hold 32 at once in the memory of a small machine.
const listConcurrency = 4

const mergePatch = "application/merge-patch+json"

var repeatedRows = []row{
	{number: 1, name: "create", cpu: 20, perSecond: 8, namespace: smallNamespace, concurrency: loadConcurrency, work: creating},
	{number: 2, name: "get", cpu: 25, perSecond: 10, namespace: smallNamespace, concurrency: loadConcurrency, work: getting},
	listRow(3, "list 10,000 objects", 25, 15, smallNamespace, nil, smallCount),
	listRow(4, "list limit=500 of 10,000", 25, 15, smallNamespace, url.Values{"limit": {"500"}}, 500),
	listRow(5, "field selector, 10 of 10,000", 50, 25, smallNamespace, url.Values{"fieldSelector": {"spec.batch=" + batch(7)}}, 10),
	listRow(6, "label selector, 10 of 10,000", 50, 25, smallNamespace, url.Values{"labelSelector": {"batch=" + batch(7)}}, 10),
	{number: 7, name: "merge-patch", cpu: 20, perSecond: 8, namespace: smallNamespace, concurrency: loadConcurrency, work: patching},
	{
		number: 8, name: "merge-patch on /status", cpu: 20, perSecond: 8, namespace: smallNamespace, concurrency: loadConcurrency,
		work: patchingStatus,
	},
	listRow(10, "field selector, 100 of 100,000", 250, 100, largeNamespace, url.Values{"fieldSelector": {"spec.lot=" + lot(7)}}, 100),
	listRow(11, "list limit=500 of 100,000", 100, 50, largeNamespace, url.Values{"limit": {"500"}}, 500),
}

func listRow(number int, name string, cpu, perSecond float64, namespace string, query url.Values, items int) row {
	r := row{number: number, name: name, cpu: cpu, perSecond: perSecond, namespace: namespace, concurrency: loadConcurrency, items: items, query: query}
	if items > 500 {
		r.concurrency = listConcurrency
	}
	r.first = func(s *side) request {
		return request{method: "GET", path: s.collection(namespace) + "?" + query.Encode()}
	}
	r.work = func(s *side) operation {
		list := r.first(s)
		return func(ctx context.Context, _ int) error {
			_, err := s.client.discard(ctx, list)
			return err
		}
	}
	return r
}

func creating(s *side) operation {
	return func(ctx context.Context, i int) error { return s.create(ctx, scratchNamespace, i) }
}

func (s *side) create(ctx context.Context, namespace string, i int) error {
	_, err := s.client.discard(ctx, request{method: "POST", path: s.collection(namespace), body: s.object(i)})
	return err
}

func getting(s *side) operation {
	return func(ctx context.Context, i int) error {
		_, err := s.client.discard(ctx, request{method: "GET", path: s.objectPath(smallNamespace, scattered(i, s.population))})
		return err
	}
}

func patching(s *side) operation {
	return func(ctx context.Context, i int) error { return s.patch(ctx, "", i, patchSpec(stamp())) }
}

func patchingStatus(s *side) operation {
	return func(ctx context.Context, i int) error { return s.patch(ctx, "/status", i, patchStatus(stamp())) }
}

func (s *side) patch(ctx context.Context, subresource string, i int, body []byte) error {
	path := s.objectPath(smallNamespace, scattered(i, s.population)) + subresource
	_, err := s.client.discard(ctx, request{method: "PATCH", path: path, body: body, contentType: mergePatch})
	return err
}

// stamp is a number that no object holds yet.
func stamp() int64 { return time.Now().UnixNano() }

// fill makes all objects of a namespace.
func (s *side) fill(ctx context.Context, namespace string) (figures, error) {
	return s.fillFrom(ctx, namespace, 0, objectsOf[namespace])
}

// fillFrom makes the objects from number `first` to before `end`.
func (s *side) fillFrom(ctx context.Context, namespace string, first, end int) (figures, error) {
	creates := load{concurrency: loadConcurrency, first: first, count: end - first}
	return creates.run(ctx, s, func(ctx context.Context, i int) error { return s.create(ctx, namespace, i) })
}

// check makes sure that the answer holds what it should before its cost is measured.
func (r row) check(ctx context.Context, s *side) error {
	if r.items == 0 {
		return nil
	}
	body, err := s.client.do(ctx, r.first(s))
	if err != nil {
		return err
	}
	if n := bytes.Count(body, []byte(`"kind":"Widget",`)); n != r.items {
		return fmt.Errorf("%s: %s: %d objects instead of %d", s.name, r.name, n, r.items)
	}
	return nil
}

// clean deletes what creating made, on every side, so that each round begins with the same number of objects.
func (s *side) clean(ctx context.Context) error {
	_, err := s.client.discard(ctx, request{method: "DELETE", path: s.collection(scratchNamespace)})
	return err
}

// rounds measures a row on the sides in turn and returns each side's median.
func (r row) rounds(ctx context.Context, sides []*side, plan plan) (map[sideName]figures, error) {
	measured := map[sideName][]figures{}
	for _, s := range sides {
		if err := r.check(ctx, s); err != nil {
			return nil, err
		}
	}
	for range plan.rounds {
		for _, s := range sides {
			result, err := r.once(ctx, s, plan)
			if err != nil {
				return nil, err
			}
			measured[s.name] = append(measured[s.name], result)
		}
	}
	medians := map[sideName]figures{}
	for name, rounds := range measured {
		medians[name] = median(rounds)
	}
	return medians, nil
}

func (r row) once(ctx context.Context, s *side, plan plan) (figures, error) {
	work := r.work(s)
	warm, err := load{concurrency: r.concurrency, duration: plan.warmUp}.run(ctx, s, work)
	if err != nil {
		return figures{}, err
	}
	result, err := load{concurrency: r.concurrency, duration: plan.duration, first: warm.Operations + r.concurrency}.run(ctx, s, work)
	if err == nil && r.number == 1 {
		err = s.clean(ctx)
	}
	return result, err
}

// plan says how long and how often everything is done.
type plan struct {
	rounds   int
	warmUp   time.Duration
	duration time.Duration
}
