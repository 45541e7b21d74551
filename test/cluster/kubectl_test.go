package cluster_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"annex.dev/annex/test/cluster/harness"
)

// kubectl runs one of the kubectl programs against one backend and namespace.
type kubectl struct {
	b          *backend
	binary     string
	kubeconfig string
	namespace  string
	home       string // also holds what kubectl caches, so that runs do not learn from each other
}

const kubectlTimeout = 60 * time.Second

func newKubectl(t *testing.T, b *backend, program string) *kubectl {
	binaries := must(harness.BinariesDir())(t)
	k := &kubectl{b: b, binary: filepath.Join(binaries, program), namespace: b.namespace(t), home: t.TempDir()}
	k.kubeconfig = filepath.Join(k.home, "kubeconfig")
	if err := harness.WriteKubeconfig(k.kubeconfig, b.config); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(k.binary); err != nil {
		t.Skipf("%v: run scripts/kube-binaries %s", err, program)
	}
	return k
}

func (k *kubectl) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.binary, append([]string{"--kubeconfig", k.kubeconfig, "--namespace", k.namespace}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+k.home, "KUBECACHEDIR="+filepath.Join(k.home, "cache"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// try runs kubectl with input on its standard input and returns what it wrote to standard output and to standard error.
func (k *kubectl) try(t testing.TB, input string, args ...string) (string, string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), kubectlTimeout)
	defer cancel()
	cmd := k.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	return stdout.String(), stderr.String(), err
}

// run is try for commands that have to succeed; it returns standard output.
func (k *kubectl) run(t testing.TB, args ...string) string {
	t.Helper()
	return k.feed(t, "", args...)
}

func (k *kubectl) feed(t testing.TB, input string, args ...string) string {
	t.Helper()
	stdout, stderr, err := k.try(t, input, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

// item names an object as kubectl's arguments do, with its group.
func (k *kubectl) item(name string) string { return k.b.widgetType() + "/" + name }

func (k *kubectl) manifest(name, color string, size int) string {
	return fmt.Sprintf("apiVersion: %s/v1\nkind: Widget\nmetadata:\n  name: %s\nspec:\n  color: %s\n  size: %d\n", k.b.Domain, name, color, size)
}

func wantMatch(t testing.TB, text, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(text) {
		t.Errorf("no match of %q in:\n%s", pattern, text)
	}
}

func TestKubectl(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"kubectl", "kubectl-old"} {
		t.Run(program, func(t *testing.T) {
			forEachAtOnce(t, everywhere, func(t *testing.T, b *backend) {
				k := newKubectl(t, b, program)
				for _, step := range kubectlSteps {
					t.Run(step.name, func(t *testing.T) { step.run(t, k) })
				}
			})
		})
	}
}

var kubectlSteps = []struct {
	name string
	run  func(*testing.T, *kubectl)
}{
	{"api-resources lists the types", kubectlAPIResources},
	{"create, get, delete", kubectlCreates},
	{"get prints the columns of the definition", kubectlPrintsColumns},
	{"get finds by label, by field, by short name and by category", kubectlFinds},
	{"apply creates, changes and removes", kubectlApplies},
	{"patch and edit change an object", kubectlChanges},
	{"namespaces and definitions are applied and patched", kubectlChangesBuiltins},
	{"label and annotate", kubectlLabels},
	{"describe shows all fields", kubectlDescribes},
	{"scale sets the replicas", kubectlScales},
	{"wait returns when a condition holds and when an object is gone", kubectlWaits},
	{"get -w prints changes as they happen", kubectlWatches},
	{"explain knows the schema", kubectlExplains},
	{"errors are those of the server", kubectlShowsErrors},
}

func kubectlAPIResources(t *testing.T, k *kubectl) {
	list := k.run(t, "api-resources", "--api-group="+k.b.Domain, "-o", "wide")
	wantMatch(t, list, `(?m)^widgets +`+shortName(k.b)+` +`+regexp.QuoteMeta(k.b.Domain)+`/v1 +true +Widget `)
	wantMatch(t, list, `(?m)^gadgets +`+regexp.QuoteMeta(k.b.Domain)+`/v1 +false +Gadget `)
	for _, verb := range []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"} {
		wantMatch(t, list, `(?m)^widgets .*\b`+verb+`\b`)
	}
}

