package parity

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

// Known is an entry of declared.yaml or open.yaml: scenarios whose answers differ.
type Known struct {
	// Row is the first cell of a row of docs/compatibility.md, in declared.yaml.
	Row string `json:"row"`
	// Why says what is to be mended, in open.yaml.
	Why       string   `json:"why"`
	Scenarios []string `json:"scenarios"`
}

// LoadKnown reads such a file and returns what it says of each scenario. exists tells whether there is a scenario of a name.
func LoadKnown(path string, exists func(string) bool) (map[string]Known, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var entries []Known
	if err := yaml.UnmarshalStrict(data, &entries); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	known := map[string]Known{}
	for _, entry := range entries {
		for _, key := range entry.Scenarios {
			if !exists(key) {
				return nil, fmt.Errorf("%s: there is no scenario %q", path, key)
			}
			known[key] = entry
		}
	}
	return known, nil
}

// CheckRows reports entries whose row is not in the text of docs/compatibility.md.
func CheckRows(known map[string]Known, compatibility string) error {
	for key, entry := range known {
		if entry.Row == "" || !strings.Contains(compatibility, "\n| "+entry.Row+" |") {
			return fmt.Errorf("%s: docs/compatibility.md has no row that begins with %q", key, entry.Row)
		}
	}
	return nil
}
