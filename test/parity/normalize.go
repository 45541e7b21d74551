package parity

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	uidPattern     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	agePattern     = regexp.MustCompile(`^([0-9]+[smhdy]){1,2}$`)
	hashPattern    = regexp.MustCompile(`\b[0-9A-F]{64,128}\b`)
	currentPattern = regexp.MustCompile(`(too large resource version: [0-9]+, current: |too old resource version: [0-9]+ \()[0-9]+`)
	versionPattern = regexp.MustCompile(`(?i)(resource_?version"?:? "?)([0-9]+)`)
	timePattern    = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z`)
)

// recent is how far back a time may lie that was made during a run.
const recent = time.Hour

// normalizer replaces what must differ between two servers. One belongs to one side of one scenario: the same value gets
// the same name in all of its answers.
type normalizer struct {
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
func (n *normalizer) Tree(value any) any { return n.value("", value) }

func (n *normalizer) value(key string, value any) any {
	switch value := value.(type) {
	case object:
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

func (n *normalizer) object(key string, value object) object {
	result := object{}
	definition := kindOf(value) == "CustomResourceDefinition"
	_, list := value.find("items")
	_, rows := value.find("rows")
	for _, m := range value {
		if m.key == "metadata" {
			if metadata, ok := m.value.(object); ok {
				result = append(result, member{m.key, n.metadata(metadata, list || rows, definition)})
				continue
			}
		}
		result = append(result, member{m.key, n.value(m.key, m.value)})
	}
	return result
}

// metadata names versions by appearance, but not those that move for reasons of their own: a list has the server's, and a
// definition is written by controllers.
func (n *normalizer) metadata(metadata object, list, definition bool) object {
	result := object{}
	prefix := ""
	if text, ok := metadata.find("generateName"); ok {
		prefix, _ = text.(string)
	}
	for _, m := range metadata {
		text, isText := m.value.(string)
		switch {
		case m.key == "managedFields" && !n.keepManagers:
			continue
		case m.key == "resourceVersion" && isText && text != "" && (list || definition || len(metadata) == 1):
			m.value = "<version>"
		case m.key == "resourceVersion" && isText && text != "" && text != "0":
			m.value = n.versions.name("version", text)
		case m.key == "continue" && isText && text != "":
			m.value = continueToken(text)
		case m.key == "name" && isText && prefix != "" && strings.HasPrefix(text, prefix) && len(text) == len(prefix)+5:
			m.value = prefix + n.generated.name("generated", text)
		default:
			m.value = n.value(m.key, m.value)
		}
		result = append(result, m)
	}
	return result
}

func kindOf(value object) string {
	kind, _ := value.find("kind")
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

func (n *normalizer) text(key, text string) any {
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
func (n *normalizer) Text(text string) string {
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

func isRecent(text string) bool {
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return false
	}
	age := time.Since(moment)
	return -recent < age && age < recent
}