func kubectlCreates(t *testing.T, k *kubectl) {
	created := k.feed(t, k.manifest("made", "red", 3), "create", "-f", "-")
	wantMatch(t, created, `^widget\.`+regexp.QuoteMeta(k.b.Domain)+`/made created`)
	wantMatch(t, k.run(t, "get", k.item("made"), "-o", "name"), `^widget\.`+regexp.QuoteMeta(k.b.Domain)+`/made\n$`)
	wantMatch(t, k.run(t, "get", k.item("made"), "-o", "yaml"), `(?m)^  size: 3$`)
	wantMatch(t, k.run(t, "get", k.item("made"), "-o", "jsonpath={.spec.color}"), `^red$`)
	wantMatch(t, k.run(t, "delete", k.item("made")), `made" deleted`)
	_, stderr, err := k.try(t, "", "get", k.item("made"))
	if err == nil {
		t.Error("the object is still there")
	}
	wantMatch(t, stderr, `Error from server \(NotFound\): widgets\.`+regexp.QuoteMeta(k.b.Domain)+` "made" not found`)
}

func kubectlPrintsColumns(t *testing.T, k *kubectl) {
	k.feed(t, k.manifest("columns", "green", 12)+"  message: hello\n", "create", "-f", "-")
	wantMatch(t, k.run(t, "get", k.b.widgetType()), `^NAME +COLOR +SIZE +PHASE +AGE *\ncolumns +green +12 +<?[a-z]*>? +\d+s`)
	wantMatch(t, k.run(t, "get", k.b.widgetType(), "-o", "wide"), `^NAME +COLOR +SIZE +PHASE +MESSAGE +AGE *\ncolumns +green +12 .* hello +\d+s`)
	wantMatch(t, k.run(t, "get", k.b.widgetType(), "--all-namespaces"), `(?m)^NAMESPACE +NAME +COLOR(.*\n)+.*`+k.namespace+` +columns `)
	k.run(t, "delete", k.item("columns"))
}

func kubectlFinds(t *testing.T, k *kubectl) {
	for _, name := range []string{"find-1", "find-2"} {
		k.feed(t, k.manifest(name, map[string]string{"find-1": "red", "find-2": "green"}[name], 5), "create", "-f", "-")
		k.run(t, "label", k.item(name), "which="+name)
	}
	name := regexp.QuoteMeta("widget." + k.b.Domain + "/")
	get := func(args ...string) string {
		t.Helper()
		return k.run(t, append([]string{"get", "-o", "name"}, args...)...)
	}
	wantMatch(t, get(k.b.widgetType(), "-l", "which=find-2"), `^`+name+`find-2\n$`)
	wantMatch(t, get(k.b.widgetType(), "--field-selector", "spec.color=red"), `^`+name+`find-1\n$`)
	wantMatch(t, get(k.b.widgetType(), "--field-selector", "spec.size=5,spec.color!=red"), `^`+name+`find-2\n$`)
	wantMatch(t, get(shortName(k.b)), `^`+name+`find-1\n`+name+`find-2\n$`)
	wantMatch(t, get(shortName(k.b)+"-all"), `^`+name+`find-1\n`+name+`find-2\n$`)
	k.run(t, "delete", k.b.widgetType(), "--all")
	wantMatch(t, get(k.b.widgetType()), `^$`)
}

func kubectlApplies(t *testing.T, k *kubectl) {
	wantMatch(t, k.feed(t, k.manifest("applied", "red", 1)+"  message: hello\n", "apply", "-f", "-"), `applied created`)
	wantMatch(t, k.feed(t, k.manifest("applied", "green", 1), "apply", "-f", "-"), `applied configured`)
	wantMatch(t, k.feed(t, k.manifest("applied", "green", 1), "apply", "-f", "-"), `applied unchanged`)
	object := must(k.b.widgets(k.namespace).Get(t.Context(), "applied", metav1.GetOptions{}))(t)
	checkField(t, object, "green", "spec", "color")
	checkField(t, object, nil, "spec", "message")
	wantMatch(t, k.feed(t, k.manifest("applied-ss", "green", 1), "apply", "--server-side", "-f", "-"), `applied-ss serverside-applied`)
	difference, stderr, _ := k.try(t, k.manifest("applied", "blue", 1), "diff", "-f", "-") // a difference is exit code 1
	wantMatch(t, difference+stderr, `(?m)^-  color: green\n\+  color: blue$`)
	k.run(t, "delete", k.b.widgetType(), "--all")
}

