package parity

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	"annex.dev/annex/test/parity/tree"
)

// Difference is a step that the two sides answered differently.
type Difference struct {
	Step int // from 1
	Do   string
	Text string // what differs, line by line: "-" the first side, "+" the second
}

func (d Difference) String() string {
	return fmt.Sprintf("step %d: %s\n%s", d.Step, d.Do, d.Text)
}

// chances is how often kube-apiserver is asked again where the answers differ. Parts of its answers depend on the order of a Go
// map: with two orders, one of them does not come up in one of 256 scenarios that differ.
const chances = 8

// Run carries out a scenario on both sides, step by step, and returns where they differ. An error is a fault of the scenario
// or of the machine: a word that is not known, a server that does not answer.
//
// Where they differ, the first side is asked again, in a place of its own. A step counts as equal if the first side then gives
// just the answer that the second gave: what it says there is chance. Those steps are returned as chance.
//
// kept are the words that the file's Prepare kept.
func Run(ctx context.Context, sides [2]*Side, file File, scenario Scenario, kept [2]map[string]string) (differences, chance []Difference, err error) {
	texts, err := attempt(ctx, sides[:], file, scenario, kept[:], 0)
	for i, answers := range texts {
		if step := scenario.Steps[i]; step.Uncompared == "" && answers[0] != answers[1] {
			differences = append(differences, Difference{i + 1, step.Do, lineDifference(answers[0], answers[1])})
		}
	}
	for n := 1; n <= chances && err == nil && len(differences) > 0; n++ {
		var again [][]string
		if again, err = attempt(ctx, sides[:1], file, scenario, kept[:1], n); err != nil {
			break
		}
		var left []Difference
		for _, d := range differences {
			if again[d.Step-1][0] == texts[d.Step-1][1] {
				chance = append(chance, d)
			} else {
				left = append(left, d)
			}
		}
		differences = left
	}
	return differences, chance, err
}

// attempt carries out a scenario once on some sides, and returns each step's answers. Each attempt of a scenario has an API group
// and a namespace of its own, which the answers do not show.
func attempt(ctx context.Context, sides []*Side, file File, scenario Scenario, kept []map[string]string, number int) ([][]string, error) {
	runs := make([]*sideRun, len(sides))
	for i, side := range sides {
		runs[i] = &sideRun{side: side, words: newWords(file, scenario, number), watches: map[string]*watch{}}
		maps.Copy(runs[i].words, kept[i])
		runs[i].normalizer.keepManagers = file.Managers
		defer runs[i].stop()
		if err := runs[i].makeNamespace(ctx, "ns", scenario.Steps); err != nil {
			return nil, fmt.Errorf("%s: %w", side.Name, err)
		}
	}
	var answers [][]string
	for i, step := range scenario.Steps {
		texts, err := runStep(ctx, runs, step)
		if err != nil {
			return answers, fmt.Errorf("step %d (%s): %w", i+1, step.Do, err)
		}
		for j, run := range runs {
			texts[j] = strings.ReplaceAll(texts[j], run.words["ns"], "<scenario>")
		}
		answers = append(answers, texts)
	}
	return answers, nil
}

// Prepare carries out the steps before a file's scenarios, and returns what they kept on each side.
func Prepare(ctx context.Context, sides [2]*Side, file File) ([2]map[string]string, error) {
	var kept [2]map[string]string
	var runs [2]*sideRun
	for i, side := range sides {
		runs[i] = &sideRun{side: side, words: file.sharedWords(), watches: map[string]*watch{}}
		defer runs[i].stop()
		if err := runs[i].makeNamespace(ctx, "shared", file.Before); err != nil {
			return kept, fmt.Errorf("%s: %w", side.Name, err)
		}
		kept[i] = runs[i].words
	}
	for i, step := range file.Before {
		texts, err := runStep(ctx, runs[:], step)
		if err != nil {
			return kept, fmt.Errorf("before, step %d (%s): %w", i+1, step.Do, err)
		}
		if step.Uncompared == "" && texts[0] != texts[1] {
			return kept, fmt.Errorf("before, step %d (%s): answered differently:\n%s\n%s", i+1, step.Do, texts[0], texts[1])
		}
	}
	return kept, nil
}

