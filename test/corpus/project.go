package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"annex.dev/annex/test/parity"
	"annex.dev/annex/test/parity/tree"
)

const (
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	// servedTimeout is how long a server may take until a project's definitions are served and published.
	servedTimeout = 2 * time.Minute
	// askAgain is how long to wait before it is asked again. To make a document of OpenAPI anew costs kube-apiserver seconds.
	askAgain = 200 * time.Millisecond
	// atOnce is how many definitions are looked at at the same time.
	atOnce = 4
)

// Project is what one run compares: definitions that are served together.
type Project struct {
	Name        string
	Definitions []*Definition

	sides [2]*parity.Side
}

// Result is what came out for a definition, or for what a project publishes as a whole.
type Result struct {
	// Definition is nil for the project's documents.
	Definition  *Definition
	Refused     bool
	Versions    int // served ones
	Samples     int // objects that were to be accepted
	Accepted    int // those that were
	Requests    int
	Differences []Difference
	// Open says that the differences are known.
	Open bool
}

// Name is the definition's, or "documents".
func (r *Result) Name() string {
	if r.Definition == nil {
		return "documents"
	}
	return r.Definition.Name
}

// Run installs a project's definitions on both sides, compares all that both say about them and their objects, and takes them
// away again.
func (p *Project) Run(ctx context.Context) ([]*Result, error) {
	results := make([]*Result, len(p.Definitions))
	checks := make([]*check, len(p.Definitions))
	for i, d := range p.Definitions {
		results[i] = &Result{Definition: d}
		checks[i] = &check{definition: d, pair: NewPair(p.sides), result: results[i]}
	}
	documents := &Result{}
	err := forEach(checks, func(c *check) error { return c.install(ctx) })
	if err == nil {
		err = p.compareDocuments(ctx, checks, documents)
	}
	if err == nil {
		err = forEach(checks, func(c *check) error { return c.objects(ctx) })
	}
	err = errors.Join(err, forEach(checks, func(c *check) error { return c.remove(ctx) }))
	for _, c := range checks {
		c.result.Differences, c.result.Requests = c.pair.Differences, c.pair.requests
	}
	return append(results, documents), err
}

// forEach calls do for several items at once.
func forEach[T any](items []T, do func(T) error) error {
	var group sync.WaitGroup
	errs := make([]error, len(items))
	places := make(chan struct{}, atOnce)
	for i, item := range items {
		group.Add(1)
		go func() {
			defer group.Done()
			places <- struct{}{}
			defer func() { <-places }()
			errs[i] = do(item)
		}()
	}
	group.Wait()
	return errors.Join(errs...)
}

// groupVersion is a version of an API group that a project serves.
type groupVersion struct{ group, version string }

// published returns the served versions of all groups, with the resources of each.
func published(checks []*check) map[groupVersion][]string {
	result := map[groupVersion][]string{}
	for _, c := range checks {
		if c.result.Refused {
			continue
		}
		for _, v := range c.definition.Versions {
			if v.Served {
				key := groupVersion{c.definition.Group, v.Name}
				result[key] = append(result[key], c.definition.Plural)
			}
		}
	}
	return result
}

// compareDocuments compares discovery and OpenAPI of the project's groups.
func (p *Project) compareDocuments(ctx context.Context, checks []*check, result *Result) error {
	pair := NewPair(p.sides)
	defer func() { result.Differences, result.Requests = pair.Differences, pair.requests }()
	groups := map[string]bool{}
	for key, resources := range published(checks) {
		groups[key.group] = true
		if err := pair.compareVersion(ctx, key, resources); err != nil {
			return err
		}
	}
	for group := range groups {
		target := "/apis/" + group
		if _, err := pair.Ask(ctx, "discovery of a group", parity.Request{Method: http.MethodGet, Target: target}, nil); err != nil {
			return err
		}
	}
	if len(groups) == 0 {
		return nil
	}
	if err := pair.compareMerged(ctx, groups); err != nil {
		return err
	}
	return pair.compareV2(ctx, groups, published(checks))
}

