package tree

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Diff returns where two values differ, a line for each place: "PATH: FIRST | SECOND", with long values cut. The
// order of keys does not count.
func Diff(first, second any) []string { return diff(nil, "", first, second) }

func diff(lines []string, path string, first, second any) []string {
	switch a := first.(type) {
	case Object:
		if b, ok := second.(Object); ok {
			return diffObjects(lines, path, a, b)
		}
	case []any:
		if b, ok := second.([]any); ok {
			return diffLists(lines, path, a, b)
		}
	default:
		if isScalar(second) && first == second {
			return lines
		}
	}
	return append(lines, fmt.Sprintf("%s: %s | %s", path, brief(first), brief(second)))
}

func diffObjects(lines []string, path string, a, b Object) []string {
	for _, m := range a {
		value, found := b.Find(m.Key)
		if !found {
			lines = append(lines, fmt.Sprintf("%s: %s | not there", join(path, m.Key), brief(m.Value)))
			continue
		}
		lines = diff(lines, join(path, m.Key), m.Value, value)
	}
	for _, m := range b {
		if _, found := a.Find(m.Key); !found {
			lines = append(lines, fmt.Sprintf("%s: not there | %s", join(path, m.Key), brief(m.Value)))
		}
	}
	return lines
}

func diffLists(lines []string, path string, a, b []any) []string {
	if len(a) != len(b) {
		return append(lines, fmt.Sprintf("%s: %d items %s | %d items %s", path, len(a), brief(a), len(b), brief(b)))
	}
	for i := range a {
		lines = diff(lines, join(path, fmt.Sprint(i)), a[i], b[i])
	}
	return lines
}

func isScalar(value any) bool {
	switch value.(type) {
	case Object, []any:
		return false
	}
	return true
}

func join(path, key string) string {
	if strings.Contains(key, ".") {
		key = "[" + key + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// briefLength is how much of a value a line shows.
const briefLength = 200

func brief(value any) string {
	text := fmt.Sprint(plain(value))
	if data, err := json.Marshal(plain(value)); err == nil {
		text = string(data)
	}
	if len(text) > briefLength {
		text = text[:briefLength] + "..."
	}
	return text
}

// plain returns a value in which objects are maps.
func plain(value any) any {
	switch value := value.(type) {
	case Object:
		fields := map[string]any{}
		for _, m := range value {
			fields[m.Key] = plain(m.Value)
		}
		return fields
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = plain(item)
		}
		return items
	}
	return value
}
