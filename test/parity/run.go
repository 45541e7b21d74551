package parity

import (
	"context"
	"fmt"
	"maps"
	"net/http"
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

// Run carries out a scenario on both sides, step by step, and returns where they differ. An error is a fault of the scenario
// or of the machine: a word that is not known, a server that does not answer.
//
// kept are the words that the file's Prepare kept.
func Run(ctx context.Context, sides [2]*Side, file File, scenario Scenario, kept [2]map[string]string) ([]Difference, error) {
	var runs [2]*sideRun
	for i, side := range sides {
		runs[i] = &sideRun{side: side, words: newWords(file, scenario), watches: map[string]*watch{}}
		maps.Copy(runs[i].words, kept[i])
		runs[i].normalizer.keepManagers = file.Managers
		defer runs[i].stop()
		if err := runs[i].makeNamespace(ctx, "ns", scenario.Steps); err != nil {
			return nil, fmt.Errorf("%s: %w", side.Name, err)
		}
	}
	var differences []Difference
	for i, step := range scenario.Steps {
		texts, err := runStep(ctx, runs, step)
		if err != nil {
			return differences, fmt.Errorf("step %d (%s): %w", i+1, step.Do, err)
		}
		if step.Uncompared == "" && texts[0] != texts[1] {
			differences = append(differences, Difference{i + 1, step.Do, lineDifference(texts[0], texts[1])})
		}
	}
	return differences, nil
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
		texts, err := runStep(ctx, runs, step)
		if err != nil {
			return kept, fmt.Errorf("before, step %d (%s): %w", i+1, step.Do, err)
		}
		if step.Uncompared == "" && texts[0] != texts[1] {
			return kept, fmt.Errorf("before, step %d (%s): answered differently:\n%s\n%s", i+1, step.Do, texts[0], texts[1])
		}
	}
	return kept, nil
}

// runStep carries out a step on both sides at once, so that what depends on time stays together.
func runStep(ctx context.Context, runs [2]*sideRun, step Step) ([2]string, error) {
	var texts [2]string
	var errs [2]error
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
