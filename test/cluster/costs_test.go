package cluster_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// What one request may cost Annex, whatever it holds.
const (
	maxCPUSeconds = 1.0
	maxMemoryMiB  = 200
	// clockTicks is the unit of times in /proc (USER_HZ).
	clockTicks = 100
)

// badInput is a request that tries to cost more than it is worth.
type badInput struct {
	name, method, target, contentType, body string
	code                                    int
}

func TestBadInputCostsLittle(t *testing.T) {
	b, namespace := ownStandalone(t)
	base := fmt.Sprintf("%s/apis/%s/v1/namespaces/%s/widgets", b.config.Host, b.Domain, namespace)
	b.create(t, namespace, b.widget("a", "red", 1))
	client := must(rest.HTTPClientFor(b.config))(t)
	pid := b.Annex.Process().Pid()
	for _, input := range badInputs(b) {
		t.Run(input.name, func(t *testing.T) {
			resetPeak(t, pid)
			memory, cpu := peakMiB(t, pid), cpuSeconds(t, pid)
			request := must(http.NewRequestWithContext(t.Context(), input.method, base+input.target, strings.NewReader(input.body)))(t)
			request.Header.Set("Content-Type", input.contentType)
			response := must(client.Do(request))(t)
			answer := must(io.ReadAll(response.Body))(t)
			response.Body.Close()
			if response.StatusCode != input.code {
				t.Errorf("answered %d, want %d: %.300s", response.StatusCode, input.code, answer)
			}
			memory, cpu = peakMiB(t, pid)-memory, cpuSeconds(t, pid)-cpu
			t.Logf("%.2f s of CPU, %d MiB", cpu, memory)
			if cpu > maxCPUSeconds || memory > maxMemoryMiB {
				t.Errorf("it cost %.2f s of CPU and %d MiB of memory, may cost %.0f s and %d MiB", cpu, memory, maxCPUSeconds, maxMemoryMiB)
			}
		})
	}
}

