//go:build ignore

// Makes the tables in this folder with Kubernetes' own code:
//
//	cd test/cluster && go run ../unit/testdata/generate.go ../unit/testdata
//
// A line is a case: an input and what upstream makes of it, separated by tabs. Bytes that would be hard to see are \xHH.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"
)

var random = rand.New(rand.NewSource(1))

func escape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		visible := r >= 0x20 && r != 0x7f && r != '\\' && !(r >= 0x80 && !strconv.IsPrint(r)) && !(r == utf8.RuneError && size == 1)
		for _, b := range []byte(text[i : i+size]) {
			if visible {
				out.WriteByte(b)
			} else {
				fmt.Fprintf(&out, "\\x%02x", b)
			}
		}
		i += size
	}
	return out.String()
}

type table struct {
	lines []string
	seen  map[string]bool
}

func (t *table) add(columns ...string) {
	for i := range columns {
		columns[i] = escape(columns[i])
	}
	line := strings.Join(columns, "\t")
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	if !t.seen[line] {
		t.seen[line] = true
		t.lines = append(t.lines, line)
	}
}

func (t *table) write(folder, name string) {
	if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(t.lines, "\n")+"\n"), 0o644); err != nil {
		panic(err)
	}
}

// Up to `most` of `parts`, one after another.
func anyOf(parts []string, most int) string {
	var text strings.Builder
	for n := random.Intn(most) + 1; n > 0; n-- {
		text.WriteString(parts[random.Intn(len(parts))])
	}
	return text.String()
}

// "app in (a|b)": what a requirement means, however it was written.
func meaning(requirement labels.Requirement) string {
	values := requirement.Values().List()
	operators := map[selection.Operator]string{
		selection.In: "in", selection.Equals: "in", selection.DoubleEquals: "in", selection.NotIn: "notin",
		selection.NotEquals: "notin", selection.Exists: "exists", selection.DoesNotExist: "!",
		selection.GreaterThan: "gt", selection.LessThan: "lt",
	}
	return requirement.Key() + " " + operators[requirement.Operator()] + " (" + strings.Join(values, "|") + ")"
}

func labelSelectors() *table {
	inputs := []string{
		"", " ", ",", "a", "a,", ",a", "a,b", "a,,b", "a b", "!a", "! a", "!!a", "!", "!a=b", "!a in (b)", "a!", "a=", "a==", "a!=",
		"a=b", "a==b", "a!=b", "a = b", "a=b,c=d", "a=b,c!=d,e", "a===b", "a=!b", "a=b=c", "a=(b)", "a=,b", "=", "==", "=b", "!=b",
		"a in (b)", "a in (b,c)", "a in (c,b,c)", "a in ()", "a in (,)", "a in (,,)", "a in (b,)", "a in (,b)", "a in (b,,c)",
		"a in ( b , c )", "a in", "a in (", "a in (b", "a in (b,", "a in b", "a in (b c)", "a in (b))", "a in (!b)", "a in (in)",
		"a in (=)", "a in ((b))", "a notin (b)", "a notin (b,c)", "a notin ()", "a notin", "a notin b", "in", "notin", "in in (in)",
		"notin notin (notin)", "in=notin", "in,notin", "!in", "a=in", "a>1", "a<1", "a>-1", "a>+1", "a>b", "a>", "a<", "a>1,b<2",
		"a>=1", "a>01", "a>9223372036854775807", "a>9223372036854775808", "a>1.5", "a>_", "a<''", "a > 1", "1>2", "a>1_0",
		"x/y=z", "example.com/app=web", "example.com/app", "!example.com/app", "Example.com/app", "/app", "app/", "a/b/c", "-a", "a-",
		"a.b", "a_b", ".a", "a.", "A", "a=A", "a=-b", "a=b-", "a=b.c", "a=b_c", "a=b/c", "a=b:c", "a='b'", "a=\"b\"", "a=é", "é=a",
		"a\tb", "a\t=\tb", "a\n=\rb", "a\vb", "a=b\x00,c=d", "\x00", "a\x00b", "a=\x00", "a in (b\x00)", "a=b c", "a in (b) c",
		"a in (b),c", "a in (b),", "a in (b),,c", "a,!b,c=d,e!=f,g in (h),i notin (j),k>1,l<2", "()", "(a)", ")", "(", "a)", "a(",
		"a>b>c", "a<b", "a in (-)", "a in (a,-,b-)", "a in (" + strings.Repeat("x", 64) + ")", "a>x" + strings.Repeat("1", 64),
		strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 64) + "=b", "a=" + strings.Repeat("b", 63),
		"a=" + strings.Repeat("b", 64), strings.Repeat("a", 253) + "/b", strings.Repeat("a", 254) + "/b", "a..b/c", "a\xffb", "a=\xff",
		"a=%20", "a*=b", "a~b", "a|b", "a&b", "{a}", "[a]", "#", "a=#b", "a;b", "a$b=c", "a@b", "a+b", "a=1+2", "name", "name=", "==,",
	}
	parts := []string{
		"a", "b", "app", "in", "notin", "x.y/z", "1", "-1", "=", "==", "!=", "!", "(", ")", ",", ">", "<", " ", " in (", " notin (",
		",", "=", "in", "-", "é", "\x00", "\t", "_",
	}
	for range 500 {
		inputs = append(inputs, anyOf(parts, 8))
	}
	var out table
	for _, input := range inputs {
		selector, err := labels.Parse(input)
		if err != nil {
			out.add(input, "error", err.Error())
			continue
		}
		requirements, _ := selector.Requirements()
		var meanings []string
		for _, requirement := range requirements {
			meanings = append(meanings, meaning(requirement))
		}
		slices.Sort(meanings)
		out.add(input, "ok", strings.Join(meanings, "; "))
	}
	return &out
}