// For built-in types kubectl sends strategic merge patches.
func kubectlChangesBuiltins(t *testing.T, k *kubectl) {
	name := k.namespace + "-applied"
	manifest := func(tier string) string {
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + ", labels: {tier: " + tier + "}}\n"
	}
	wantMatch(t, k.feed(t, manifest("gold"), "apply", "-f", "-"), name+` created`)
	wantMatch(t, k.feed(t, manifest("silver"), "apply", "-f", "-"), name+` configured`)
	k.run(t, "patch", "namespace", name, "-p", `{"metadata":{"labels":{"patched":"yes"}}}`)
	wantMatch(t, k.run(t, "get", "namespace", name, "--show-labels"), `patched=yes,tier=silver`)

	if k.b.Name == harness.BackendAggregated {
		return // its definitions are files
	}
	definition := "widgets." + k.b.Domain
	k.run(t, "patch", "crd", definition, "-p", `{"metadata":{"labels":{"patched":"yes"}}}`)
	wantMatch(t, k.run(t, "get", "crd", definition, "--show-labels"), `patched=yes`)
	k.run(t, "label", "crd", definition, "patched-")
}

func kubectlChanges(t *testing.T, k *kubectl) {
	k.feed(t, k.manifest("changed", "red", 1), "create", "-f", "-")
	k.run(t, "patch", k.item("changed"), "--type=merge", "-p", `{"spec":{"size":2}}`)
	k.run(t, "patch", k.item("changed"), "--type=json", "-p", `[{"op":"replace","path":"/spec/color","value":"green"}]`)

	editor := filepath.Join(k.home, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nexec sed -i 's/color: green/color: blue/' \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := k.command(within(t, kubectlTimeout), "edit", k.item("changed"))
	cmd.Env = append(cmd.Env, "KUBE_EDITOR="+editor)
	if output, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(output), "changed edited") {
		t.Errorf("kubectl edit: %v\n%s", err, output)
	}
	k.feed(t, strings.Replace(k.run(t, "get", k.item("changed"), "-o", "yaml"), "size: 2", "size: 3", 1), "replace", "-f", "-")
	object := must(k.b.widgets(k.namespace).Get(t.Context(), "changed", metav1.GetOptions{}))(t)
	checkField(t, object, map[string]any{"color": "blue", "replicas": 1, "size": 3}, "spec")
	k.run(t, "delete", k.item("changed"))
}

func kubectlLabels(t *testing.T, k *kubectl) {
	k.feed(t, k.manifest("labelled", "red", 1), "create", "-f", "-")
	k.run(t, "label", k.item("labelled"), "tier=gold")
	k.run(t, "annotate", k.item("labelled"), "note=with spaces")
	wantMatch(t, k.run(t, "get", k.b.widgetType(), "-L", "tier"), `TIER *\nlabelled .* gold`)
	_, stderr, err := k.try(t, "", "label", k.item("labelled"), "tier=silver")
	if err == nil {
		t.Errorf("a label was replaced without --overwrite: %s", stderr)
	}
	k.run(t, "label", k.item("labelled"), "tier-")
	object := must(k.b.widgets(k.namespace).Get(t.Context(), "labelled", metav1.GetOptions{}))(t)
	if len(object.GetLabels()) != 0 || object.GetAnnotations()["note"] != "with spaces" {
		t.Errorf("labels %v, annotations %v", object.GetLabels(), object.GetAnnotations())
	}
	k.run(t, "delete", k.item("labelled"))
}

func kubectlDescribes(t *testing.T, k *kubectl) {
	k.feed(t, k.manifest("described", "red", 1), "create", "-f", "-")
	text := k.run(t, "describe", k.item("described"))
	wantMatch(t, text, `(?m)^Name: +described$`)
	wantMatch(t, text, `(?m)^Namespace: +`+k.namespace+`$`)
	wantMatch(t, text, `(?m)^Kind: +Widget$`)
	wantMatch(t, text, `(?m)^Spec:\n  Color: +red$`)
	k.run(t, "delete", k.item("described"))
}

func kubectlScales(t *testing.T, k *kubectl) {
	k.feed(t, k.manifest("scaled", "red", 1), "create", "-f", "-")
	wantMatch(t, k.run(t, "scale", k.item("scaled"), "--replicas=4", "--current-replicas=1"), `scaled scaled`)
	wantMatch(t, k.run(t, "get", k.item("scaled"), "-o", "jsonpath={.spec.replicas}"), `^4$`)
	if stdout, stderr, err := k.try(t, "", "scale", k.item("scaled"), "--replicas=5", "--current-replicas=1"); err == nil {
		t.Errorf("scaled in spite of --current-replicas: %s%s", stdout, stderr)
	}
	k.run(t, "delete", k.item("scaled"))
}