// compareVersion compares the documents of a version of a group, once both have all resources in them.
func (p *Pair) compareVersion(ctx context.Context, key groupVersion, resources []string) error {
	path := "/apis/" + key.group + "/" + key.version
	var names []string
	for _, resource := range resources {
		names = append(names, fmt.Sprintf("\"name\":%q", resource))
	}
	request := parity.Request{Method: http.MethodGet, Target: path}
	if err := p.AskWhen(ctx, "discovery of a version", request, resourceListShape, hasAll(names)); err != nil {
		return err
	}
	request.Target = "/openapi/v3" + path
	return p.AskWhen(ctx, "OpenAPI v3", request, nil, hasAll(pathsOf(key, resources)))
}

// pathsOf returns the keys that an OpenAPI document has for resources.
func pathsOf(key groupVersion, resources []string) []string {
	var paths []string
	for _, resource := range resources {
		paths = append(paths, fmt.Sprintf("\"/apis/%s/%s/%s\":", key.group, key.version, resource))
	}
	return paths
}

// hasAll tests for texts in a document. It does not read the document: it is asked often, and documents are large.
func hasAll(texts []string) func([]byte) error {
	return func(body []byte) error {
		for _, text := range texts {
			if !bytes.Contains(body, []byte(text)) {
				return fmt.Errorf("no %s", text)
			}
		}
		return nil
	}
}

// compareMerged compares what the merged discovery document says of some groups.
func (p *Pair) compareMerged(ctx context.Context, groups map[string]bool) error {
	request := parity.Request{Method: http.MethodGet, Target: "/apis", Header: map[string]string{
		"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
	}}
	_, err := p.Ask(ctx, "merged discovery", request, func(content any) any {
		return change(content, []string{"items"}, func(list any) any { return groupsOf(list, groups) })
	})
	return err
}

// groupsOf keeps the named groups of a merged discovery document. Their order and that of resources is that of arrival.
func groupsOf(list any, groups map[string]bool) any {
	items, _ := list.([]any)
	kept := []any{}
	for _, item := range items {
		if name, _ := tree.At(item, "metadata.name"); groups[fmt.Sprint(name)] {
			kept = append(kept, change(item, []string{"versions"}, func(versions any) any {
				list, _ := versions.([]any)
				for i := range list {
					list[i] = change(list[i], []string{"resources"}, sortedBy("resource"))
				}
				return list
			}))
		}
	}
	return sorted(kept, "metadata.name")
}

// compareV2 compares what the OpenAPI v2 document says of some groups.
func (p *Pair) compareV2(ctx context.Context, groups map[string]bool, versions map[groupVersion][]string) error {
	ours := func(content any) any {
		content = change(content, []string{"paths"}, only(func(m tree.Member) bool { return groups[groupOfPath(m.Key)] }))
		content = change(content, []string{"definitions"}, only(func(m tree.Member) bool { return groups[groupOfKind(m.Value)] }))
		return only(func(m tree.Member) bool { return m.Key == "paths" || m.Key == "definitions" })(content)
	}
	var paths []string
	for key, resources := range versions {
		paths = append(paths, pathsOf(key, resources)...)
	}
	return p.AskWhen(ctx, "OpenAPI v2", parity.Request{Method: http.MethodGet, Target: "/openapi/v2"}, ours, hasAll(paths))
}

// AskWhen is Ask, once a test of the answer's body holds on each side.
func (p *Pair) AskWhen(ctx context.Context, what string, request parity.Request, form shape, ready func(body []byte) error) error {
	var answers [2]*parity.Answer
	var errs [2]error
	var group sync.WaitGroup
	for i, side := range p.sides {
		group.Add(1)
		go func() {
			defer group.Done()
			answers[i], errs[i] = waitFor(ctx, side, request, ready)
		}()
	}
	group.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("%s (%s): %w", what, request.Target, err)
	}
	p.requests++
	p.compare(what+" ("+request.Target+")", answers, form)
	return nil
}

func waitFor(ctx context.Context, side *parity.Side, request parity.Request, ready func(body []byte) error) (*parity.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, servedTimeout)
	defer cancel()
	for {
		answer, err := side.Send(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", side.Name, err)
		}
		problem := fmt.Errorf("%d %.300s", answer.Code, answer.Body)
		if answer.Code == http.StatusOK {
			problem = ready(answer.Body)
		}
		if problem == nil {
			return answer, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w: %w", side.Name, ctx.Err(), problem)
		case <-time.After(askAgain):
		}
	}
}