func labelMatches() *table {
	var out table
	operators := []string{"=", "!=", ">", "<", " in ", " notin ", "", "!"}
	values := []string{"1", "2", "10", "x", "", "03", "-4", "9223372036854775807"}
	for range 600 {
		var parts []string
		for n := random.Intn(3) + 1; n > 0; n-- {
			key := string(rune('a' + random.Intn(3)))
			value := values[random.Intn(len(values))]
			switch operator := operators[random.Intn(len(operators))]; operator {
			case "":
				parts = append(parts, key)
			case "!":
				parts = append(parts, "!"+key)
			case " in ", " notin ":
				parts = append(parts, key+operator+"("+value+","+values[random.Intn(len(values))]+")")
			default:
				parts = append(parts, key+operator+value)
			}
		}
		selector, err := labels.Parse(strings.Join(parts, ","))
		if err != nil {
			continue
		}
		set := labels.Set{}
		for _, key := range []string{"a", "b", "c"} {
			if random.Intn(3) > 0 {
				set[key] = values[random.Intn(len(values))]
			}
		}
		out.add(strings.Join(parts, ","), set.String(), strconv.FormatBool(selector.Matches(set)))
	}
	return &out
}

func fieldSelectors() *table {
	inputs := []string{
		"", " ", ",", "a", "a=b", "a==b", "a!=b", "a=", "a==", "a!=", "=b", "=", "==", "!=", "!", "!a", "a=b,c=d", "c=d,a=b", "b=1,a!=2",
		"a=b,", ",a=b", "a=b,,c=d", "a = b", " a=b", "a=b ", "metadata.name=x", "metadata.namespace!=x", ".spec.color=red", "a=b=c",
		"a=b\\=c", "a=b\\,c", "a=b\\\\c", "a=\\", "a=b\\", "a=\\x", "a=\\é", "a=\\\xff", "a=\xff", "a=b\xff\\,", "\\a=b", "a\\=b", "a\\,b=c",
		"a\\,b", "a,b", "a=b,c", "c,a=b", "a===b", "a=!b", "a=!=b", "a!==b", "a!b", "a>1", "a<1", "a in (b)", "a=é", "é=a", "a=\x00",
		"a\tb=c", "a=\n", "a=b,a=c", "a=b,a=b", "a!=b,a=b", "a=b,a==b", "x=\\,\\=\\\\", "spec.nodeName=a,status.phase!=Running",
	}
	parts := []string{"a", "b", ".spec", "=", "==", "!=", ",", "\\", "\\,", "\\=", "\\\\", " ", "!", "é", "1", "=", ",", "\xff"}
	for range 300 {
		inputs = append(inputs, anyOf(parts, 7))
	}
	var out table
	for _, input := range inputs {
		selector, err := fields.ParseSelector(input)
		if err != nil {
			out.add(input, "error", err.Error())
			continue
		}
		var meanings []string
		for _, requirement := range selector.Requirements() {
			operator := "="
			if requirement.Operator == selection.NotEquals {
				operator = "!="
			}
			meanings = append(meanings, requirement.Field+operator+requirement.Value)
		}
		out.add(input, "ok", strings.Join(meanings, "; "))
	}
	return &out
}

