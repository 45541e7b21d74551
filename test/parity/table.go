package parity

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"annex.dev/annex/test/parity/tree"
)

// Table stands for many scenarios that differ in one body: each row is a scenario of all steps, in the last of which the body
// is changed as the row says.
type Table struct {
	Steps []Step `json:"steps"`
	// At is put before the paths of all rows.
	At string `json:"at"`
	// Rows holds changes by the scenario's name.
	Rows map[string]map[string]any `json:"rows"`
}

// scenarios returns one scenario for each row, in the order of their names.
func (t Table) scenarios() ([]Scenario, error) {
	if len(t.Steps) == 0 || len(t.Rows) == 0 {
		return nil, errors.New("a table needs steps and rows")
	}
	var scenarios []Scenario
	for _, name := range slices.Sorted(maps.Keys(t.Rows)) {
		steps := slices.Clone(t.Steps)
		last := &steps[len(steps)-1]
		last.With = maps.Clone(last.With)
		if last.With == nil {
			last.With = map[string]any{}
		}
		for path, value := range t.Rows[name] {
			last.With[below(t.At, path)] = value
		}
		scenarios = append(scenarios, Scenario{Name: name, Steps: steps})
	}
	return scenarios, nil
}

// below puts a path under another; the mark of a removal stays in front.
func below(at, path string) string {
	if at == "" {
		return path
	}
	if name, removal := strings.CutPrefix(path, "-"); removal {
		return "-" + at + "." + name
	}
	return strings.TrimSuffix(at+"."+path, ".")
}

// changed returns a copy of a body with values put at paths, or taken away where a path begins with "-".
func changed(body any, with map[string]any) (any, error) {
	if len(with) == 0 {
		return body, nil
	}
	copied, err := copyOf(body)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.SortedFunc(maps.Keys(with), additionsFirst) {
		name, removal := strings.CutPrefix(path, "-")
		value, err := copyOf(with[path])
		if err != nil {
			return nil, err
		}
		if copied, err = put(copied, tree.SplitPath(name), value, removal); err != nil {
			return nil, fmt.Errorf("with %s: %w", path, err)
		}
	}
	return copied, nil
}

// additionsFirst orders paths of changes: what is taken away may be part of what is put in.
func additionsFirst(a, b string) int {
	switch removesA, removesB := strings.HasPrefix(a, "-"), strings.HasPrefix(b, "-"); {
	case removesA && !removesB:
		return 1
	case removesB && !removesA:
		return -1
	}
	return strings.Compare(a, b)
}

func copyOf(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var copied any
	err = json.Unmarshal(data, &copied)
	return copied, err
}

// put changes what is at a path. Objects on the way are made; the item after the last one of a list is added.
func put(node any, path []string, value any, removal bool) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	if list, ok := node.([]any); ok {
		index, err := strconv.Atoi(path[0])
		switch {
		case err != nil || index < 0 || index > len(list):
			return nil, fmt.Errorf("there is no item %s", path[0])
		case removal && len(path) == 1 && index < len(list):
			return slices.Delete(list, index, index+1), nil
		case index == len(list):
			list = append(list, nil)
		}
		list[index], err = put(list[index], path[1:], value, removal)
		return list, err
	}
	fields, ok := node.(map[string]any)
	if !ok {
		if removal || node != nil {
			return nil, fmt.Errorf("there is no %s", path[0])
		}
		fields = map[string]any{}
	}
	if removal && len(path) == 1 {
		delete(fields, path[0])
		return fields, nil
	}
	var err error
	fields[path[0]], err = put(fields[path[0]], path[1:], value, removal)
	return fields, err
}
