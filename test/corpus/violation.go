package corpus

import (
	"encoding/json"
	"maps"
	"slices"
)

// Violation is an object that a version's schema does not allow, for one reason.
type Violation struct {
	Reason string
	Object map[string]any
}

// absent stands for a field that is taken away.
type absent struct{}

// violationDepth is how deep below the object places for violations are looked for.
const violationDepth = 5

// Violations returns objects that a version's schema forbids: one for each kind of restriction that the schema has.
func Violations(d *Definition, v Version, name string) []Violation {
	finder := violationFinder{found: map[string]bool{}}
	finder.walk(v.Schema, nil)
	var violations []Violation
	for _, place := range finder.places {
		object := Sample(d, v, name, false)
		for key, value := range (sampler{}).with(v.Schema, place.path, place.value).(map[string]any) {
			if !isHead(key) {
				object[key] = value
			}
		}
		if _, gone := place.value.(absent); gone && len(place.path) == 1 {
			delete(object, place.path[0])
		}
		violations = append(violations, Violation{place.reason, object})
	}
	return violations
}

// isHead tells whether a field of an object is one that all objects have.
func isHead(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// place is where a value is to be wrong.
type place struct {
	reason string
	path   []string // names of fields; "[]" an item, "{}" a value of a map
	value  any
}

// violationFinder collects the first place for each reason.
type violationFinder struct {
	found  map[string]bool
	places []place
}

func (f *violationFinder) add(reason string, path []string, value any) {
	if len(path) > 0 && !f.found[reason] {
		f.found[reason] = true
		f.places = append(f.places, place{reason, slices.Clone(path), value})
	}
}

func (f *violationFinder) walk(raw schema, path []string) {
	resolved := raw.resolve(false)
	f.addWrongTypes(resolved, path)
	f.addWrongValues(resolved, path)
	f.addDuplicates(resolved, path)
	if len(path) >= violationDepth {
		return
	}
	for _, name := range resolved.texts("required") {
		if len(path) == 0 && isHead(name) {
			continue
		}
		f.add("a required field is missing", append(path, name), absent{})
	}
	for _, name := range slices.Sorted(maps.Keys(resolved.sub("properties"))) {
		if len(path) == 0 && isHead(name) {
			continue
		}
		f.walk(resolved.sub("properties").sub(name), append(path, name))
	}
	if items := resolved.sub("items"); items != nil {
		f.walk(items, append(path, "[]"))
	}
	if values := resolved.sub("additionalProperties"); values != nil {
		f.walk(values, append(path, "{}"))
	}
}

func (f *violationFinder) addWrongTypes(s schema, path []string) {
	if s.flag("x-kubernetes-int-or-string") {
		f.add("neither an integer nor a string", path, true)
		return
	}
	wrong := map[string]any{
		"string":  json.Number("42"),
		"integer": "text",
		"number":  "text",
		"boolean": "yes",
		"object":  "text",
		"array":   map[string]any{"a": json.Number("1")},
	}
	kind := s.text("type")
	if value, known := wrong[kind]; known {
		f.add("not of type "+kind, path, value)
		f.add("null instead of "+kind, path, nil)
	}
	if kind == "integer" {
		f.add("a fraction", path, json.Number("1.5"))
	}
}

func (f *violationFinder) addWrongValues(s schema, path []string) {
	if s.has("enum") {
		f.add("not in the enum", path, "no-such-value")
	}
	if s.has("pattern") {
		f.add("not of the pattern", path, "\t?!")
	}
	if format := s.text("format"); format != "" && s.text("type") == "string" {
		f.add("not of the format "+format, path, "no such \t text")
	}
	if s.has("minimum") {
		f.add("too small", path, json.Number("-1000000"))
	}
	if s.has("maximum") {
		f.add("too large", path, json.Number("4000000000"))
	}
	if s.number("minLength", 0) > 0 {
		f.add("too short", path, "")
	}
	if s.number("minItems", 0) > 0 {
		f.add("too few items", path, []any{})
	}
	if s.number("minProperties", 0) > 0 {
		f.add("too few properties", path, map[string]any{})
	}
	if most := s.number("maxLength", 5000); most < 300 {
		f.add("too long", path, string(slices.Repeat([]byte("a"), int(most)+1)))
	}
}

func (f *violationFinder) addDuplicates(s schema, path []string) {
	if kind := s.text("x-kubernetes-list-type"); kind == "map" || kind == "set" {
		item := sampler{large: kind == "map"}.value(s.sub("items"), 0)
		f.add("an item twice in a "+kind, path, []any{item, item})
	}
}

// with returns a small value of a schema in which something stands at a path.
func (s sampler) with(raw schema, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	resolved := raw.resolve(s.large)
	switch path[0] {
	case "[]":
		return []any{s.with(resolved.sub("items"), path[1:], value)}
	case "{}":
		return map[string]any{"key": s.with(resolved.sub("additionalProperties"), path[1:], value)}
	}
	object := s.object(resolved, 0)
	inner := s.with(resolved.sub("properties").sub(path[0]), path[1:], value)
	if _, gone := inner.(absent); gone {
		delete(object, path[0])
	} else {
		object[path[0]] = inner
	}
	return object
}

// WithUnknownFields returns a copy of an object with fields in it that no schema knows, on several levels.
func WithUnknownFields(object map[string]any) map[string]any {
	result := maps.Clone(object)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name == "metadata" {
			continue
		}
		if fields, ok := result[name].(map[string]any); ok {
			result[name] = WithUnknownFields(fields)
		}
	}
	result["unknownField"] = map[string]any{"a": json.Number("1")}
	return result
}
