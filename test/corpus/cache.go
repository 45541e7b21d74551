package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"annex.dev/annex/test/cluster/harness"
)

// LoadProject returns the definitions of a project's modules. They are kept in the cache, so that a second run needs neither a
// network nor Go's cache of modules. The error wraps ErrUnavailable if they cannot be had.
func LoadProject(modules []Module) ([]*Definition, error) {
	cache, err := cachePath(modules)
	if err != nil {
		return nil, err
	}
	texts, err := readTexts(cache)
	if errors.Is(err, fs.ErrNotExist) {
		if texts, err = extract(modules); err != nil {
			return nil, err
		}
		err = writeTexts(cache, texts)
	}
	if err != nil {
		return nil, err
	}
	return newDefinitions(texts)
}

// cachePath names a file after the modules and the patterns, so that a changed entry is extracted anew.
func cachePath(modules []Module) (string, error) {
	root, err := harness.CacheDir()
	if err != nil {
		return "", err
	}
	key, err := json.Marshal(modules)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(key)
	return filepath.Join(root, "corpus", modules[0].Project+"-"+hex.EncodeToString(digest[:6])+".json"), nil
}

func readTexts(path string) ([]json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var texts []json.RawMessage
	return texts, json.Unmarshal(data, &texts)
}

func writeTexts(path string, texts []json.RawMessage) error {
	data, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return harness.WriteFileAtomically(path, data)
}

// extract reads the definitions out of the modules' files, as JSON.
func extract(modules []Module) ([]json.RawMessage, error) {
	var texts []json.RawMessage
	for _, module := range modules {
		paths, err := module.Paths()
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			found, err := definitionTexts(path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			texts = append(texts, found...)
		}
	}
	return texts, nil
}
