package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// record is all that was measured, row by row: what the report is made from. It is a file, so that a run which measures a few
// rows, or Annex only, can be shown with what other runs measured; every figure has its date.
type record struct {
	Machine  machine              `json:"machine"`
	Command  string               `json:"command"`
	Repeated map[int]sides        `json:"repeated"`
	Single   map[string]sidesOnce `json:"single"`
	Growth   *growth              `json:"growth,omitempty"`
	Grown    time.Time            `json:"grown"`
	Sizes    map[sideName]int     `json:"objectBytes"`
}

type machine struct {
	Processors int               `json:"processors"`
	MemoryGiB  float64           `json:"memoryGiB"`
	Model      string            `json:"model"`
	Kernel     string            `json:"kernel"`
	Load       float64           `json:"load"` // the load average before the run
	Versions   map[string]string `json:"versions"`
}

type dated[T any] struct {
	At    time.Time `json:"at"`
	Value T         `json:"value"`
}

type (
	sides     map[sideName]dated[figures]
	sidesOnce map[sideName]dated[float64]
)

func newRecord() *record {
	return &record{Repeated: map[int]sides{}, Single: map[string]sidesOnce{}, Sizes: map[sideName]int{}}
}

func readRecord(path string) (*record, error) {
	r := newRecord()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(data, r)
}

func (r *record) write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func (r *record) addRepeated(number int, measured map[sideName]figures, at time.Time) {
	if r.Repeated[number] == nil {
		r.Repeated[number] = sides{}
	}
	for name, value := range measured {
		r.Repeated[number][name] = dated[figures]{At: at, Value: value}
	}
}

func (r *record) addSingle(row string, name sideName, value float64, at time.Time) {
	if r.Single[row] == nil {
		r.Single[row] = sidesOnce{}
	}
	r.Single[row][name] = dated[float64]{At: at, Value: value}
}

// merge takes over what another record holds: all of it, or the figures of one side only.
func (r *record) merge(other *record, only ...sideName) {
	wanted := func(name sideName) bool { return len(only) == 0 || slices.Contains(only, name) }
	for number, row := range other.Repeated {
		for name, value := range row {
			if wanted(name) {
				r.addRepeated(number, map[sideName]figures{name: value.Value}, value.At)
			}
		}
	}
	for row, values := range other.Single {
		for name, value := range values {
			if wanted(name) {
				r.addSingle(row, name, value.Value, value.At)
			}
		}
	}
	for name, size := range other.Sizes {
		if wanted(name) {
			r.Sizes[name] = size
		}
	}
	if len(only) > 0 {
		return
	}
	r.Machine, r.Command = other.Machine, other.Command
	if other.Growth != nil {
		r.Growth, r.Grown = other.Growth, other.Grown
	}
}
