package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// tally counts a project's definitions.
type tally struct {
	definitions, versions, refused       int
	equal, withoutRules, open, different int // of the definitions
	documentsDiffer, samples, accepted   int
	requests                             int
	took                                 time.Duration
}

func (t *tally) plus(other tally) {
	t.definitions += other.definitions
	t.versions += other.versions
	t.refused += other.refused
	t.equal += other.equal
	t.withoutRules += other.withoutRules
	t.open += other.open
	t.different += other.different
	t.documentsDiffer += other.documentsDiffer
	t.samples += other.samples
	t.accepted += other.accepted
	t.requests += other.requests
	t.took += other.took
}

// summary is what a run tells at its end.
type summary struct {
	mutex    sync.Mutex
	projects map[string]tally
	skipped  []string // with the reason
}

func (s *summary) skip(project string, reason error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.skipped = append(s.skipped, fmt.Sprintf("corpus: %s was skipped: %v\n", project, reason))
}

func (s *summary) add(project string, results []*Result, took time.Duration) {
	t := tally{took: took}
	for _, result := range results {
		t.requests += result.Requests
		if result.Definition == nil {
			t.documentsDiffer = min(1, len(result.Differences))
			continue
		}
		t.definitions++
		t.versions += result.Versions
		t.samples += result.Samples
		t.accepted += result.Accepted
		if result.Refused {
			t.refused++
		}
		switch {
		case result.Open:
			t.open++
		case len(result.Differences) > 0:
			t.different++
		case result.Definition.WithoutRules:
			t.withoutRules++
		default:
			t.equal++
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.projects == nil {
		s.projects = map[string]tally{}
	}
	s.projects[project] = t
}

// print writes a line for each project. "no rules" are definitions that are equal when their x-kubernetes-validations are taken
// away on both sides; "refused" ones are refused by both; "open" ones are in open.yaml; "documents" counts projects whose
// discovery or OpenAPI differs; "samples" are the objects made from the schemas, and how many of them kube-apiserver accepted.
func (s *summary) print() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	fmt.Printf("corpus: %-28s %11s %8s %7s %5s %8s %4s %9s %9s %11s %8s %5s\n", "project", "definitions", "versions", "refused", "equal", "no rules",
		"open", "different", "documents", "samples", "requests", "s")
	line := func(name string, t tally) {
		fmt.Printf("corpus: %-28s %11d %8d %7d %5d %8d %4d %9d %9d %5d/%-5d %8d %5.1f\n", name, t.definitions, t.versions, t.refused, t.equal,
			t.withoutRules, t.open, t.different, t.documentsDiffer, t.accepted, t.samples, t.requests, t.took.Seconds())
	}
	for _, text := range s.skipped {
		fmt.Print(text)
	}
	var sum tally
	for _, name := range slices.Sorted(maps.Keys(s.projects)) {
		line(name, s.projects[name])
		sum.plus(s.projects[name])
	}
	line(strings.Repeat("-", 28), sum)
}
