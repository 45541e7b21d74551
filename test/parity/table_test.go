package parity

import (
	"encoding/json"
	"testing"
)

func TestRowsOfATableChangeTheBodyOfItsLastStep(t *testing.T) {
	body := map[string]any{"spec": map[string]any{"names": []any{"a", "b"}, "scope": "Cluster"}}
	table := Table{
		At:    "spec",
		Steps: []Step{{Do: "POST /x", Body: body}},
		Rows: map[string]map[string]any{
			"added":          {"names.2": "c", "new.deep": 1},
			"emptied":        {"": nil},
			"put in and cut": {"names.0": map[string]any{"x": 1, "y": 2}, "-names.0.x": nil},
			"removed":        {"-scope": nil, "-names.0": nil},
		},
	}
	scenarios, err := table.scenarios()
	if err != nil {
		t.Fatal(err)
	}
	expected := []string{
		`added: {"spec":{"names":["a","b","c"],"new":{"deep":1},"scope":"Cluster"}}`,
		`emptied: {"spec":null}`,
		`put in and cut: {"spec":{"names":[{"y":2},"b"],"scope":"Cluster"}}`,
		`removed: {"spec":{"names":["b"]}}`,
	}
	for i, scenario := range scenarios {
		sent, _, err := scenario.Steps[0].content(words{})
		if err != nil {
			t.Fatal(err)
		}
		if found := scenario.Name + ": " + string(sent); found != expected[i]+"\n" {
			t.Errorf("row %d sends %s instead of %s", i, found, expected[i])
		}
	}
	if data, _ := json.Marshal(body); string(data) != `{"spec":{"names":["a","b"],"scope":"Cluster"}}` {
		t.Errorf("the table's own body was changed: %s", data)
	}
}

func TestAChangeOfWhatIsNotThereIsAnError(t *testing.T) {
	body := map[string]any{"list": []any{"a"}, "text": "b"}
	for _, path := range []string{"list.5", "list.x", "text.below"} {
		if _, err := changed(body, map[string]any{path: 1}); err == nil {
			t.Errorf("a change at %s is accepted", path)
		}
	}
}

func TestADifferenceShowsOnlyWhatIsNear(t *testing.T) {
	found := lineDifference("a\nb\nc\nd\ne\nf", "a\nb\nc\nX\ne\nf\ng")
	expected := "  ...\n  b\n  c\n- d\n+ X\n  e\n  f\n+ g"
	if found != expected {
		t.Errorf("the difference is shown as\n%s", found)
	}
}
