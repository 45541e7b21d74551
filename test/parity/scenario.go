package parity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// File is a file of scenarios.
type File struct {
	Definitions []any             `json:"definitions"`
	Words       map[string]string `json:"words"`
	Before      []Step            `json:"before"`
	Scenarios   []Scenario        `json:"scenarios"`
	Tables      []Table           `json:"tables"`
	// Managers makes metadata.managedFields part of what is compared.
	Managers bool `json:"managers"`

	// Folder and Name say where it lies: scenarios/FOLDER/NAME.yaml.
	Folder string `json:"-"`
	Name   string `json:"-"`
}

// Scenario is a sequence of requests.
type Scenario struct {
	Name  string `json:"name"`
	Steps []Step `json:"steps"`
}

// Step is a request, or the end of a watch that an earlier one began. The package's comment explains the fields.
type Step struct {
	Do         string            `json:"do"`
	Body       any               `json:"body"`
	With       map[string]any    `json:"with"`
	Text       *string           `json:"text"`
	Bytes      []byte            `json:"bytes"`
	Type       string            `json:"type"`
	Accept     string            `json:"accept"`
	Headers    map[string]string `json:"headers"`
	Anonymous  bool              `json:"anonymous"`
	HTTP1      bool              `json:"http1"`
	Keep       map[string]string `json:"keep"`
	Until      *Until            `json:"until"`
	Events     int               `json:"events"`
	Within     string            `json:"within"`
	Start      string            `json:"start"`
	Finish     string            `json:"finish"`
	Only       []string          `json:"only"`
	Except     map[string]string `json:"except"`
	Unordered  string            `json:"unordered"`
	Uncompared string            `json:"uncompared"`
}

// Until says when a repeated request is answered as it should be.
type Until struct {
	Code int    `json:"code"`
	Path string `json:"path"`
	Is   string `json:"is"`
}

// LoadFiles reads all scenarios below dir, in the order of their names.
func LoadFiles(dir string) ([]File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var files []File
	for _, path := range paths {
		file, err := loadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no scenarios in %s", dir)
	}
	return files, nil
}

func loadFile(path string) (File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return File{}, err
	}
	file := File{Folder: filepath.Base(filepath.Dir(path)), Name: strings.TrimSuffix(filepath.Base(path), ".yaml")}
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		return File{}, err
	}
	for _, table := range file.Tables {
		scenarios, err := table.scenarios()
		if err != nil {
			return File{}, err
		}
		file.Scenarios = append(file.Scenarios, scenarios...)
	}
	for i, step := range file.Before {
		if err := step.check(); err != nil {
			return File{}, fmt.Errorf("before, step %d: %w", i+1, err)
		}
	}
	names := map[string]bool{}
	for _, scenario := range file.Scenarios {
		if names[scenario.Name] {
			return File{}, fmt.Errorf("two scenarios are named %q", scenario.Name)
		}
		names[scenario.Name] = true
		if err := scenario.check(); err != nil {
			return File{}, fmt.Errorf("%q: %w", scenario.Name, err)
		}
	}
	return file, nil
}

func (s Scenario) check() error {
	if s.Name == "" || len(s.Steps) == 0 {
		return errors.New("a scenario needs a name and steps")
	}
	for i, step := range s.Steps {
		if err := step.check(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// linePattern is what a step asks: a target begins with a slash, or with a word that does.
var linePattern = regexp.MustCompile(`^[^ ]+ (/|\$\{)`)

func (s Step) check() error {
	if (s.Do == "") == (s.Finish == "") {
		return errors.New("a step has either do or finish")
	}
	if s.Do != "" && !linePattern.MatchString(s.Do) {
		return fmt.Errorf("do: %q is not METHOD /TARGET", s.Do)
	}
	if (s.Body != nil && s.Text != nil) || (s.Bytes != nil && (s.Body != nil || s.Text != nil)) {
		return errors.New("body, text and bytes exclude each other")
	}
	if s.Within != "" {
		if _, err := time.ParseDuration(s.Within); err != nil {
			return fmt.Errorf("within: %w", err)
		}
	}
	return nil
}

// Key names a scenario in declared.yaml and open.yaml.
func (f File) Key(s Scenario) string { return f.Folder + "/" + f.Name + ": " + s.Name }

// Group is the API group of the file's definitions.
func (f File) Group() string { return f.Name + "." + f.Folder + ".parity.example.dev" }

// words are the values of ${word} on one side.
type words map[string]string

// newWords returns those that an attempt of a scenario begins with; they are the same on both sides.
func newWords(f File, s Scenario, attempt int) words {
	w := f.sharedWords()
	id := shortName(fmt.Sprint(f.Key(s), attempt))
	w["own"], w["ns"] = id+".parity.example.dev", id
	return w
}

// Offer gives the file's scenarios more words. Their own ones come first.
func (f *File) Offer(more map[string]string) {
	offered := maps.Clone(more)
	maps.Copy(offered, f.Words)
	f.Words = offered
}

// sharedWords are those of all scenarios of a file.
func (f File) sharedWords() words {
	w := words{"group": f.Group(), "shared": shortName(f.Folder + "/" + f.Name)}
	maps.Copy(w, f.Words)
	return w
}

// shortName is a name for a namespace or a part of a domain.
func shortName(text string) string {
	digest := sha256.Sum256([]byte(text))
	return "s" + hex.EncodeToString(digest[:5])
}

// wordPattern matches ${word}; in a text to be repeated there may be braces: ${{"op":"test"},*3}, ${{"not":*9}.
var wordPattern = regexp.MustCompile(`\$\{((?:[^{}]|\{[^{}]*\})+|[^$]+?\*[0-9]+)\}`)
var repeatPattern = regexp.MustCompile(`^((?s:.+))\*([0-9]+)$`)

// mentioned tells whether a text names a word, be it through another one.
func (w words) mentioned(word, text string) bool {
	if strings.Contains(text, "${"+word+"}") {
		return true
	}
	for other, value := range w {
		if strings.Contains(value, "${"+word+"}") && strings.Contains(text, "${"+other+"}") {
			return true
		}
	}
	return false
}

// Fill replaces each ${word} in a text. An unknown word is an error.
func (w words) Fill(text string) (string, error) {
	var problem error
	filled := wordPattern.ReplaceAllStringFunc(text, func(match string) string {
		word := match[2 : len(match)-1]
		if value, known := w[word]; known {
			filled, err := w.Fill(value)
			problem = errors.Join(problem, err)
			return filled
		}
		if parts := repeatPattern.FindStringSubmatch(word); parts != nil {
			if count, err := strconv.Atoi(parts[2]); err == nil {
				return strings.Repeat(parts[1], count)
			}
		}
		problem = fmt.Errorf("nothing is known as ${%s}", word)
		return match
	})
	return filled, problem
}