// runStep carries out a step on all sides at once, so that what depends on time stays together.
func runStep(ctx context.Context, runs []*sideRun, step Step) ([]string, error) {
	texts := make([]string, len(runs))
	errs := make([]error, len(runs))
	var group sync.WaitGroup
	for i, run := range runs {
		group.Add(1)
		go func() {
			defer group.Done()
			texts[i], errs[i] = run.step(ctx, step)
		}()
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return texts, fmt.Errorf("%s: %w", runs[i].side.Name, err)
		}
	}
	return texts, nil
}

// sideRun is one scenario on one side.
type sideRun struct {
	side       *Side
	words      words
	normalizer Normalizer
	watches    map[string]*watch
}

// watch is one that is read while the scenario goes on.
type watch struct {
	step   Step
	cancel context.CancelFunc
	done   chan struct{}
	answer *Answer
	err    error
}

func (r *sideRun) step(ctx context.Context, step Step) (string, error) {
	if step.Finish != "" {
		return r.finish(step)
	}
	if step.Start != "" {
		r.start(ctx, step)
		return "", nil
	}
	answer, err := r.side.Ask(ctx, step, r.words)
	if err != nil {
		return "", err
	}
	if err := r.keep(step, answer); err != nil {
		return "", err
	}
	return r.normalizer.render(step, answer), nil
}

func (r *sideRun) keep(step Step, answer *Answer) error {
	for word, path := range step.Keep {
		if name, isHeader := strings.CutPrefix(path, "header."); isHeader {
			r.words[word] = answer.Header.Get(name)
			continue
		}
		content, err := tree.Parse(answer.Body)
		if err != nil {
			return fmt.Errorf("keep %s: the answer (%d) is no JSON: %s", word, answer.Code, answer.Body)
		}
		value, found := tree.At(content, path)
		if !found {
			return fmt.Errorf("keep %s: nothing at %s of the answer (%d): %s", word, path, answer.Code, answer.Body)
		}
		r.words[word] = fmt.Sprint(value)
	}
	return nil
}

// start begins a watch. It has begun on the server when the answer's head is there, which Ask hides; scenarios that depend on it
// watch from a resourceVersion.
func (r *sideRun) start(ctx context.Context, step Step) {
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{step: step, cancel: cancel, done: make(chan struct{})}
	r.watches[step.Start] = w
	words := words{}
	for word, value := range r.words {
		words[word] = value
	}
	go func() {
		defer close(w.done)
		w.answer, w.err = r.side.Ask(ctx, step, words)
	}()
}

func (r *sideRun) finish(step Step) (string, error) {
	w, known := r.watches[step.Finish]
	if !known {
		return "", fmt.Errorf("no watch %q was started", step.Finish)
	}
	<-w.done
	if w.err != nil {
		return "", w.err
	}
	return r.normalizer.render(w.step, w.answer), nil
}

func (r *sideRun) stop() {
	for _, w := range r.watches {
		w.cancel()
		<-w.done
	}
}

// makeNamespace makes the namespace that a word stands for, if any of the steps names it.
func (r *sideRun) makeNamespace(ctx context.Context, word string, steps []Step) error {
	if !r.words.mentioned(word, fmt.Sprintf("%+v", steps)) {
		return nil
	}
	body := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "${" + word + "}"}}
	answer, err := r.side.Ask(ctx, Step{Do: "POST /api/v1/namespaces", Body: body}, r.words)
	if err != nil {
		return err
	}
	if answer.Code != http.StatusCreated {
		return fmt.Errorf("making the namespace %s: %d %s", r.words[word], answer.Code, answer.Body)
	}
	return nil
}
