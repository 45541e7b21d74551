package tree

import (
	"slices"
	"testing"
)

func TestDiffNamesEachPlaceThatDiffers(t *testing.T) {
	for _, c := range []struct {
		first, second string
		want          []string
	}{
		{`{"a":[1,{"b":"x"}],"c":null}`, `{"a":[1,{"b":"x"}],"c":null}`, nil},
		{`{"a":{"b":1}}`, `{"a":{"b":1.0}}`, []string{"a.b: 1 | 1.0"}},
		{`{"a":1,"b.c":2}`, `{"a":1,"d":{}}`, []string{"[b.c]: 2 | not there", "d: not there | {}"}},
		{`{"a":[1]}`, `{"a":[1,2]}`, []string{"a: 1 items [1] | 2 items [1,2]"}},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, nil},
		{`{"a":null}`, `{"a":{}}`, []string{"a: null | {}"}},
		{`{"a":"1"}`, `{"a":1}`, []string{`a: "1" | 1`}},
	} {
		first, err := Parse([]byte(c.first))
		if err != nil {
			t.Fatal(err)
		}
		second, err := Parse([]byte(c.second))
		if err != nil {
			t.Fatal(err)
		}
		if got := Diff(first, second); !slices.Equal(got, c.want) {
			t.Errorf("%s and %s: got %q, want %q", c.first, c.second, got, c.want)
		}
	}
}
