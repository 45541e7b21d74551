package parity

import (
	"strings"
	"testing"

	"annex.dev/annex/test/parity/tree"
)

func TestCausesHaveNoOrder(t *testing.T) {
	orders := []string{
		`{"message":"[a: x, ab: y]","details":{"causes":[{"field":"a","message":"x"},{"field":"ab","message":"y"}]}}`,
		`{"message":"[ab: y, a: x]","details":{"causes":[{"field":"ab","message":"y"},{"field":"a","message":"x"}]}}`,
		`{"message":"[ab: y, a: z]","details":{"causes":[{"field":"ab","message":"y"},{"field":"a","message":"z"}]}}`,
	}
	var texts []string
	for _, order := range orders {
		status, err := tree.Parse([]byte(order))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Join(tree.Write(nil, "", "", withoutOrder(status.(tree.Object))), "\n"))
	}
	if texts[0] != texts[1] {
		t.Errorf("the order of causes is seen:\n%s\n%s", texts[0], texts[1])
	}
	if texts[1] == texts[2] {
		t.Errorf("different causes are not seen:\n%s", texts[1])
	}
}