func kubectlWaits(t *testing.T, k *kubectl) {
	k.feed(t, k.manifest("awaited", "red", 1), "create", "-f", "-")
	widgets := k.b.widgets(k.namespace)
	k.waitDuring(t, "--for=condition=Ready", func() error {
		status := `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`
		_, err := widgets.Patch(t.Context(), "awaited", types.MergePatchType, []byte(status), metav1.PatchOptions{}, "status")
		return err
	})
	k.waitDuring(t, "--for=delete", func() error { return widgets.Delete(t.Context(), "awaited", metav1.DeleteOptions{}) })
}

// waitDuring runs kubectl wait and calls do once it watches, which its log of requests shows.
func (k *kubectl) waitDuring(t *testing.T, condition string, do func() error) {
	t.Helper()
	cmd := k.command(within(t, kubectlTimeout), "wait", k.item("awaited"), condition, "--timeout=40s", "-v=6")
	log := must(cmd.StderrPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	done := false
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		fmt.Fprintln(&text, scanner.Text())
		if !done && strings.Contains(scanner.Text(), "watch=true") {
			done = true
			if err := do(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil || !done {
		t.Errorf("kubectl wait %s: %v, did watch: %v\n%s", condition, err, done, text.String())
	}
}

func kubectlWatches(t *testing.T, k *kubectl) {
	k.feed(t, k.manifest("watched", "red", 1), "create", "-f", "-")
	cmd := k.command(within(t, kubectlTimeout), "get", k.b.widgetType(), "-w", "--output-watch-events")
	pipe := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(pipe); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	defer func() {
		_ = cmd.Process.Kill()
		for range lines {
		}
		_ = cmd.Wait()
	}()
	line := func(pattern string) {
		t.Helper()
		text, open := <-lines // ends at the latest when the command's context does
		if !open {
			t.Fatalf("the output ended before %q", pattern)
		}
		wantMatch(t, text, pattern)
	}
	line(`^EVENT +NAME +COLOR +SIZE`)
	line(`^ADDED +watched +red +1 `)
	k.run(t, "patch", k.item("watched"), "--type=merge", "-p", `{"spec":{"color":"green"}}`)
	line(`^MODIFIED +watched +green +1 `)
	k.run(t, "delete", k.item("watched"))
	line(`^DELETED +watched +green +1 `)
}

func kubectlExplains(t *testing.T, k *kubectl) {
	// The cluster's OpenAPI documents follow a definition with a delay.
	resource := "widgets"
	args := []string{"--api-version=" + k.b.Domain + "/v1"}
	harness.Eventually(t, 60*time.Second, func() error {
		stdout, stderr, err := k.try(t, "", append([]string{"explain", resource}, args...)...)
		if err != nil || !strings.Contains(stdout, "A Widget is what the tests") {
			return fmt.Errorf("%w: %s%s", err, stdout, stderr)
		}
		return nil
	})
	wantMatch(t, k.run(t, append([]string{"explain", resource + ".spec.color"}, args...)...), `Color of the widget\.`)
	tree := k.run(t, append([]string{"explain", resource, "--recursive"}, args...)...)
	wantMatch(t, tree, `(?s)spec\t<Object>.*size\t<integer>.*status\t<Object>.*conditions\t<\[\]Object>`)
}

func kubectlShowsErrors(t *testing.T, k *kubectl) {
	_, stderr, err := k.try(t, k.manifest("wrong", "pink", 0), "create", "-f", "-")
	if err == nil {
		t.Error("an invalid object was created")
	}
	wantMatch(t, stderr, `The Widget "wrong" is invalid:`)
	wantMatch(t, stderr, `\* spec\.color: Unsupported value: "pink": supported values: "red", "green", "blue"`)
	wantMatch(t, stderr, `\* spec\.size: Invalid value: 0: spec\.size in body should be greater than or equal to 1`)
	_, stderr, err = k.try(t, "", "get", k.b.widgetType(), "--field-selector", "spec.nothing=1")
	if err == nil {
		t.Error("a field that cannot be selected was accepted")
	}
	wantMatch(t, stderr, `field label not supported: spec\.nothing`)
}
