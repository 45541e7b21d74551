package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed widgets.yaml
var definitionText string

// The namespaces: with smallCount objects, with largeCount objects, and for objects that come and go.
const (
	smallNamespace   = "small"
	largeNamespace   = "large"
	scratchNamespace = "scratch"

	smallCount = 10_000
	largeCount = 100_000
)

func definition(group, plural, kind string) []byte {
	words := strings.NewReplacer("GROUP", group, "PLURAL", plural, "SINGULAR", strings.ToLower(kind), "KIND", kind)
	return []byte(words.Replace(definitionText))
}

func (s *side) collection(namespace string) string {
	return "/apis/" + s.group + "/v1/namespaces/" + namespace + "/widgets"
}

func objectName(i int) string { return fmt.Sprintf("widget-%07d", i) }

func (s *side) objectPath(namespace string, i int) string {
	return s.collection(namespace) + "/" + objectName(i)
}

// batch is a label and a selectable field that 10 objects share, however many there are. They lie apart, as in life.
func batch(i int) string { return fmt.Sprintf("b-%d", i/10_000*1_000+i%1_000) }

// lot is a selectable field that 100 objects share.
func lot(i int) string { return fmt.Sprintf("l-%d", i/10_000*100+i%100) }

// scattered returns a number below count that jumps about as i grows.
func scattered(i, count int) int { return int(uint64(i) * 0x9E3779B97F4A7C15 >> 20 % uint64(count)) }

// text is 1 KiB that differs in every object, as it does in life.
func text(i int) string {
	var b strings.Builder
	for n := 0; b.Len() < 1024; n++ {
		fmt.Fprintf(&b, "line %d of %d, ", n, i)
	}
	return b.String()[:1024]
}

func (s *side) object(i int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"%s/v1","kind":"Widget","metadata":{"name":%q,"labels":{"app":"widgets","batch":%q}},`+
		`"spec":{"color":"color-%d","batch":%q,"lot":%q,"stamp":0,"text":%q,"tags":["first","second","third"]}}`,
		s.group, objectName(i), batch(i), i%17, batch(i), lot(i), text(i))
}

// patchSpec is a merge patch that changes the object each time.
func patchSpec(stamp int64) []byte { return fmt.Appendf(nil, `{"spec":{"stamp":%d}}`, stamp) }

func patchStatus(stamp int64) []byte {
	return fmt.Appendf(nil, `{"status":{"phase":"Running","replicas":1,"observedStamp":%d}}`, stamp)
}
