#include "annex/json/jsonpath.h"

#include "annex/base/thread.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::json {
namespace {

constexpr std::string_view kDocument =
    R"({"a":{"b":[{"n":"x","v":1,"ok":true},{"n":"y","v":2.5},{"n":"z","v":null,"w":[1,2]}],"c":"text","d.e":{"f/g":1},"n":null},"items":[0,1,2,3,4],"s":{"k1":"v1","k2":"v2"}})";

struct Row {
  std::string_view path;
  std::string_view expected;
};

std::string Repeat(std::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

// What a path leads to, each value on its line; or an error.
std::string Found(std::string_view path, const Value& document) {
  const auto compiled = JsonPath::Compile(path);
  if (!compiled) return "cannot compile: " + compiled.error().message;
  const auto values = compiled->Find(document);
  if (!values) return values.error().message;
  std::string text;
  for (const Value* value : *values) text += (value == values->front() ? "" : "\n") + PrintResult(*value);
  return text;
}

std::string CompileError(std::string_view path) {
  const auto compiled = JsonPath::Compile(path);
  return compiled ? "" : compiled.error().message;
}

}  // namespace

TEST_CASE("paths lead where client-go's lead", "[json][jsonpath]") {
  const Value document = Parse(kDocument).value();
  const std::vector<Row> rows = {
      {".a.c", "text"},
      {".a.b[0].n", "x"},
      {".a.b[-1].n", "z"},
      {".a.b[*].n", "x\ny\nz"},
      {".a.b[].n", "x"},
      {".a.missing.x", ""},
      {".a.n.x", ""},
      {R"(.a.d\.e.f/g)", "1"},
      {"['a'].c", "text"},
      {R"(.a['d\.e']['f/g'])", "1"},
      {".items[1:3]", "1\n2"},
      {".items[:2]", "0\n1"},
      {".items[3:]", "3\n4"},
      {".items[::2]", "0\n2\n4"},
      {".items[-2:]", "3\n4"},
      {".items[:-3]", "0\n1"},
      {".items[2:2]", ""},
      {".items[0,2,4]", "0\n2\n4"},
      {".s['k2','k1']", "v2\nv1"},
      {".s[ 'k1' , 'k2' ]", "v1\nv2"},
      {".s.*", "v1\nv2"},
      {".s['k1'].*", "118\n49"},
      {"..n", "<no value>\nx\ny\nz"},
      {"..b[0].v", "1"},
      {"...b[0].n", "x"},
      {"$.a.c", "text"},
      {"@.a.c", "text"},
      {R"(.a.b[?(@.n=="y")].v)", "2.5"},
      {".a.b[?(@.n=='y')].v", "2.5"},
      {".a.b[?(@.ok)].n", "x"},
      {".a.b[?(@.ok==true)].n", "x"},
      {".a.b[?(@.w[0]==1)].n", "z"},
      {R"(.a.b[?(@.n>="y")].n)", "y\nz"},
      {".items[?(@>=3)]", "3\n4"},
      {".items[?(@<1)]", "0"},
      {".items[?(@>1)]", "2\n3\n4"},
      {".items[?(@<=1)]", "0\n1"},
      {".items[?(@!=1)]", "0\n2\n3\n4"},
      {".a.b[?(@.n==@.n)].n", "x\ny\nz"},
      {".a.b[?(@.w[9])].n", "z"},
      {R"(.a.b[?(@.n=="a)b")].n)", ""},
      {R"("lit")", "lit"},
      {R"('it\'s')", "it's"},
      {"5", "5"},
      {"-1.5", "-1.5"},
      {"true", "true"},
      {".", ""},
      {".a.c}text{.items", "text"},
      {".a.b[0]", R"({"n":"x","ok":true,"v":1})"},
      {".a.b[0].v", "1"},
      {" .a.c ", "text"},
      {".a.n", "<no value>"},
      {"range .items[*]}{@}{end", "0"},
  };
  for (const auto& [path, expected] : rows) {
    CAPTURE(path);
    CHECK(Found(path, document) == expected);
  }
  CHECK(Found("", document) == ToJson(document));
  CHECK(Found("}{.a.c", document) == ToJson(document));
}

