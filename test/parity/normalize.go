package parity

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"annex.dev/annex/test/parity/tree"
)

var (
	uidPattern     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	agePattern     = regexp.MustCompile(`^([0-9]+[smhdy]){1,2}$`)
	hashPattern    = regexp.MustCompile(`\b[0-9A-F]{64,128}\b`)
	currentPattern = regexp.MustCompile(`(?i)(too large resource version: [0-9]+, current: |too old resource version: [0-9]+ \()[0-9]+`)
	versionPattern = regexp.MustCompile(`(?i)(resource_?version[\\"]*:? ?[\\"]*|resourceversion in (?:the precondition|record) \()([0-9]+)`)
	timePattern    = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z`)
)

// recent is how far back a time may lie that was made during a run.
const recent = time.Hour

// Normalizer replaces what must differ between two servers. One belongs to one side of one scenario: the same value gets
// the same name in all of its answers.
type Normalizer struct {
	uids      names
	versions  names
	generated names
	// keepManagers keeps metadata.managedFields.
	keepManagers bool
}

// names gives values names in the order in which they appear.
type names struct {
	known map[string]string
}

func (n *names) name(kind, value string) string {
	if n.known == nil {
		n.known = map[string]string{}
	}
	name, known := n.known[value]
	if !known {
		name = fmt.Sprintf("<%s %d>", kind, len(n.known)+1)
		n.known[value] = name
	}
	return name
}

// Tree returns a JSON value in which nothing is left that differs by nature.
func (n *Normalizer) Tree(value any) any { return n.value("", value) }

func (n *Normalizer) value(key string, value any) any {
	switch value := value.(type) {
	case tree.Object:
		return n.object(key, value)
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = n.value(key, item)
		}
		return items
	case string:
		return n.text(key, value)
	}
	return value
}

func (n *Normalizer) object(key string, value tree.Object) tree.Object {
	result := tree.Object{}
	if kindOf(value) == "Status" {
		value = withoutOrder(value)
	}
	definition := kindOf(value) == "CustomResourceDefinition"
	_, list := value.Find("items")
	_, rows := value.Find("rows")
	for _, m := range value {
		if m.Key == "metadata" {
			if metadata, ok := m.Value.(tree.Object); ok {
				result = append(result, tree.Member{Key: m.Key, Value: n.metadata(metadata, list || rows, definition)})
				continue
			}
		}
		result = append(result, tree.Member{Key: m.Key, Value: n.value(m.Key, m.Value)})
	}
	return result
}

// metadata names versions by appearance, but not those that move for reasons of their own: a list has the server's, and a
// definition is written by controllers.
func (n *Normalizer) metadata(metadata tree.Object, list, definition bool) tree.Object {
	result := tree.Object{}
	prefix := ""
	if text, ok := metadata.Find("generateName"); ok {
		prefix, _ = text.(string)
	}
	for _, m := range metadata {
		text, isText := m.Value.(string)
		switch {
		case m.Key == "managedFields" && !n.keepManagers:
			continue
		case m.Key == "managedFields":
			m.Value = byManager(n.value(m.Key, m.Value))
		case m.Key == "resourceVersion" && isText && text != "" && (list || definition || len(metadata) == 1):
			m.Value = "<version>"
		case m.Key == "resourceVersion" && isText && text != "" && text != "0":
			m.Value = n.versions.name("version", text)
		case m.Key == "continue" && isText && text != "":
			m.Value = continueToken(text)
		case m.Key == "name" && isText && prefix != "" && strings.HasPrefix(text, prefix) && len(text) == len(prefix)+5:
			m.Value = prefix + n.generated.name("generated", text)
		default:
			m.Value = n.value(m.Key, m.Value)
		}
		result = append(result, m)
	}
	return result
}

func kindOf(value tree.Object) string {
	kind, _ := value.Find("kind")
	text, _ := kind.(string)
	return text
}

// continueToken shows what a token holds, the revision apart.
func continueToken(token string) string {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return token
	}
	var content struct {
		Version  string `json:"v"`
		Revision int64  `json:"rv"`
		Start    string `json:"start"`
	}
	if json.Unmarshal(data, &content) != nil {
		return token
	}
	revision := "some"
	if content.Revision <= 0 {
		revision = fmt.Sprint(content.Revision)
	}
	return fmt.Sprintf("<token v=%s rv=%s start=%q>", content.Version, revision, content.Start)
}

func (n *Normalizer) text(key, text string) any {
	switch key {
	case "creationTimestamp", "deletionTimestamp", "lastTransitionTime", "time":
		if isRecent(text) {
			return "<time>"
		}
	case "cells":
		if agePattern.MatchString(text) {
			return "<age>"
		}
		if isRecent(text) {
			return "<time>"
		}
	}
	return n.Text(text)
}

// Text replaces what differs by nature within a text.
func (n *Normalizer) Text(text string) string {
	text = uidPattern.ReplaceAllStringFunc(text, func(uid string) string { return n.uids.name("uid", uid) })
	text = currentPattern.ReplaceAllString(text, "${1}<version>")
	text = versionPattern.ReplaceAllStringFunc(text, func(match string) string {
		parts := versionPattern.FindStringSubmatch(match)
		if name, known := n.versions.known[parts[2]]; known {
			return parts[1] + name
		}
		return match
	})
	for generated, name := range n.generated.known {
		text = strings.ReplaceAll(text, generated, name)
	}
	text = hashPattern.ReplaceAllString(text, "<hash>")
	return timePattern.ReplaceAllStringFunc(text, func(match string) string {
		if isRecent(match) {
			return "<time>"
		}
		return match
	})
}

var (
	yamlVersionPattern = regexp.MustCompile(`(\n *resourceVersion: ")[0-9]+"`)
	yamlAgePattern     = regexp.MustCompile(`(?m)^( *- )([0-9]+[smhdy]){1,2}$`) // a Table's cell
)

// YAML replaces what differs by nature within a YAML document.
func (n *Normalizer) YAML(text string) string {
	if !n.keepManagers {
		text = withoutManagers(text)
	}
	text = yamlAgePattern.ReplaceAllString(text, "${1}<age>")
	return n.Text(yamlVersionPattern.ReplaceAllString(text, `${1}<version>"`))
}

// withoutManagers takes managedFields away: its line, and those after it that are deeper or a list's items.
func withoutManagers(text string) string {
	var kept []string
	depth := -1
	for _, line := range strings.Split(text, "\n") {
		content := strings.TrimLeft(line, " ")
		indent := len(line) - len(content)
		if depth >= 0 && (indent > depth || (indent == depth && strings.HasPrefix(content, "- "))) {
			continue
		}
		depth = -1
		if content == "managedFields:" {
			depth = indent
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// byManager puts the entries of managedFields in an order that does not depend on the second of each write.
func byManager(value any) any {
	entries, ok := value.([]any)
	if !ok {
		return value
	}
	key := func(entry any) string {
		var parts []string
		for _, field := range []string{"operation", "manager", "apiVersion", "subresource"} {
			object, _ := entry.(tree.Object)
			text, _ := object.Find(field)
			parts = append(parts, fmt.Sprint(text))
		}
		return strings.Join(parts, "\n")
	}
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b any) int { return strings.Compare(key(a), key(b)) })
	return sorted
}

func isRecent(text string) bool {
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return false
	}
	age := time.Since(moment)
	return -recent < age && age < recent
}