func badInputs(b *backend) []badInput {
	const (
		plain     = "application/json"
		merge     = "application/merge-patch+json"
		jsonPatch = "application/json-patch+json"
	)
	head := fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Widget",`, b.Domain)
	object := func(name, metadata, spec string) string {
		return head + `"metadata":{"name":"` + name + `"` + metadata + `},"spec":{"size":1` + spec + `}}`
	}
	members := func(n int, format string) string {
		var text strings.Builder
		for i := range n {
			if i > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, format, i)
		}
		return text.String()
	}
	entry := fmt.Sprintf(`{"manager":"m","operation":"Update","apiVersion":"%s/v1","fieldsType":"FieldsV1","fieldsV1":`, b.Domain)
	return []badInput{
		{"3 MiB of brackets", http.MethodPost, "", plain, strings.Repeat("[", 3<<20), http.StatusBadRequest},
		{"3 MiB of brackets in YAML", http.MethodPost, "", "application/yaml", strings.Repeat("[", 3<<20), http.StatusBadRequest},
		{"an alias bomb", http.MethodPost, "", "application/yaml", aliasBomb(), http.StatusBadRequest},
		{"many settings", http.MethodPost, "", plain, object("b", "", `,"settings":{`+members(200_000, `"s%d":""`)+`}`), http.StatusCreated},
		{"many settings that are applied", http.MethodPatch, "/c?fieldManager=m", "application/apply-patch+yaml", object("c", "", `,"settings":{`+members(100_000, `"s%d": ""`)+`}`), http.StatusCreated},
		{"duplicate keys", http.MethodPost, "", plain, object("d", "", strings.Repeat(`,"size":1`, 300_000)), http.StatusCreated},
		{"numbers beyond 64 bits", http.MethodPost, "", plain, object("e", "", `,"tags":[`+members(100_000, `9223372036854775808%d`)+`]`), http.StatusUnprocessableEntity},
		{"a set of many items", http.MethodPost, "", plain, object("s", "", `,"tags":[`+members(200_000, `"t%d"`)+`]`), http.StatusCreated},
		{"a set that is created", http.MethodPost, "", plain, object("f", "", `,"tags":[`+members(50_000, `"t%d"`)+`]`), http.StatusCreated},
		{"a set that is applied", http.MethodPatch, "/f?fieldManager=m&force=true", "application/apply-patch+yaml", object("f", "", `,"tags":[`+members(50_000, `"t%d"`)+`]`), http.StatusOK},
		{"a set that is no longer applied", http.MethodPatch, "/f?fieldManager=m&force=true", "application/apply-patch+yaml", object("f", "", `,"tags":["t1"]`), http.StatusOK},
		{"a list of many parts", http.MethodPatch, "/a/status", merge, `{"status":{"conditions":[` + members(60_000, `{"type":"t%d","status":""}`) + `]}}`, http.StatusOK},
		{"owners that lie", http.MethodPost, "", plain, object("g", `,"managedFields":[`+entry+`{"f:spec":{`+members(150_000, `"f:z%d":{}`)+`}}}]`, ""), http.StatusCreated},
		{"owners of numbers that lie", http.MethodPost, "", plain, object("i", `,"managedFields":[`+entry+`{"f:spec":{"f:tags":{`+members(150_000, `"v:%d":{}`)+`}}}}]`, ""), http.StatusCreated},
		{"deep owners that lie", http.MethodPost, "", plain, object("h", `,"managedFields":[`+entry+strings.Repeat(`{"f:a":`, 5000)+"{}"+strings.Repeat("}", 5000)+`}]`, ""), http.StatusCreated},
		{"a patch of too many operations", http.MethodPatch, "/a", jsonPatch, "[" + members(10_001, `{"op":"add","path":"/spec/size","value":%d}`) + "]", http.StatusRequestEntityTooLarge},
		{"a patch that copies what it copied", http.MethodPatch, "/a", jsonPatch, doublingPatch(), http.StatusUnprocessableEntity},
		{"a deep merge patch", http.MethodPatch, "/a", merge, strings.Repeat(`{"a":`, 9999) + "1" + strings.Repeat("}", 9999), http.StatusOK},
		{"a long selector", http.MethodGet, "?labelSelector=k+in+(" + strings.Repeat("v,", 25_000) + "v)", plain, "", http.StatusOK},
		{"a token of brackets", http.MethodGet, "?continue=" + strings.Repeat("W1tb", 10_000), plain, "", http.StatusBadRequest},
	}
}

// aliasBomb is YAML that would have 10^8 items.
func aliasBomb() string {
	text := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for name := 'b'; name <= 'i'; name++ {
		items := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", name-1), 10), ",")
		text += fmt.Sprintf("%c: &%c [%s]\n", name, name, items)
	}
	return text
}

// doublingPatch makes an object twice as large with each operation.
func doublingPatch() string {
	operations := []string{`{"op":"add","path":"/spec/settings","value":{"s":"` + strings.Repeat("x", 1000) + `"}}`}
	for i := range 40 {
		operations = append(operations, fmt.Sprintf(`{"op":"copy","from":"/spec","path":"/spec/settings/c%d"}`, i))
	}
	return "[" + strings.Join(operations, ",") + "]"
}

func resetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// peakMiB is the most memory that a process has had since resetPeak.
func peakMiB(t *testing.T, pid int) int {
	t.Helper()
	for line := range bytes.Lines(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t)) {
		if value, found := strings.CutPrefix(string(line), "VmHWM:"); found {
			return must(strconv.Atoi(strings.Fields(value)[0]))(t) / 1024
		}
	}
	t.Fatal("the process does not tell its memory")
	return 0
}

func cpuSeconds(t *testing.T, pid int) float64 {
	t.Helper()
	stat := string(must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))(t))
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	user, system := must(strconv.Atoi(fields[11]))(t), must(strconv.Atoi(fields[12]))(t)
	return float64(user+system) / clockTicks
}
