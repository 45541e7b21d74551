#include "annex/json/yaml.h"

#include "annex/base/thread.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::json {
namespace {

struct Row {
  std::string_view input;
  std::string_view expected;
};

// Go's text of the value, or of the error, and what a strict reader complains about.
std::string Read(std::string_view text) {
  YamlReport report;
  const auto value = ParseYaml(text, &report);
  if (!value) return value.error().message;
  std::string shown = ToJson(*value);
  if (!report.duplicate_keys.empty()) shown += "\nyaml: unmarshal errors:";
  for (const auto& duplicate : report.duplicate_keys) shown += "\n  " + duplicate.Message();
  return shown;
}

std::string Repeat(std::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

std::string ErrorOfDocuments(std::string_view text) {
  const auto documents = ParseYamlDocuments(text);
  return documents ? "" : documents.error().message;
}

}  // namespace

TEST_CASE("plain scalars and tags have the types that go-yaml gives them", "[json][yaml]") {
  const std::vector<Row> rows = {
      {"yes", "true"},
      {"Yes", "true"},
      {"YES", "true"},
      {"yEs", R"("yEs")"},
      {"y", "true"},
      {"Y", "true"},
      {"n", "false"},
      {"N", "false"},
      {"no", "false"},
      {"on", "true"},
      {"On", "true"},
      {"ON", "true"},
      {"off", "false"},
      {"OFF", "false"},
      {"true", "true"},
      {"True", "true"},
      {"TRUE", "true"},
      {"tRUE", R"("tRUE")"},
      {"false", "false"},
      {"null", "null"},
      {"Null", "null"},
      {"NULL", "null"},
      {"nULL", R"("nULL")"},
      {"~", "null"},
      {R"("")", R"("")"},
      {"''", R"("")"},
      {"", "null"},
      {"0", "0"},
      {"-0", "0"},
      {"+1", "1"},
      {"010", "8"},
      {"08", "8"},
      {"0o17", "15"},
      {"0O17", "15"},
      {"0x1F", "31"},
      {"-0x1f", "-31"},
      {"0b101", "5"},
      {"0b12", R"("0b12")"},
      {"1_000", "1000"},
      {"1__0", "10"},
      {"_1", R"("_1")"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775809", "9223372036854776000"},
      {"123456789012345678901234567890", "1.2345678901234568e+29"},
      {"1.0", "1"},
      {"1.5", "1.5"},
      {"1.", "1"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+.5", "0.5"},
      {"._5", R"("._5")"},
      {".5_0", "0.5"},
      {".5_", R"(".5_")"},
      {".", R"(".")"},
      {"1e3", "1000"},
      {"1e+3", "1000"},
      {"1E-2", "0.01"},
      {"1.5e300", "1.5e+300"},
      {"1e999", R"("1e999")"},
      {"1e-999", "0"},
      {"-1e999", R"("-1e999")"},
      {"1e20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"4.611686018427387904e18", "4611686018427388000"},
      {"12:30:45", R"("12:30:45")"},
      {"2001-01-01", R"("2001-01-01")"},
      {"2001-12-14t21:59:43.10-05:00", R"("2001-12-14t21:59:43.10-05:00")"},
      {"=", R"("=")"},
      {"<<", R"("\u003c\u003c")"},
      {"a", R"("a")"},
      {"- ", "[null]"},
      {"!!str 1", R"("1")"},
      {"!!str yes", R"("yes")"},
      {R"(!!int "1")", "1"},
      {"!!int 0x10", "16"},
      {"!!float 1", "1"},
      {"!!float 1.5", "1.5"},
      {"!!bool yes", "true"},
      {R"(!!null "")", "null"},
      {"!!binary aGVsbG8=", R"("hello")"},
      {"!!binary \"aGVs\\\n bG8=\"", R"("hello")"},
      {"!!binary /w==", "\"\xEF\xBF\xBD\""},
      {"!!timestamp 2001-01-01", R"("2001-01-01")"},
      {"! 1", R"("1")"},
      {"!custom 1", R"("1")"},
      {"!<tag:yaml.org,2002:int> 7", "7"},
      {"!!set a", R"("a")"},
      {"!!merge x", R"("x")"},
      {"%TAG !e! tag:yaml.org,2002:\n---\n!e!int \"7\"", "7"},
  };
  for (const auto& [input, expected] : rows) {
    CAPTURE(input);
    const auto value = ParseYaml(input);
    REQUIRE(value.has_value());
    CHECK(*value == Parse(expected).value());
    CHECK(value->type() == Parse(expected)->type());
  }
}

TEST_CASE("documents read as Kubernetes reads them", "[json][yaml]") {
  const std::vector<Row> rows = {
      {"a: 1\nb:\n  c: [x, {y: z}]\n  d:\n  - 1\n  -\n  - - 2\n",
       R"({"a":1,"b":{"c":["x",{"true":"z"}],"d":[1,null,[2]]}})"},
      {"a: |\n  one\n   two\n\n  three\n\nb: >\n  one\n  two\n\n  three\n    four\n  five\n",
       R"({"a":"one\n two\n\nthree\n","b":"one two\nthree\n  four\nfive\n"})"},
      {"- |-\n  strip\n\n- |+\n  keep\n\n- >-\n  fold\n  ed\n- |2\n    indented\n",
       R"(["strip","keep\n\n","fold ed","  indented\n"])"},
      {"a: plain text\n  over lines\n\n  and more # comment\nb: \"quoted\n  over\\\n  "
       "lines\\n\\x41\\u00e9\\U0001F600\"\n",
       "{\"a\":\"plain text over lines\\nand more\",\"b\":\"quoted overlines\\nA\xC3\xA9\xF0\x9F\x98\x80\"}"},
      {"a: 'it''s\n  two\n\n  lines'\n", R"({"a":"it's two\nlines"})"},
      {"\"a\": 'b'\n? c\n: d\n? e\n", R"({"a":"b","c":"d","e":null})"},
      {R"({a: [1, b, "c"], d: {e}, f: , "g":h, i: [j: k, l]})",
       R"({"a":[1,"b","c"],"d":{"e":null},"f":null,"g":"h","i":[{"j":"k"},"l"]})"},
      {"# comment\r\na: 1\r\nb:\r\n- c\r\n", R"({"a":1,"b":["c"]})"},
      {"1: int\n0x10: hex\n1.5: float\n1e10: big\n.inf: inf\ntrue: bool\nno: bool\n2001-01-01: date\n",
       R"({".inf":"inf","1":"int","1.5":"float","16":"hex","1e+10":"big","2001-01-01":"date","false":"bool","true":"bool"})"},
      {"a: &x {b: 1, c: 2}\nd: *x\ne:\n  <<: *x\n  c: 3\nf:\n  c: 3\n  <<: *x\ng:\n  <<: [{b: 7}, *x]\nh:\n  "
       "\"<<\": 1\n",
       "{\"a\":{\"b\":1,\"c\":2},\"d\":{\"b\":1,\"c\":2},\"e\":{\"b\":1,\"c\":3},\"f\":{\"b\":1,\"c\":2},"
       "\"g\":{\"b\":7,\"c\":2},\"h\":{\"\\u003c\\u003c\":1}}\nyaml: unmarshal errors:\n  line 5: key \"c\" "
       "already set in map\n  line 1: key \"c\" already set in map\n  line 10: key \"b\" already set in map"},
      {"a: &a [1]\nb: &a [2]\nc: *a\n", R"({"a":[1],"b":[2],"c":[2]})"},
      {"%YAML 1.1\n--- # first\na: 1\n...\n---\nb: 2\n", R"({"a":1})"},
      {"a: 1\n---\nb: 2\n", R"({"a":1})"},
      {"---\n---\na: 1", "null"},
      {"# nothing", "null"},
      {"{\"apiVersion\":\"v1\",\"a\":[1,true,null,\"x\\u00e9\\n\"],\n\t\"b\":{}}",
       "{\"a\":[1,true,null,\"x\xC3\xA9\\n\"],\"apiVersion\":\"v1\",\"b\":{}}"},
      {R"("a" trailing)", R"("a")"},
      {"{a: 1} }", R"({"a":1})"},
      {"a:b: c", R"({"a:b":"c"})"},
      {"http://x: y", R"({"http://x":true})"},
      {"- -1\n- - 1\n- -\n", "[-1,[1],[null]]"},
      {"key:    spaced   text   \n", R"({"key":"spaced   text"})"},
      {"a:\n  - b\nc:\n- d\n", R"({"a":["b"],"c":["d"]})"},
      {"a: !!map\n  b: !!seq\n  - c\n", R"({"a":{"b":["c"]}})"},
      {"a: [\n1,\n2\n]\nb: {\n}\n", R"({"a":[1,2],"b":{}})"},
      {"- !!str\n- &a\n- *a\n", R"(["",null,null])"},
      {"a\xC2\x85"
       "b",
       R"("a b")"},
      {"\"a\xE2\x80\xA8 b\"", R"("a\u2028b")"},
      {"\xEF\xBB\xBF"
       "a: 1",
       R"({"a":1})"},
      {"a: \"\xEF\xBB\xBF\"", "{\"a\":\"\xEF\xBB\xBF\"}"},
  };
  for (const auto& [input, expected] : rows) {
    CAPTURE(input);
    CHECK(Read(input) == expected);
  }
}

TEST_CASE("errors have go-yaml's words and lines", "[json][yaml]") {
  const std::vector<Row> rows = {
      {"a: b: c", "yaml: mapping values are not allowed in this context"},
      {"x: 1\na: b: c", "yaml: line 2: mapping values are not allowed in this context"},
      {"a:\n  b\n c: d", "yaml: line 3: mapping values are not allowed in this context"},
      {"a: 1\n\tb: 2", "yaml: line 2: found a tab character that violates indentation"},
      {"\ta: 1", "yaml: found character that cannot start any token"},
      {"a:\n\t- b", "yaml: line 2: found character that cannot start any token"},
      {R"(a: "x)", "yaml: found unexpected end of stream"},
      {"x: 1\na: \"x\n", "yaml: line 3: found unexpected end of stream"},
      {"a: 'x\n---\n", "yaml: line 2: found unexpected document indicator"},
      {"a: [1, 2", "yaml: line 1: did not find expected ',' or ']'"},
      {"a: {b: 1", "yaml: line 1: did not find expected ',' or '}'"},
      {"a: ]", "yaml: did not find expected node content"},
      {"a: [1}", "yaml: did not find expected ',' or ']'"},
      {"a: @x", "yaml: found character that cannot start any token"},
      {"x: 1\na: `x`", "yaml: line 2: found character that cannot start any token"},
      {"a: %x", "yaml: found character that cannot start any token"},
      {R"(a: "\q")", "yaml: found unknown escape character"},
      {R"(a: "\/")", "yaml: found unknown escape character"},
      {R"({"a":"\ud83d\ude00"})", "yaml: found invalid Unicode character escape code"},
      {R"(a: "\x4")", "yaml: did not find expected hexdecimal number"},
      {"*x", "yaml: unknown anchor 'x' referenced"},
      {"a: *x\nb: &x 1", "yaml: unknown anchor 'x' referenced"},
      {"- &", "yaml: did not find expected alphabetic or numeric character"},
      {"a: !<x", "yaml: did not find the expected '>'"},
      {"a: !e!x 1", "yaml: found undefined tag handle"},
      {"%YAML 1.2\n---\na: 1", "yaml: found incompatible YAML document"},
      {"%YAML 1.1\n%YAML 1.1\n---\na: 1", "yaml: line 1: found duplicate %YAML directive"},
      {"%FOO\n---\na: 1", "yaml: found unknown directive name"},
      {"%YAML 1.1\na: 1", "yaml: line 1: did not find expected <document start>"},
      {"a: |x\n  b", "yaml: did not find expected comment or line break"},
      {"a: |0\n  b", "yaml: found an indentation indicator equal to 0"},
      {"a: |\n\tb\n", "yaml: line 2: found a tab character where an indentation space is expected"},
      {"- a\nb: 1", "yaml: line 1: did not find expected '-' indicator"},
      {"a: 1\n- b", "yaml: line 1: did not find expected key"},
      {"a: - b", "yaml: block sequence entries are not allowed in this context"},
      {"a: ? b", "yaml: mapping keys are not allowed in this context"},
      {"a\nb: 1", "yaml: line 2: mapping values are not allowed in this context"},
      {"a: 1\nb", "yaml: line 3: could not find expected ':'"},
      {"[a, b]: {c", "yaml: line 1: did not find expected ',' or '}'"},
      {"? [a]\n: b", R"(yaml: invalid map key: []interface {}{"a"})"},
      {"{a: {b: c}: d}", "yaml: did not find expected ',' or '}'"},
      {"a: {{ .Values.x }}",
       R"(yaml: invalid map key: map[interface {}]interface {}{".Values.x":interface {}(nil)})"},
      {"a:\n  {{ 1 }}: b", "yaml: invalid map key: map[interface {}]interface {}{1:interface {}(nil)}"},
      {"~: a", R"(unsupported map key of type: %!s(<nil>), key: <nil>, value: "a")"},
      {"? a: ~\n: b", R"(yaml: invalid map key: map[interface {}]interface {}{"a":interface {}(nil)})"},
      {"18446744073709551615: a",
       R"(unsupported map key of type: uint64, key: 0xffffffffffffffff, value: "a")"},
      {"<<: 1", "yaml: map merge requires map or sequence of maps as the value"},
      {"<<: [1]", "yaml: map merge requires map or sequence of maps as the value"},
      {"a: &a [*a]", "yaml: anchor 'a' value contains itself"},
      {"a: &a\n  b:\n    <<: *a\n", "yaml: anchor 'a' value contains itself"},
      {"!!int a", "yaml: cannot decode !!str `a` as a !!int"},
      {"!!int 1.5", "yaml: cannot decode !!float `1.5` as a !!int"},
      {"!!bool 1", "yaml: cannot decode !!int `1` as a !!bool"},
      {"!!float x", "yaml: cannot decode !!str `x` as a !!float"},
      {"!!null 1", "yaml: cannot decode !!int `1` as a !!null"},
      {"!!timestamp x", "yaml: cannot decode !!str `x` as a !!timestamp"},
      {R"(!!binary "?")", "yaml: !!binary value contains invalid base64 data"},
      {"!!int yes", "yaml: cannot decode !!bool `yes` as a !!int"},
      {"a: .inf", "json: unsupported value: +Inf"},
      {"a: [-.Inf, .nan]", "json: unsupported value: -Inf"},
      {"a: .nan\nb: !!int x", "yaml: cannot decode !!str `x` as a !!int"},
      {"[,]", "yaml: did not find expected node content"},
      {"{,}", "yaml: did not find expected node content"},
      {"[a b c", "yaml: line 1: did not find expected ',' or ']'"},
      {"[? : x]", "yaml: did not find expected ',' or ']'"},
      {R"({"a" b})", "yaml: did not find expected ',' or '}'"},
      {"-- -\n a: b: c", "yaml: line 2: mapping values are not allowed in this context"},
      {"...", "yaml: did not find expected node content"},
      {"a: 1\n  x: y: z", "yaml: line 2: mapping values are not allowed in this context"},
  };
  for (const auto& [input, expected] : rows) {
    CAPTURE(input);
    CHECK(Read(input) == expected);
  }
}

TEST_CASE("unreadable input is told from bad syntax as go-yaml does, piece by piece", "[json][yaml]") {
  using namespace std::string_view_literals;
  const std::vector<Row> rows = {
      {"a: \xFF"sv, "yaml: invalid leading UTF-8 octet"},
      {"a: \xC3"sv, "yaml: incomplete UTF-8 octet sequence"},
      {"a: \xC3("sv, "yaml: invalid trailing UTF-8 octet"},
      {"a: \xC0\x80"sv, "yaml: invalid length of a UTF-8 sequence"},
      {"a: \xED\xA0\x80"sv, "yaml: invalid Unicode character"},
      {"a: \xF8\x88\x80\x80\x80"sv, "yaml: invalid leading UTF-8 octet"},
      {"a: \x00"sv, "yaml: control characters are not allowed"},
      {"a: \x7F"sv, "yaml: control characters are not allowed"},
      {"a: \xC2\x80"sv, "yaml: control characters are not allowed"},
      {"\xFF\xFE"
       "a"sv,
       "yaml: incomplete UTF-16 character"},
      {"\xFF\xFE\x00\xDC"sv, "yaml: unexpected low surrogate area"},
      {"\xFF\xFE\x00\xD8"sv, "yaml: incomplete UTF-16 surrogate pair"},
      {"\xFF\xFE\x00\xD8"
       "a\x00"sv,
       "yaml: expected low surrogate area"},
      {"a: b: c\n########################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################################\n\x01"sv,
       "yaml: mapping values are not allowed in this context"},
      {"a: b: c\x01"sv, "yaml: control characters are not allowed"},
  };
  for (const auto& [input, expected] : rows) {
    CAPTURE(input);
    CHECK(Read(input) == expected);
  }
}

TEST_CASE("UTF-16 with a byte order mark reads as UTF-8 does", "[json][yaml]") {
  using namespace std::string_view_literals;
  CHECK(Read("\xFF\xFE\x61\x00\x3A\x00\x20\x00\x3D\xD8\x00\xDE"sv) == "{\"a\":\"😀\"}");
  CHECK(Read("\xFE\xFF\x00\x61\x00\x3A\x00\x20\x00\xE9"sv) == "{\"a\":\"é\"}");
}

TEST_CASE("a strict reader learns of equal keys with the line of their values", "[json][yaml]") {
  const std::vector<Row> rows = {
      {"a: 1\na: 2\n", "{\"a\":2}\nyaml: unmarshal errors:\n  line 2: key \"a\" already set in map"},
      {"a: 1\nb: 2\nc:\n  x: 1\n  x:\n    y\na: 3\n",
       "{\"a\":3,\"b\":2,\"c\":{\"x\":true}}\nyaml: unmarshal errors:\n  line 6: key \"x\" already set in "
       "map\n  line 7: key \"a\" already set in map"},
      {"1: a\n0x1: b\n\"1\": c\n",
       "{\"1\":\"c\"}\nyaml: unmarshal errors:\n  line 2: key 1 already set in map"},
      {"true: a\nyes: b\n",
       "{\"true\":\"b\"}\nyaml: unmarshal errors:\n  line 2: key true already set in map"},
      {R"({a: 1, "a": {b: 1, b: 2}})",
       "{\"a\":{\"b\":2}}\nyaml: unmarshal errors:\n  line 1: key \"b\" already set in map\n  line 1: key "
       "\"a\" already set in map"},
      {"a: &x {k: 1}\nb:\n  <<: *x\n  k: 2\n",
       "{\"a\":{\"k\":1},\"b\":{\"k\":2}}\nyaml: unmarshal errors:\n  line 4: key \"k\" already set in map"},
      {".5: a\n0.5: b\n", "{\"0.5\":\"b\"}\nyaml: unmarshal errors:\n  line 2: key 0.5 already set in map"},
      {"a: ~\na: ~\na: ~\n",
       "{\"a\":null}\nyaml: unmarshal errors:\n  line 2: key \"a\" already set in map\n  line 3: key \"a\" "
       "already set in map"},
  };
  for (const auto& [input, expected] : rows) {
    CAPTURE(input);
    CHECK(Read(input) == expected);
  }
  YamlReport report;
  CHECK(ParseYaml(Repeat("a: 1\n", 1000), &report).has_value());
  CHECK(report.duplicate_keys.size() == 100);
}

TEST_CASE("nesting is limited to what Go allows, without recursion", "[json][yaml]") {
  base::Thread("deep", [] {
    CHECK(ParseYaml(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')).has_value());
    CHECK(ParseYaml(Repeat("- ", static_cast<int>(kMaxDepth)) + "a").has_value());
    CHECK(Read(std::string(kMaxDepth + 1, '[')) == "yaml: exceeded max depth of 10000");
    CHECK(Read(std::string(100'000, '{')) == "yaml: exceeded max depth of 10000");
    CHECK(Read(Repeat("- ", 100'000)) == "yaml: exceeded max depth of 10000");
    CHECK(Read(Repeat("? ", 100'000)) == "yaml: exceeded max depth of 10000");
    // Neither kind of nesting is too deep by itself.
    CHECK(Read(Repeat("- ", 5001) + std::string(5000, '[') + std::string(5000, ']')) == "exceeded max depth");
  });
}

TEST_CASE("aliases cannot make a document explode", "[json][yaml]") {
  std::string nodes = "a0: &a0 [" + Repeat("x,", 10) + "]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string name = "a" + std::to_string(i);
    nodes += name + ": &" + name + " [" + Repeat("*a" + std::to_string(i - 1) + ",", 10) + "]\n";
  }
  CHECK(Read(nodes) == "yaml: document contains excessive aliasing");
  const std::string text = "a: &a " + std::string(100'000, 'x') + "\nb: [" + Repeat("*a,", 1000) + "]\n";
  CHECK(Read(text) == "yaml: document contains excessive aliasing");
  const std::string fine = "a: &a " + std::string(1000, 'x') + "\nb: [" + Repeat("*a,", 1000) + "]\n";
  CHECK(ParseYaml(fine).has_value());
}

TEST_CASE("a file's documents come with their lines, empty ones left out", "[json][yaml]") {
  const auto good = ParseYamlDocuments(
      "# leading comment\n%YAML 1.1\n---\n\na: 1\n---\n# only a comment\n---\n- &x [yes, 010, !!str 1]\n- "
      "*x\n...\n---\n"
      "b: {<<: {c: 1}, d: ~}\n");
  REQUIRE(good.has_value());
  REQUIRE(good->size() == 3);
  CHECK(ToJson(good->at(0).value) == R"({"a":1})");
  CHECK(good->at(0).line == 5);
  CHECK(ToJson(good->at(1).value) == R"([[true,8,"1"],[true,8,"1"]])");
  CHECK(good->at(1).line == 9);
  CHECK(ToJson(good->at(2).value) == R"({"b":{"c":1,"d":null}})");
  CHECK(good->at(2).line == 13);
  CHECK(ParseYamlDocuments("")->empty());
  CHECK(ParseYamlDocuments("---\n---\n# nothing\n")->empty());
}

TEST_CASE("errors in files name the line", "[json][yaml]") {
  CHECK(ErrorOfDocuments("a: 1\n---\nb: 1\nc:\n  d: 1\n  d: 2\n") ==
        "yaml: line 6: key \"d\" already set in map");
  CHECK(ErrorOfDocuments("a: 1\nb: [\n") == "yaml: line 3: end of sequence flow not found");
  CHECK(ErrorOfDocuments("a: 1\nb: *x\n") == "yaml: line 2: the referenced anchor is not defined");
  CHECK(ErrorOfDocuments("a: 1\n]\n").starts_with("yaml: line 2: "));
  CHECK(ErrorOfDocuments("\"a\"\n\"b\"\n") == "yaml: line 2: did not find expected <document start>");
  CHECK(ErrorOfDocuments("a: \xff") == "yaml: invalid leading UTF-8 octet");
  CHECK(ErrorOfDocuments(std::string(100'000, '[')) == "yaml: line 1: exceeded max depth of 500");
}

}  // namespace annex::json
