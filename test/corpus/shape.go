package corpus

import (
	"fmt"
	"slices"
	"strings"

	"annex.dev/annex/test/parity/tree"
)

// sorted returns a list in the order of a field of its items.
func sorted(list any, key string) any {
	items, ok := list.([]any)
	if !ok {
		return list
	}
	name := func(item any) string {
		value, _ := tree.At(item, key)
		return fmt.Sprint(value)
	}
	result := slices.Clone(items)
	slices.SortStableFunc(result, func(a, b any) int { return strings.Compare(name(a), name(b)) })
	return result
}

// change returns a value in which what stands at a path is replaced, if something does.
func change(content any, path []string, do func(any) any) any {
	if len(path) == 0 {
		return do(content)
	}
	object, ok := content.(tree.Object)
	if !ok {
		return content
	}
	result := slices.Clone(object)
	for i, m := range result {
		if m.Key == path[0] {
			result[i].Value = change(m.Value, path[1:], do)
		}
	}
	return result
}

func sortedBy(key string) func(any) any {
	return func(list any) any { return sorted(list, key) }
}

// definitionShape leaves the order of conditions out: several controllers write them.
func definitionShape(content any) any {
	return change(content, []string{"status", "conditions"}, sortedBy("type"))
}

// resourceListShape leaves the order of resources out: kube-apiserver's is that of a map.
func resourceListShape(content any) any {
	return change(content, []string{"resources"}, sortedBy("name"))
}

// withoutVersions leaves out which resourceVersions are equal: a write of which only metadata.managedFields keep a trace counts
// on kube-apiserver, but not on Annex as long as it keeps none (docs/compatibility.md).
func withoutVersions(content any) any {
	switch value := content.(type) {
	case tree.Object:
		result := slices.Clone(value)
		for i, m := range result {
			if m.Key == "resourceVersion" && m.Value != "" {
				result[i].Value = "<version>"
				continue
			}
			result[i].Value = withoutVersions(m.Value)
		}
		return result
	case []any:
		result := slices.Clone(value)
		for i, item := range result {
			result[i] = withoutVersions(item)
		}
		return result
	}
	return content
}

// sortedErrors leaves the order of the errors of a refusal out: kube-apiserver finds some of them in the order of a map.
func sortedErrors(content any) any {
	causes, found := tree.At(content, "details.causes")
	if list, ok := causes.([]any); !found || !ok || len(list) < 2 {
		return content
	}
	content = change(content, []string{"details", "causes"}, func(list any) any { return sorted(sorted(list, "message"), "field") })
	return change(content, []string{"message"}, func(message any) any {
		parts := strings.Split(strings.NewReplacer("[", "", "]", "", "invalid: ", "invalid, ").Replace(fmt.Sprint(message)), ", ")
		slices.Sort(parts)
		return strings.Join(parts, ", ")
	})
}

// only keeps those members of an object that a test is true for.
func only(keep func(tree.Member) bool) func(any) any {
	return func(content any) any {
		object, ok := content.(tree.Object)
		if !ok {
			return content
		}
		result := tree.Object{}
		for _, m := range object {
			if keep(m) {
				result = append(result, m)
			}
		}
		return result
	}
}

// groupOfPath returns the API group of a path of an OpenAPI document.
func groupOfPath(path string) string {
	rest, found := strings.CutPrefix(path, "/apis/")
	if !found {
		return ""
	}
	group, _, _ := strings.Cut(rest, "/")
	return group
}

// groupOfKind returns the API group of a definition of an OpenAPI document, if it is that of one kind.
func groupOfKind(definition any) string {
	group, _ := tree.At(definition, "x-kubernetes-group-version-kind.0.group")
	text, _ := group.(string)
	return text
}
