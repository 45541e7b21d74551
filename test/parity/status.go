package parity

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"annex.dev/annex/test/parity/tree"
)

// withoutOrder gives the causes of a Status an order. kube-apiserver finds those within the schema in the order of a Go map,
// which differs from one request to the next. The message, which repeats them, names each by a mark.
func withoutOrder(status tree.Object) tree.Object {
	found, _ := tree.At(status, "details.causes")
	causes, _ := found.([]any)
	if len(causes) < 2 {
		return status
	}
	texts := make([]string, len(causes))
	for i, cause := range causes {
		texts[i] = causeText(cause)
	}
	slices.SortStableFunc(causes, func(a, b any) int { return cmp.Compare(sortText(a), sortText(b)) })
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) }) // one may begin as another
	for i, m := range status {
		if message, ok := m.Value.(string); ok && m.Key == "message" {
			for _, text := range texts {
				message = strings.ReplaceAll(message, text, "<cause>")
			}
			status[i].Value = message
		}
	}
	return status
}

// causeText is how a message repeats a cause.
func causeText(cause any) string {
	field, _ := tree.At(cause, "field")
	message, _ := tree.At(cause, "message")
	fieldText, _ := field.(string)
	messageText, _ := message.(string)
	return fieldText + ": " + messageText
}

func sortText(cause any) string {
	reason, _ := tree.At(cause, "reason")
	text, _ := json.Marshal(reason)
	return causeText(cause) + string(text)
}
