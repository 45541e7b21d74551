package corpus

import (
	"encoding/json"
	"maps"
	"slices"
)

// schema is an OpenAPI v3 schema as definitions have it.
type schema map[string]any

func (s schema) text(key string) string {
	value, _ := s[key].(string)
	return value
}

func (s schema) flag(key string) bool {
	value, _ := s[key].(bool)
	return value
}

// number returns a number of the schema, or a default.
func (s schema) number(key string, missing float64) float64 {
	if number, ok := s[key].(json.Number); ok {
		if value, err := number.Float64(); err == nil {
			return value
		}
	}
	return missing
}

func (s schema) has(key string) bool {
	_, found := s[key]
	return found
}

func (s schema) sub(key string) schema {
	value, _ := s[key].(map[string]any)
	return value
}

func (s schema) subs(key string) []schema {
	var result []schema
	list, _ := s[key].([]any)
	for _, item := range list {
		if fields, ok := item.(map[string]any); ok {
			result = append(result, fields)
		}
	}
	return result
}

func (s schema) texts(key string) []string {
	var result []string
	list, _ := s[key].([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			result = append(result, text)
		}
	}
	return result
}

// resolve returns a schema in which a choice is made for each oneOf and anyOf, and allOf is merged in: the first branch for a
// small object, the last for a large one (a branch that wants nothing tends to come first). Properties that the choice forbids
// are gone.
func (s schema) resolve(large bool) schema {
	if !s.has("allOf") && !s.has("anyOf") && !s.has("oneOf") && !s.has("not") {
		return s
	}
	result := schema(maps.Clone(s))
	for _, key := range []string{"allOf", "anyOf", "oneOf", "not"} {
		delete(result, key)
	}
	forbidden := map[string]bool{}
	for _, part := range s.subs("allOf") {
		result = result.overlay(part.resolve(large))
		part.sub("not").forbid(forbidden)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		branches := s.subs(key)
		if len(branches) == 0 {
			continue
		}
		chosen := branches[0]
		if large {
			chosen = branches[len(branches)-1]
		}
		for _, branch := range branches {
			if key == "oneOf" {
				branch.forbid(forbidden)
			}
		}
		for _, name := range chosen.texts("required") {
			delete(forbidden, name)
		}
		chosen.sub("not").forbid(forbidden)
		result = result.overlay(chosen.resolve(large))
	}
	s.sub("not").forbid(forbidden)
	return result.withoutProperties(forbidden)
}

// forbid collects the properties that must not be there for a schema not to hold: those it requires, itself or in a branch.
func (s schema) forbid(forbidden map[string]bool) {
	for _, name := range s.texts("required") {
		forbidden[name] = true
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, branch := range s.subs(key) {
			branch.forbid(forbidden)
		}
	}
}

func (s schema) withoutProperties(names map[string]bool) schema {
	if len(names) == 0 || !s.has("properties") {
		return s
	}
	properties := maps.Clone(s.sub("properties"))
	for name := range names {
		if !slices.Contains(s.texts("required"), name) {
			delete(properties, name)
		}
	}
	s["properties"] = map[string]any(properties)
	return s
}

// overlay adds what a branch of a schema demands to the schema itself.
func (s schema) overlay(branch schema) schema {
	result := schema{}
	maps.Copy(result, s)
	for key, value := range branch {
		switch key {
		case "required":
			list, _ := s[key].([]any)
			more, _ := value.([]any)
			result[key] = append(slices.Clone(list), more...)
		case "properties":
			properties := schema{}
			maps.Copy(properties, s.sub(key))
			for name, property := range branch.sub(key) {
				if fields, ok := property.(map[string]any); ok {
					properties[name] = map[string]any(properties.sub(name).overlay(fields))
				}
			}
			result[key] = map[string]any(properties)
		case "items", "additionalProperties":
			if fields, ok := value.(map[string]any); ok {
				result[key] = map[string]any(s.sub(key).overlay(fields))
			}
		case "type":
			if !s.flag("x-kubernetes-int-or-string") {
				result[key] = value
			}
		default:
			result[key] = value
		}
	}
	return result
}