func names() *table {
	inputs := []string{
		"", "a", "A", "1", "-", ".", "..", "...", "_", "/", "%", "a/b", "a/b/c", "/a", "a/", "//", "a%b", "%2f", "a.b", "a..b", ".a", "a.", "a-b",
		"a--b", "-a", "a-", "a_b", "_a", "a_", "a.b-c", "a.-b", "a-.b", "1a", "a1", "1.2", "a b", " a", "a ", "a\n", "\na", "a\nb", "a\x00", "é",
		"aé", "\xff", "a\xff", "example.com/Name", "Example.com/name", "example.com/", "example.com/-a", "ex_ample.com/a", "a/..", "./a", "a:b",
		"a@b", "a+b", "a*", "café", "mixedCase", "a.b.c.d", "a,b", "a=b", "0", "00", "x" + strings.Repeat("-", 61) + "x", "a/A.b_C-d",
	}
	for _, length := range []int{62, 63, 64, 252, 253, 254, 300} {
		inputs = append(inputs, strings.Repeat("a", length), strings.Repeat("a", length)+"/b", "b/"+strings.Repeat("a", length),
			strings.Repeat("A", length), strings.Repeat("a.", length/2)+"a", strings.Repeat("1", length), strings.Repeat("é", length/2))
	}
	parts := []string{"a", "B", "1", "-", ".", "_", "/", "%", " ", "é", "z9", "\n"}
	for range 90 {
		inputs = append(inputs, anyOf(parts, 6))
	}
	rules := []struct {
		name  string
		check func(string) []string
	}{
		{"subdomain", validation.IsDNS1123Subdomain},
		{"label", validation.IsDNS1123Label},
		{"label1035", validation.IsDNS1035Label},
		{"qualified", validation.IsQualifiedName},
		{"value", validation.IsValidLabelValue},
		{"segment", path.IsValidPathSegmentName},
	}
	var out table
	for _, input := range inputs {
		for _, rule := range rules {
			out.add(rule.name, input, strings.Join(rule.check(input), " & "))
		}
	}
	return &out
}

func quotes() *table {
	var out table
	add := func(text string) { out.add(text, strconv.Quote(text)) }
	for r := rune(0); r < 0x3100; r++ {
		if r < 0x180 || random.Intn(12) == 0 || strconv.IsPrint(r) != strconv.IsPrint(r-1) {
			add("x" + string(r) + "y")
		}
	}
	for _, r := range []rune{
		0xd7ff, 0xe000, 0xf8ff, 0xfdd0, 0xfe0f, 0xfeff, 0xfffc, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x1f600, 0x1f9ff, 0x1fbff, 0x20000,
		0x2a6df, 0x2a6e0, 0x323af, 0x323b0, 0xe0001, 0xe0100, 0xe01ef, 0xf0000, 0x10ffff,
	} {
		add(string(r))
	}
	for _, text := range []string{"", "\xff", "a\x80b", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xe2\x82x", "\"\\'`\a\b\f\n\r\t\v"} {
		add(text)
	}
	return &out
}

func main() {
	folder := os.Args[1]
	labelSelectors().write(folder, "label_selectors.tsv")
	labelMatches().write(folder, "label_matches.tsv")
	fieldSelectors().write(folder, "field_selectors.tsv")
	names().write(folder, "names.tsv")
	quotes().write(folder, "quotes.tsv")
}