TEST_CASE("paths that cannot be compiled have client-go's words", "[json][jsonpath]") {
  const std::vector<Row> rows = {
      {".a[", "unterminated array"},
      {".a[x]", "invalid array index x"},
      {".a[?(@.x]", "unterminated filter"},
      {".a[?(@.x)", "unclosed array expect ]"},
      {".a[1:2:3:4]", "invalid array index 1:2:3:4"},
      {".a[-]", "array index - is not a number"},
      {".a[99999999999999999999]", "array index 99999999999999999999 is not a number"},
      {R"("x)", "unterminated quoted string"},
      {"'x", "unterminated quoted string"},
      {R"("\q")", R"(unquote string "\q" error invalid syntax)"},
      {R"("\u12")", R"(unquote string "\u12" error invalid syntax)"},
      {"#", "unrecognized character in action: U+0023 '#'"},
      {"=", "unrecognized character in action: U+003D '='"},
      {R"(.a\)", "unclosed action"},
      {"1.2.3", "cannot parse number 1.2.3"},
      {"-", "cannot parse number -"},
      {".a[?(=)]", "unrecognized character in action: U+003D '='"},
      {".a[?(@.x==)]", "unrecognized character in action: U+003D '='"},
      {"['a','b", "unterminated array"},
      {"\n", "unclosed action"},
      {"\t", "unrecognized character in action: U+0009"},
  };
  for (const auto& [path, expected] : rows) {
    CAPTURE(path);
    CHECK(CompileError(path) == expected);
  }
}

TEST_CASE("evaluation fails where client-go's fails", "[json][jsonpath]") {
  const Value document = Parse(kDocument).value();
  const std::vector<Row> rows = {
      {".items[9]", "array index out of bounds: index 9, length 5"},
      {".items[-9]", "array index out of bounds: index -4, length 5"},
      {".items[4:2]", "starting index 4 is greater than ending index 2"},
      {".items[0:9]", "array index out of bounds: index 8, length 5"},
      {".items[0:4:0]", "step must be > 0"},
      {".a[0]", "map[string]interface {} is not array or slice"},
      {".a.c[0]", "string is not array or slice"},
      {".items[0][0]", "int64 is not array or slice"},
      {".a.b[?(@.v<2)].n", "incompatible types for comparison"},
      {R"(.a.b[?(@.v=="x")].n)", "incompatible types for comparison"},
      {".a.b[?(@.w==1)]", "invalid type for comparison"},
      {".items[?(@<>1)]", "unrecognized filter operator <>"},
      {".s[?(@.x)]", "map[k1:v1 k2:v2] is not array or slice and cannot be filtered"},
      {".a.n[?(@.x)]", "<nil> is not array or slice and cannot be filtered"},
      {".a.c[?(@.x)]", "text is not array or slice and cannot be filtered"},
      {".items[?(@==true)]", "incompatible types for comparison"},
      {".a.b[?(@.ok<true)]", "invalid type for comparison"},
      {"end", "not in range, nothing to end"},
      {"foo", "unrecognized identifier foo"},
      {".a foo", "unrecognized identifier foo"},
      {".a b c", "unrecognized identifier b"},
      {"\xC3\xA9", "unrecognized identifier \xC3\xA9"},
  };
  for (const auto& [path, expected] : rows) {
    CAPTURE(path);
    CHECK(Found(path, document) == expected);
  }
}

TEST_CASE("found values point into the document", "[json][jsonpath]") {
  const Value document = Parse(kDocument).value();
  const auto path = JsonPath::Compile(".s.k1");
  REQUIRE(path.has_value());
  const JsonPath copy = *path;
  CHECK(copy.Find(document).value() == std::vector<const Value*>{&document["s"]["k1"]});
}

TEST_CASE("values print as in the cells of a table", "[json][jsonpath]") {
  CHECK(PrintResult("a\"b") == "a\"b");
  CHECK(PrintResult(12) == "12");
  CHECK(PrintResult(1e6) == "1e+06");
  CHECK(PrintResult(0.5) == "0.5");
  CHECK(PrintResult(true) == "true");
  CHECK(PrintResult(nullptr) == "<no value>");
  CHECK(PrintResult(Parse(R"({"b":[1,"<"],"a":null})").value()) == R"({"a":null,"b":[1,"\u003c"]})");
}

TEST_CASE("hostile paths and documents end with an answer", "[json][jsonpath]") {
  base::Thread("deep", [] {
    constexpr const char* kTooMany = "the path leads to too many values";
    const Value deep =
        Parse(R"({"a":)" + std::string(9000, '[') + "1" + std::string(9000, ']') + "}").value();
    CHECK(Found("..x", deep).empty());
    CHECK(Found("..[*]..[*]..[*]", deep) == "map[string]interface {} is not array or slice");
    CHECK(Found(".a" + Repeat("[*,*]", 40), deep) == kTooMany);
    CHECK(Found(Repeat(".a", 30'000), deep).empty());
    CHECK(CompileError(std::string(100'000, '[')) == "unterminated array");
    CHECK(CompileError(Repeat("[?(", 30'000)) == "unterminated filter");
    CHECK(Found("range .a}" + Repeat("{range .a}", 100) + "{.", Parse(R"({"a":{"a":1}})").value()) ==
          "too many ranges");
  });
}

}  // namespace annex::json
