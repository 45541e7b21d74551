package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// Module is an entry of modules.yaml: definitions that a Go module carries in its files.
type Module struct {
	// Project is what the definitions are reported under. Modules of one project are served together, so a definition's name
	// may be there once in a project.
	Project string `json:"project"`
	Module  string `json:"module"`
	Version string `json:"version"`
	// Sum is the module's checksum as go.sum has it.
	Sum string `json:"sum"`
	// Files are patterns of paths within the module.
	Files []string `json:"files"`
}

// LoadModules reads modules.yaml.
func LoadModules(path string) ([]Module, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var modules []Module
	return modules, yaml.UnmarshalStrict(data, &modules)
}

// ErrUnavailable says that a module cannot be had on this machine: there is no network, or its Go is too old for the module.
var ErrUnavailable = errors.New("not available")

// Paths returns the module's files that match the patterns, sorted, downloading the module if it is not there yet.
func (m Module) Paths() ([]string, error) {
	folder, err := m.download()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, pattern := range m.Files {
		found, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s@%s has no files %s", m.Module, m.Version, pattern)
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	return paths, nil
}

// download returns the folder of the module in Go's cache of modules.
func (m Module) download() (string, error) {
	command := exec.Command("go", "mod", "download", "-json", m.Module+"@"+m.Version)
	command.Dir = os.TempDir() // in a module's folder that module's requirements would have a say
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local")
	output, failure := command.Output()
	var answer struct{ Dir, Sum, Error string }
	if err := json.Unmarshal(output, &answer); err != nil {
		return "", fmt.Errorf("%w: go mod download: %w", ErrUnavailable, errors.Join(failure, err))
	}
	if answer.Error != "" {
		return "", fmt.Errorf("%w: %s", ErrUnavailable, answer.Error)
	}
	if answer.Sum != m.Sum {
		return "", fmt.Errorf("%s@%s has the checksum %s, expected %s", m.Module, m.Version, answer.Sum, m.Sum)
	}
	return answer.Dir, nil
}
