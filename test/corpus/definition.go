package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Definition is a CustomResourceDefinition of a project.
type Definition struct {
	Name     string
	Group    string
	Plural   string
	Kind     string
	Scoped   bool // namespaced
	Versions []Version

	// Body is what is sent.
	Body []byte
	// WithoutRules says that Body lacks the definition's x-kubernetes-validations.
	WithoutRules bool
	// Webhook says that a webhook converts objects between versions; nobody answers it here.
	Webhook bool
}

// Version is a version of a definition.
type Version struct {
	Name   string
	Served bool
	Stored bool
	Schema map[string]any
	Status bool
	Scale  map[string]any // the stanza of the subresource; nil: none
}

// definitionTexts returns the definitions in a YAML file. Other objects in it are left out.
func definitionTexts(path string) ([]json.RawMessage, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := utilyaml.NewYAMLReader(bufio.NewReader(file))
	var texts []json.RawMessage
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, err
		}
		content, err := decode(text)
		if err != nil || content["kind"] != "CustomResourceDefinition" {
			continue
		}
		if removeTemplates(content) {
			if text, err = encode(content); err != nil {
				return nil, err
			}
		}
		texts = append(texts, text)
	}
}

// removeTemplates takes labels and annotations away that a tool for packages is to fill in, and tells whether there were any.
func removeTemplates(content map[string]any) bool {
	removed := false
	for _, key := range []string{"labels", "annotations"} {
		value, _, _ := unstructured.NestedFieldNoCopy(content, "metadata", key)
		fields, _ := value.(map[string]any)
		for name, text := range fields {
			if strings.Contains(fmt.Sprint(text), "{{") {
				delete(fields, name)
				removed = true
			}
		}
	}
	return removed
}

func newDefinitions(texts []json.RawMessage) ([]*Definition, error) {
	known := map[string]bool{}
	var definitions []*Definition
	for _, text := range texts {
		definition, err := newDefinition(text)
		if err != nil {
			return nil, err
		}
		if known[definition.Name] {
			return nil, fmt.Errorf("there are two definitions %s", definition.Name)
		}
		known[definition.Name] = true
		definitions = append(definitions, definition)
	}
	return definitions, nil
}

func newDefinition(text []byte) (*Definition, error) {
	content, err := decode(text)
	if err != nil {
		return nil, err
	}
	d := &Definition{Body: text}
	d.Name, _, _ = unstructured.NestedString(content, "metadata", "name")
	d.Group, _, _ = unstructured.NestedString(content, "spec", "group")
	d.Plural, _, _ = unstructured.NestedString(content, "spec", "names", "plural")
	d.Kind, _, _ = unstructured.NestedString(content, "spec", "names", "kind")
	scope, _, _ := unstructured.NestedString(content, "spec", "scope")
	d.Scoped = scope == "Namespaced"
	versions, _, _ := unstructured.NestedFieldNoCopy(content, "spec", "versions")
	list, _ := versions.([]any)
	for _, item := range list {
		if fields, ok := item.(map[string]any); ok {
			d.Versions = append(d.Versions, newVersion(fields))
		}
	}
	d.WithoutRules = removeRules(content["spec"])
	strategy, _, _ := unstructured.NestedString(content, "spec", "conversion", "strategy")
	d.Webhook = strategy == "Webhook"
	if d.WithoutRules {
		d.Body, err = encode(content)
	}
	return d, err
}

func newVersion(fields map[string]any) Version {
	var v Version
	v.Name, _, _ = unstructured.NestedString(fields, "name")
	v.Served, _, _ = unstructured.NestedBool(fields, "served")
	v.Stored, _, _ = unstructured.NestedBool(fields, "storage")
	schema, _, _ := unstructured.NestedFieldNoCopy(fields, "schema", "openAPIV3Schema")
	v.Schema, _ = schema.(map[string]any)
	_, v.Status, _ = unstructured.NestedFieldNoCopy(fields, "subresources", "status")
	scale, _, _ := unstructured.NestedFieldNoCopy(fields, "subresources", "scale")
	v.Scale, _ = scale.(map[string]any)
	return v
}

// removeRules takes all x-kubernetes-validations away and tells whether there were any. A property of that name is an object,
// a list of rules is not.
func removeRules(value any) bool {
	removed := false
	switch value := value.(type) {
	case map[string]any:
		if _, rules := value["x-kubernetes-validations"].([]any); rules {
			delete(value, "x-kubernetes-validations")
			removed = true
		}
		for _, item := range value {
			removed = removeRules(item) || removed
		}
	case []any:
		for _, item := range value {
			removed = removeRules(item) || removed
		}
	}
	return removed
}

// usable returns the versions that objects can be made in: those that are served, and with a webhook only the one in which
// objects are stored.
func (d *Definition) usable() []Version {
	var versions []Version
	for _, v := range d.Versions {
		if v.Served && (v.Stored || !d.Webhook) {
			versions = append(versions, v)
		}
	}
	return versions
}

// decode reads a JSON object and keeps the digits of its numbers.
func decode(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var content map[string]any
	return content, decoder.Decode(&content)
}

// encode writes JSON as a client would: nothing escaped that need not be.
func encode(content any) ([]byte, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(content)
	return data.Bytes(), err
}
