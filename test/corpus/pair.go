package corpus

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"annex.dev/annex/test/cluster/harness"
	"annex.dev/annex/test/parity"
	"annex.dev/annex/test/parity/tree"
)

// Pair sends requests to both servers and keeps where their answers differ. It belongs to one definition or document, and to
// one goroutine.
type Pair struct {
	sides       [2]*parity.Side
	normalizers [2]parity.Normalizer
	requests    int
	Differences []Difference
}

// Difference is a request that the servers answered differently.
type Difference struct {
	Request string
	Lines   []string // place by place: "PATH: kube-apiserver's | Annex's"
}

func (d Difference) String() string {
	const most = 12
	lines := d.Lines
	more := ""
	if len(lines) > most {
		more = fmt.Sprintf("\n    ... and %d more", len(lines)-most)
		lines = lines[:most]
	}
	return d.Request + "\n    " + strings.Join(lines, "\n    ") + more
}

// NewPair returns a pair of kube-apiserver and Annex.
func NewPair(sides [2]*parity.Side) *Pair { return &Pair{sides: sides} }

// shape brings a body into a form in which order that means nothing is gone.
type shape func(content any) any

// Ask sends a request to both servers at once, compares the answers and returns them.
func (p *Pair) Ask(ctx context.Context, what string, request parity.Request, form shape) ([2]*parity.Answer, error) {
	p.requests++
	answers, err := p.send(ctx, request)
	if err != nil {
		return answers, fmt.Errorf("%s: %w", what, err)
	}
	p.compare(fmt.Sprintf("%s (%s %s)", what, request.Method, request.Target), answers, form)
	return answers, nil
}

func (p *Pair) send(ctx context.Context, request parity.Request) ([2]*parity.Answer, error) {
	var answers [2]*parity.Answer
	var errs [2]error
	var group sync.WaitGroup
	for i, side := range p.sides {
		group.Add(1)
		go func() {
			defer group.Done()
			answers[i], errs[i] = side.Send(ctx, request)
		}()
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return answers, fmt.Errorf("%s: %w", p.sides[i].Name, err)
		}
	}
	return answers, nil
}

func (p *Pair) compare(what string, answers [2]*parity.Answer, form shape) {
	var contents [2]any
	for i, answer := range answers {
		contents[i] = p.content(i, answer, form)
	}
	if lines := tree.Diff(contents[0], contents[1]); len(lines) > 0 {
		p.Differences = append(p.Differences, Difference{what, lines})
	}
}

// content is an answer as one value.
func (p *Pair) content(i int, answer *parity.Answer, form shape) any {
	normalizer := &p.normalizers[i]
	body, err := tree.Parse(answer.Body)
	if err != nil {
		body = normalizer.Text(string(answer.Body))
	} else {
		if form != nil && answer.Code < http.StatusBadRequest {
			body = form(body)
		}
		body = sortedErrors(withoutVersions(normalizer.Tree(body)))
	}
	return tree.Object{
		{Key: "code", Value: answer.Code},
		{Key: "headers", Value: strings.Join(normalizer.Headers(answer.Header), "\n")},
		{Key: "body", Value: body},
	}
}

// waitGone waits until neither side knows what is at a path.
func waitGone(ctx context.Context, sides [2]*parity.Side, target string) error {
	ctx, cancel := context.WithTimeout(ctx, servedTimeout)
	defer cancel()
	for _, side := range sides {
		err := harness.Poll(ctx, func() error {
			answer, err := side.Send(ctx, parity.Request{Method: http.MethodGet, Target: target})
			if err == nil && answer.Code != http.StatusNotFound {
				err = fmt.Errorf("%s still has %s", side.Name, target)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
