// Package tree holds JSON values as they are written: objects keep the order of their keys, numbers their digits.
package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Object is a JSON object that keeps the order of its keys.
type Object []Member

// Member is a key of an object, with its value.
type Member struct {
	Key   string
	Value any // Object, []any, string, json.Number, bool or nil
}

// Find returns the value of a key.
func (o Object) Find(key string) (any, bool) {
	for _, m := range o {
		if m.Key == key {
			return m.Value, true
		}
	}
	return nil, false
}

// Parse reads exactly one JSON value.
func Parse(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	value, err := readValue(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the value")
	}
	return value, nil
}

func readValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return readObject(decoder)
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			item, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := decoder.Token()
		return items, err
	}
	return token, nil
}

func readObject(decoder *json.Decoder) (any, error) {
	members := Object{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := readValue(decoder)
		if err != nil {
			return nil, err
		}
		members = append(members, Member{key.(string), value})
	}
	_, err := decoder.Token()
	return members, err
}

// Write adds a value to lines, in indented form, one line for each scalar.
func Write(lines []string, indent, prefix string, value any) []string {
	switch value := value.(type) {
	case Object:
		if len(value) == 0 {
			return append(lines, indent+prefix+"{}")
		}
		lines = append(lines, indent+prefix+"{")
		for _, m := range value {
			lines = Write(lines, indent+"  ", strconv.Quote(m.Key)+": ", m.Value)
		}
		return append(lines, indent+"}")
	case []any:
		if len(value) == 0 {
			return append(lines, indent+prefix+"[]")
		}
		lines = append(lines, indent+prefix+"[")
		for _, item := range value {
			lines = Write(lines, indent+"  ", "", item)
		}
		return append(lines, indent+"]")
	case string:
		return append(lines, indent+prefix+strconv.Quote(value))
	case nil:
		return append(lines, indent+prefix+"null")
	default:
		return append(lines, indent+prefix+fmt.Sprint(value))
	}
}

// At returns the value at a path like "items.0.metadata.name". A key with dots is written in brackets: "paths.[apis/a.b/v1].x".
// An item of a list is also found by what it holds: "items.[metadata.name=a.b].kind".
func At(value any, path string) (any, bool) {
	for _, key := range SplitPath(path) {
		switch node := value.(type) {
		case Object:
			found := false
			if value, found = node.Find(key); !found {
				return nil, false
			}
		case []any:
			index := indexOf(node, key)
			if index < 0 || index >= len(node) {
				return nil, false
			}
			value = node[index]
		default:
			return nil, false
		}
	}
	return value, true
}

// indexOf returns which item of a list a key of a path means; -1 if none.
func indexOf(items []any, key string) int {
	path, text, holds := strings.Cut(key, "=")
	if !holds {
		index, err := strconv.Atoi(key)
		if err != nil {
			return -1
		}
		return index
	}
	return slices.IndexFunc(items, func(item any) bool {
		value, found := At(item, path)
		return found && value == text
	})
}

// Without returns the value with what is at a path taken away; "*" stands for all items of a list.
func Without(value any, path []string) any {
	if len(path) == 0 {
		return value
	}
	switch node := value.(type) {
	case Object:
		kept := Object{}
		for _, m := range node {
			if m.Key == path[0] {
				if len(path) == 1 {
					continue
				}
				m.Value = Without(m.Value, path[1:])
			}
			kept = append(kept, m)
		}
		return kept
	case []any:
		items := make([]any, len(node))
		for i, item := range node {
			items[i] = item
			if path[0] == "*" || path[0] == strconv.Itoa(i) {
				items[i] = Without(item, path[1:])
			}
		}
		return items
	}
	return value
}

// SplitPath returns the keys of a path, as At takes it.
func SplitPath(path string) []string {
	var keys []string
	for path != "" {
		var key string
		if strings.HasPrefix(path, "[") {
			if inside, rest, closed := strings.Cut(path[1:], "]"); closed {
				keys, path = append(keys, inside), strings.TrimPrefix(rest, ".")
				continue
			}
		}
		key, path, _ = strings.Cut(path, ".")
		keys = append(keys, key)
	}
	return keys
}

// Sorted returns the value with the keys of all objects in their order.
func Sorted(value any) any {
	switch node := value.(type) {
	case Object:
		sorted := slices.Clone(node)
		slices.SortStableFunc(sorted, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
		for i := range sorted {
			sorted[i].Value = Sorted(sorted[i].Value)
		}
		return sorted
	case []any:
		items := make([]any, len(node))
		for i, item := range node {
			items[i] = Sorted(item)
		}
		return items
	}
	return value
}
