package corpus

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// sampler makes values that a schema allows, always the same for the same schema.
type sampler struct {
	// large puts every optional field in; otherwise only what is required is there.
	large bool
}

// Sample returns an object of a version: the smallest that its schema allows, or one with all fields.
func Sample(d *Definition, v Version, name string, large bool) map[string]any {
	s := sampler{large}
	object, _ := s.value(v.Schema, 0).(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = d.Group+"/"+v.Name, d.Kind
	object["metadata"] = map[string]any{"name": name, "labels": map[string]any{"sample": name}}
	return object
}

// value returns a value for a schema. item tells values of one list apart.
func (s sampler) value(raw schema, item int) any {
	resolved := raw.resolve(s.large)
	if list, ok := resolved["enum"].([]any); ok && len(list) > 0 {
		return enumValue(list, item)
	}
	if value, found := resolved["default"]; found && s.large && item == 0 && !isContainer(value) {
		return value
	}
	if resolved.flag("x-kubernetes-int-or-string") {
		if s.large && resolved.has("pattern") {
			return s.text(resolved, item)
		}
		return json.Number(fmt.Sprint(1 + item))
	}
	switch resolved.text("type") {
	case "object":
		return s.object(resolved, item)
	case "array":
		return s.list(resolved)
	case "string":
		return s.text(resolved, item)
	case "integer", "number":
		return s.number(resolved, item)
	case "boolean":
		return true
	}
	return map[string]any{} // of any type
}

func isContainer(value any) bool {
	switch value.(type) {
	case map[string]any, []any, nil:
		return true
	}
	return false
}

// enumValue prefers a value that says something to an empty one.
func enumValue(list []any, item int) any {
	for i := range list {
		if value := list[(i+item)%len(list)]; value != "" && value != nil {
			return value
		}
	}
	return list[0]
}

func (s sampler) object(o schema, item int) map[string]any {
	result := map[string]any{}
	required := o.texts("required")
	for _, name := range slices.Sorted(maps.Keys(o.sub("properties"))) {
		if !s.large && !slices.Contains(required, name) {
			continue
		}
		result[name] = s.value(o.sub("properties").sub(name), item)
	}
	if o.flag("x-kubernetes-embedded-resource") {
		result["apiVersion"], result["kind"] = "example.dev/v1", "Embedded"
		result["metadata"] = map[string]any{"name": "embedded"}
	}
	if s.large && o.flag("x-kubernetes-preserve-unknown-fields") {
		result["kept"] = map[string]any{"any": []any{json.Number("1"), "text", nil, true, json.Number("1.5")}}
	}
	s.additional(o, result, required)
	return result
}

// additional fills a map with as many values as it must have, or with one.
func (s sampler) additional(o schema, result map[string]any, required []string) {
	values, any := o.sub("additionalProperties"), o["additionalProperties"] == true
	if values == nil && !any {
		return
	}
	for _, name := range required {
		if _, found := result[name]; !found {
			result[name] = s.value(values, 0)
		}
	}
	count := int(o.number("minProperties", 0))
	if s.large {
		count = max(count, 1)
	}
	for i := 0; len(result) < count; i++ {
		result[fmt.Sprintf("key-%d", i)] = s.value(values, i)
	}
}

func (s sampler) list(l schema) []any {
	count := int(l.number("minItems", 0))
	if s.large {
		count = max(count, 1)
	}
	result := []any{}
	for i := range min(count, int(l.number("maxItems", math.MaxInt32))) {
		result = append(result, s.value(l.sub("items"), i))
	}
	return result
}

func (s sampler) number(n schema, item int) any {
	step := n.number("multipleOf", 1)
	value := math.Ceil(n.number("minimum", min(1, n.number("maximum", 1)))/step) * step
	if n.flag("exclusiveMinimum") && value <= n.number("minimum", value-1) {
		value += step
	}
	value += float64(item) * step
	if value != math.Trunc(value) && n.text("type") == "integer" {
		value = math.Ceil(value)
	}
	return json.Number(fmt.Sprint(value))
}

// formatTexts are values of the formats that definitions use.
var formatTexts = map[string]string{
	"date-time": "2024-02-03T04:05:06Z",
	"date":      "2024-02-03",
	"duration":  "1h5m",
	"byte":      "dGV4dA==",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"ip":        "192.0.2.1",
	"cidr":      "192.0.2.0/24",
	"uri":       "https://example.dev/path",
	"email":     "someone@example.dev",
	"hostname":  "host.example.dev",
	"uuid":      "7f1f9f2c-9e44-4f0b-8f2e-5a6f3a1b2c3d",
	"mac":       "02:00:00:00:00:01",
	"password":  "secret",
}

func (s sampler) text(t schema, item int) string {
	least, most := int(t.number("minLength", 0)), int(t.number("maxLength", -1))
	if pattern := t.text("pattern"); pattern != "" {
		return textFor(pattern, least+item, most)
	}
	if text, known := formatTexts[t.text("format")]; known {
		return text
	}
	text := "text"
	if item > 0 {
		text = fmt.Sprintf("text-%d", item)
	}
	if len(text) < least {
		text += strings.Repeat("x", least-len(text))
	}
	if most >= 0 && len(text) > most {
		text = text[:most]
	}
	return text
}
