package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"annex.dev/annex/test/parity/tree"

	"k8s.io/client-go/util/jsonpath"
)

// comparedHeaders are those that clients read. Others differ by nature or say nothing about the answer.
var comparedHeaders = []string{
	"Allow", "Cache-Control", "Content-Encoding", "Content-Type", "Etag", "Location", "Retry-After", "Vary", "Warning", "Www-Authenticate",
}

// render returns an answer as lines of text that are equal on both sides if the answers are.
func (n *Normalizer) render(step Step, answer *Answer) string {
	if answer == nil {
		return "no answer\n"
	}
	lines := []string{fmt.Sprintf("code %d", answer.Code)}
	if len(step.Only) == 0 {
		lines = append(lines, n.Headers(answer.Header)...)
	}
	if answer.Events != nil || answer.Ended {
		lines = n.renderEvents(lines, step, answer)
	} else {
		lines = n.renderBody(lines, step, answer)
	}
	return strings.Join(lines, "\n") + "\n"
}

// Headers returns the headers that are compared, one a line.
func (n *Normalizer) Headers(header http.Header) []string {
	var lines []string
	for _, name := range comparedHeaders {
		for _, value := range header.Values(name) {
			if name == "Etag" {
				value = etag(value)
			}
			lines = append(lines, name+": "+n.Text(value))
		}
	}
	return lines
}

// etag shows whether a tag is there, quoted and weak, not what it says.
func etag(value string) string {
	tag := strings.TrimPrefix(value, "W/")
	shape := "<etag>"
	if strings.HasPrefix(tag, `"`) {
		shape = `"<etag>"`
	}
	return strings.TrimSuffix(value, tag) + shape
}

func (n *Normalizer) renderEvents(lines []string, step Step, answer *Answer) []string {
	for i, event := range answer.Events {
		lines = append(lines, fmt.Sprintf("event %d", i+1))
		lines = n.renderJSON(lines, step, event)
	}
	// With a number of events the reading stops there, whatever the server does.
	if step.Events == 0 {
		lines = append(lines, fmt.Sprintf("the server ended the watch: %t", answer.Ended))
	}
	return lines
}

func (n *Normalizer) renderBody(lines []string, step Step, answer *Answer) []string {
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	switch {
	case mediaType == "application/json" || (mediaType == "text/plain" && bytes.HasPrefix(answer.Body, []byte("{"))):
		lines = append(lines, "layout: "+layout(answer.Body))
		return n.renderJSON(lines, step, answer.Body)
	case bytes.HasPrefix(answer.Body, []byte("k8s\x00")):
		return append(lines, n.protobuf(step, answer.Body)...)
	case strings.HasPrefix(mediaType, "application/com.github.proto-openapi.spec.") && len(answer.Body) > 0:
		return append(lines, n.openAPI(step, mediaType, answer.Body)...)
	case mediaType == "application/yaml":
		return append(lines, n.YAML(string(answer.Body)))
	default:
		return append(lines, n.Text(string(answer.Body)))
	}
}

// layout tells whether a body is indented and how it ends.
func layout(body []byte) string {
	form := "compact"
	if bytes.HasPrefix(body, []byte("{\n")) {
		form = "indented"
	}
	if bytes.HasSuffix(body, []byte("\n")) {
		return form + ", with a newline"
	}
	return form + ", without a newline"
}

func (n *Normalizer) renderJSON(lines []string, step Step, data []byte) []string {
	content, err := tree.Parse(data)
	if err != nil {
		return append(lines, fmt.Sprintf("no JSON (%v): %s", err, n.Text(string(data))))
	}
	for path := range step.Except {
		content = tree.Without(content, tree.SplitPath(path))
	}
	content = n.Tree(content)
	if step.Unordered != "" {
		content = tree.Sorted(content)
	}
	if len(step.Only) == 0 {
		return tree.Write(lines, "", "", content)
	}
	for _, path := range slices.Sorted(slices.Values(step.Only)) {
		value, found := tree.At(content, path)
		if !found {
			lines = append(lines, path+": not there")
			continue
		}
		lines = tree.Write(lines, "", path+": ", value)
	}
	return lines
}

// textAt returns what a JSONPath like {.status.phase} or .status.phase finds in a JSON object, as kubectl prints it.
func textAt(body []byte, path string) string {
	var content any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&content); err != nil {
		return ""
	}
	if !strings.HasPrefix(path, "{") {
		path = "{" + path + "}"
	}
	parser := jsonpath.New("until").AllowMissingKeys(true)
	if err := parser.Parse(path); err != nil {
		return err.Error()
	}
	var text bytes.Buffer
	if err := parser.Execute(&text, content); err != nil {
		return ""
	}
	return text.String()
}
