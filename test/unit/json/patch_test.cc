#include "annex/json/patch.h"

#include "annex/base/thread.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::json {
namespace {

constexpr std::string_view kDocument = R"({"a":{"b":[1,2,3],"c":"x","n":null},"x/y":1,"m~n":2,"":3})";

struct Row {
  std::string_view patch;
  std::string_view expected;
};

std::string Repeat(std::string_view text, std::size_t count) {
  std::string repeated;
  for (std::size_t i = 0; i < count; ++i) repeated += text;
  return repeated;
}

std::string Merged(std::string_view document, std::string_view patch) {
  Value target = Parse(document).value();
  ApplyMergePatch(target, Parse(patch).value());
  return ToJson(target);
}

// The patched document, or the reason why not.
std::string Patched(std::string_view document, std::string_view patch,
                    base::Reason reason = base::Reason::kInvalid) {
  Value target = Parse(document).value();
  const Value before = target;
  const auto applied = ApplyJsonPatch(target, Parse(patch).value());
  if (applied) return ToJson(target);
  CHECK(target == before);
  CHECK(applied.error().reason == reason);
  return applied.error().message;
}

}  // namespace

TEST_CASE("merge patches drop nulls where evanphx/json-patch drops them", "[json][patch]") {
  struct MergeRow {
    std::string_view document;
    std::string_view patch;
    std::string_view expected;
  };
  const std::vector<MergeRow> rows = {
      {R"({"a":1,"b":2})", R"({"a":null,"c":3})", R"({"b":2,"c":3})"},
      {R"({"a":{"b":1,"c":2}})", R"({"a":{"b":null,"d":{"e":null,"f":1}}})", R"({"a":{"c":2,"d":{"f":1}}})"},
      {R"({"a":[1,2]})", R"({"a":[null,{"x":null,"y":1}]})", R"({"a":[null,{"y":1}]})"},
      {"{}", R"({"a":[null,{"x":null,"y":[{"z":null}]}]})", R"({"a":[null,{"y":[{}]}]})"},
      {R"({"a":{"b":1}})", R"({"a":[null,{"x":null,"y":1}]})", R"({"a":[null,{"x":null,"y":1}]})"},
      {R"({"a":{"b":1}})", R"({"a":"text"})", R"({"a":"text"})"},
      {R"({"a":"text"})", R"({"a":{"b":null,"c":1}})", R"({"a":{"c":1}})"},
      {R"({"a":null})", R"({"a":{"b":null,"c":{}}})", R"({"a":{"c":{}}})"},
      {R"({"a":1})", "{}", R"({"a":1})"},
      {R"({"a":1})", R"({"b":null})", R"({"a":1})"},
  };
  for (const auto& [document, patch, expected] : rows) {
    CAPTURE(document, patch);
    CHECK(Merged(document, patch) == expected);
  }
}

TEST_CASE("JSON patches do what evanphx/json-patch does", "[json][patch]") {
  const std::vector<Row> rows = {
      {R"([{"op":"add","path":"/a/b/1","value":9}])",
       R"({"":3,"a":{"b":[1,9,2,3],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"add","path":"/a/b/-","value":9},{"op":"add","path":"/a/b/-1","value":8}])",
       R"({"":3,"a":{"b":[1,2,3,9,8],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"add","path":"/a/b/3","value":{}}])",
       R"({"":3,"a":{"b":[1,2,3,{}],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"add","path":"/a/c","value":[1]}])",
       R"({"":3,"a":{"b":[1,2,3],"c":[1],"n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"add","path":"/new"}])",
       R"({"":3,"a":{"b":[1,2,3],"c":"x","n":null},"m~n":2,"new":null,"x/y":1})"},
      {R"([{"op":"add","path":"/x~1y","value":5},{"op":"add","path":"/m~0n","value":6},{"op":"add","path":"/","value":7}])",
       R"({"":7,"a":{"b":[1,2,3],"c":"x","n":null},"m~n":6,"x/y":5})"},
      {R"([{"op":"remove","path":"/a/b/0"},{"op":"remove","path":"/a/b/-1"}])",
       R"({"":3,"a":{"b":[2],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"remove","path":"/a/n"},{"op":"remove","path":"/"}])",
       R"({"a":{"b":[1,2,3],"c":"x"},"m~n":2,"x/y":1})"},
      {R"([{"op":"replace","path":"/a/b/-2","value":"z"}])",
       R"({"":3,"a":{"b":[1,"z",3],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"replace","path":"/a/missing","value":1}])",
       R"({"":3,"a":{"b":[1,2,3],"c":"x","missing":1,"n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"replace","path":"/a/c","value":null}])",
       R"({"":3,"a":{"b":[1,2,3],"c":null,"n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"replace","path":"/a/c"}])",
       R"({"":3,"a":{"b":[1,2,3],"c":null,"n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"replace","path":"","value":{"k":1}},{"op":"add","path":"/l","value":2}])",
       R"({"k":1,"l":2})"},
      {R"([{"op":"replace","path":"","value":[1]}])", "[1]"},
      {R"([{"op":"replace","path":"","value":"text"}])",
       R"({"":3,"a":{"b":[1,2,3],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"move","path":"/a/b/2","from":"/a/b/0"}])",
       R"({"":3,"a":{"b":[2,3,1],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {R"([{"op":"move","path":"/z","from":"/a"}])",
       R"({"":3,"m~n":2,"x/y":1,"z":{"b":[1,2,3],"c":"x","n":null}})"},
      {R"([{"op":"copy","path":"/z","from":"/a/b"},{"op":"remove","path":"/a/b/0"}])",
       R"({"":3,"a":{"b":[2,3],"c":"x","n":null},"m~n":2,"x/y":1,"z":[1,2,3]})"},
      {R"([{"op":"copy","path":"/z","from":"/missing"}])",
       R"({"":3,"a":{"b":[1,2,3],"c":"x","n":null},"m~n":2,"x/y":1,"z":null})"},
      {R"([{"op":"test","path":"/a/b","value":[1,2,3]},{"op":"test","path":"/a","value":{"n":null,"c":"x","b":[1,2,3]}},{"op":"test","path":"/missing","value":null},{"op":"test","path":"/a/n","value":null}])",
       R"({"":3,"a":{"b":[1,2,3],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {"[]", R"({"":3,"a":{"b":[1,2,3],"c":"x","n":null},"m~n":2,"x/y":1})"},
      {"null", R"({"":3,"a":{"b":[1,2,3],"c":"x","n":null},"m~n":2,"x/y":1})"},
  };
  for (const auto& [patch, expected] : rows) {
    CAPTURE(patch);
    CHECK(Patched(kDocument, patch) == expected);
  }
}

TEST_CASE("a JSON patch that fails changes nothing and gives the library's reason", "[json][patch]") {
  const std::vector<Row> rows = {
      {R"([{"op":"add","path":"/a/b/4","value":9}])",
       "error in add for path: '/a/b/4': Unable to access invalid index: 4: invalid index referenced"},
      {R"([{"op":"add","path":"/a/b/-5","value":9}])",
       "error in add for path: '/a/b/-5': Unable to access invalid index: -5: invalid index referenced"},
      {R"([{"op":"add","path":"/a/b/x","value":9}])",
       R"(error in add for path: '/a/b/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax)"},
      {R"([{"op":"add","path":"/a/b/99999999999999999999","value":9}])",
       R"(error in add for path: '/a/b/99999999999999999999': value was not a proper array index: '99999999999999999999': strconv.Atoi: parsing "99999999999999999999": value out of range)"},
      {R"([{"op":"add","path":"/p/q","value":9}])",
       R"(add operation does not apply: doc is missing path: "/p/q": missing value)"},
      {R"([{"op":"add","path":"/a/n/q","value":9}])",
       R"(add operation does not apply: doc is missing path: "/a/n/q": missing value)"},
      {R"([{"op":"add","path":"/a/c/q","value":9}])",
       R"(add operation does not apply: doc is missing path: "/a/c/q": missing value)"},
      {R"([{"op":"add","path":"","value":9}])",
       R"(add operation does not apply: doc is missing path: "": missing value)"},
      {R"([{"op":"add","path":"a","value":9}])",
       R"(add operation does not apply: doc is missing path: "a": missing value)"},
      {R"([{"op":"add","value":9}])", "add operation failed to decode path: missing value"},
      {R"([{"op":"add","path":3,"value":9}])", "add operation failed to decode path: missing value"},
      {R"([{"op":"remove","path":"/p"}])",
       "error in remove for path: '/p': Unable to remove nonexistent key: p: missing value"},
      {R"([{"op":"remove","path":"/p/q"}])",
       R"(remove operation does not apply: doc is missing path: "/p/q": missing value)"},
      {R"([{"op":"remove","path":"/a/b/3"}])",
       "error in remove for path: '/a/b/3': Unable to access invalid index: 3: invalid index referenced"},
      {R"([{"op":"remove","path":"/a/b/-"}])",
       R"(error in remove for path: '/a/b/-': strconv.Atoi: parsing "-": invalid syntax)"},
      {R"([{"op":"remove"}])", "remove operation failed to decode path: missing value"},
      {R"([{"op":"remove","path":""}])",
       R"(remove operation does not apply: doc is missing path: "": missing value)"},
      {R"([{"op":"replace","path":"/p/q","value":1}])",
       "replace operation does not apply: doc is missing path: /p/q: missing value"},
      {R"([{"op":"replace","path":"/a/b/3","value":1}])",
       "replace operation does not apply: doc is missing key: /a/b/3: missing value"},
      {R"([{"op":"replace","value":1}])",
       "replace operation failed to decode path: operation missing path field: missing value"},
      {R"([{"op":"replace","path":[],"value":1}])",
       "replace operation failed to decode path: json: cannot unmarshal array into Go value of type string"},
      {R"([{"op":"move","path":"/z","from":"/p"}])",
       "error in move for path: 'p': Unable to remove nonexistent key: p: missing value"},
      {R"([{"op":"move","path":"/z","from":"/p/q"}])",
       "move operation does not apply: doc is missing from path: /p/q: missing value"},
      {R"([{"op":"move","path":"/z"}])",
       "move operation failed to decode from: operation, missing from field: missing value"},
      {R"([{"op":"move","from":"/a"}])",
       "move operation failed to decode path: operation missing path field: missing value"},
      {R"([{"op":"move","path":"/p/q","from":"/a"}])",
       "move operation does not apply: doc is missing destination path: /p/q: missing value"},
      {R"([{"op":"move","path":"/a/b/7","from":"/a/b/0"}])",
       "error in move for path: '/a/b/7': Unable to access invalid index: 7: invalid index referenced"},
      {R"([{"op":"move","path":"/z","from":"/a/b/9"}])",
       "error in move for path: '9': Unable to access invalid index: 9: invalid index referenced"},
      {R"([{"op":"move","path":"/z","from":3}])",
       "move operation failed to decode from: json: cannot unmarshal number into Go value of type string"},
      {R"([{"op":"move","path":"/a/b/z","from":"/a"}])",
       "move operation does not apply: doc is missing destination path: /a/b/z: missing value"},
      {R"([{"op":"copy","path":"/z","from":"/p/q"}])",
       "copy operation does not apply: doc is missing from path: /p/q: missing value"},
      {R"([{"op":"copy","path":"/z"}])",
       "copy operation failed to decode from: operation, missing from field: missing value"},
      {R"([{"op":"copy","from":"/a"}])", "copy operation failed to decode path: missing value"},
      {R"([{"op":"copy","path":"/p/q","from":"/a"}])",
       "copy operation does not apply: doc is missing destination path: /p/q: missing value"},
      {R"([{"op":"copy","path":"/a/b/9","from":"/a/c"}])",
       "error while adding value during copy: Unable to access invalid index: 9: invalid index referenced"},
      {R"([{"op":"copy","path":"/z","from":"/a/b/9"}])",
       "error in copy for from: '/a/b/9': Unable to access invalid index: 9: invalid index referenced"},
      {R"([{"op":"test","path":"/a/c","value":"y"}])", "testing value /a/c failed: test failed"},
      {R"([{"op":"test","path":"/missing","value":1}])", "testing value /missing failed: test failed"},
      {R"([{"op":"test","path":"/a/c","value":null}])", "testing value /a/c failed: test failed"},
      {R"([{"op":"test","path":"/a/b","value":[1,2]}])", "testing value /a/b failed: test failed"},
      {R"([{"op":"test","path":"/a/b/0","value":1.0}])", "testing value /a/b/0 failed: test failed"},
      {R"([{"op":"test","path":"/p/q","value":1}])",
       "test operation does not apply: is missing path: /p/q: missing value"},
      {R"([{"op":"test","path":"/a/b/9","value":1}])",
       "error in test for path: '/a/b/9': Unable to access invalid index: 9: invalid index referenced"},
      {R"([{"op":"test","value":1}])",
       "test operation failed to decode path: operation missing path field: missing value"},
      {R"([{"op":"test","path":"","value":{}}])", "testing value  failed: test failed"},
      {R"([{"op":"test","path":"/a/b","value":{}}])", "testing value /a/b failed: test failed"},
      {R"([{"op":"bogus","path":"/a"}])", "Unexpected kind: bogus"},
      {R"([{"path":"/a"}])", "Unexpected kind: unknown"},
      {R"([{"op":3,"path":"/a"}])", "Unexpected kind: unknown"},
      {"[null]", "Unexpected kind: unknown"},
      {R"([{"op":"add","path":"/q","value":1},{"op":"remove","path":"/p"}])",
       "error in remove for path: '/p': Unable to remove nonexistent key: p: missing value"},
  };
  for (const auto& [patch, expected] : rows) {
    CAPTURE(patch);
    CHECK(Patched(kDocument, patch) == expected);
  }
}

TEST_CASE("test compares numbers as their texts", "[json][patch]") {
  const auto test = [](std::string_view value) {
    return Patched(R"({"a":1,"b":1.5})",
                   std::string(R"([{"op":"test","path":"/)").append(value).append("}]"));
  };
  CHECK(test(R"(a","value":1)") == R"({"a":1,"b":1.5})");
  CHECK(test(R"(a","value":1.0)") == "testing value /a failed: test failed");
  CHECK(test(R"(b","value":1.5)") == R"({"a":1,"b":1.5})");
  CHECK(test(R"(b")") == "testing value /b failed: test failed");
  CHECK(test(R"(c")") == "testing value /c failed: test failed");
}

TEST_CASE("what is no array of operations is a bad request", "[json][patch]") {
  const std::vector<Row> rows = {
      {"{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"},
      {"3", "json: cannot unmarshal number into Go value of type jsonpatch.Patch"},
      {R"("x")", "json: cannot unmarshal string into Go value of type jsonpatch.Patch"},
      {"true", "json: cannot unmarshal bool into Go value of type jsonpatch.Patch"},
      {"[3]", "json: cannot unmarshal number into Go value of type jsonpatch.Operation"},
      {R"([{"op":"bogus"},[]])", "json: cannot unmarshal array into Go value of type jsonpatch.Operation"},
  };
  for (const auto& [patch, expected] : rows) {
    CAPTURE(patch);
    CHECK(Patched(kDocument, patch, base::Reason::kBadRequest) == expected);
  }
}

TEST_CASE("the strict check of a JSON patch finds wrong types and unknown fields", "[json][patch]") {
  const std::vector<Row> rows = {
      {"[]", ""},
      {"null", ""},
      {"[null]", ""},
      {R"([{"op":"add","path":"/a","value":{"x":1}}])", ""},
      {R"([{"op":"add","Path":"/a"},{"op":"x","valeu":1}])",
       "unknown field \"[0].Path\"\nunknown field \"[1].valeu\""},
      {"{}",
       "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
      {"3",
       "error decoding patch: json: cannot unmarshal number into Go value of type []handlers.jsonPatchOp"},
      {R"("x")",
       "error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"},
      {"true",
       "error decoding patch: json: cannot unmarshal bool into Go value of type []handlers.jsonPatchOp"},
      {"[1]",
       "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"},
      {"[[]]",
       "error decoding patch: json: cannot unmarshal array into Go value of type handlers.jsonPatchOp"},
      {R"([{"op":3}])",
       "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type "
       "string"},
      {R"([{"path":{}}])",
       "error decoding patch: json: cannot unmarshal object into Go struct field jsonPatchOp.path of type "
       "string"},
      {R"([{"op":null,"path":null,"from":true}])",
       "error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.from of type "
       "string"},
  };
  for (const auto& [patch, expected] : rows) {
    CAPTURE(patch);
    const auto checked = CheckJsonPatch(Parse(patch).value());
    if (!checked) {
      CHECK(checked.error().reason == base::Reason::kBadRequest);
      CHECK(checked.error().message == expected);
      continue;
    }
    std::string unknown;
    for (const std::string& field : *checked) unknown += (unknown.empty() ? "" : "\n") + field;
    CHECK(unknown == expected);
  }
}

TEST_CASE("operations and copies are limited", "[json][patch]") {
  const auto operations = [](std::size_t count, const std::string& operation) {
    return "[" + operation + Repeat("," + operation, count - 1) + "]";
  };
  const std::string test = R"({"op":"test","path":"/none","value":null})";
  CHECK(Patched("{}", operations(kMaxPatchOperations, test)) == "{}");
  CHECK(Patched("{}", operations(kMaxPatchOperations + 1, test), base::Reason::kRequestEntityTooLarge) ==
        "The allowed maximum operations in a JSON patch is 10000, got 10001");
  CHECK(Patched(R"({"a":[")" + std::string(1000, 'x') + R"("]})",
                operations(40, R"({"op":"copy","from":"/a","path":"/a/-"})")) ==
        "Unable to complete the copy, the accumulated size increase of copy is 4115463, exceeding the limit "
        "3145728");
}

TEST_CASE("the work of shifting array items is limited", "[json][patch][.slow]") {
  const std::string large = R"({"a":[0)" + Repeat(",0", 100'000) + "]}";
  const std::string add = R"({"op":"add","path":"/a/0","value":0})";
  const std::string remove = R"({"op":"remove","path":"/a/0"})";
  const std::string pair = add + "," + remove;
  CHECK(Patched(large, "[" + pair + Repeat("," + pair, 200) + "]", base::Reason::kRequestEntityTooLarge)
            .starts_with("error in remove for path: '/a/0': The JSON patch shifts too many array items"));
}

TEST_CASE("patches cannot nest a document deeper than a reader allows", "[json][patch]") {
  base::Thread("deep", [] {
    const std::string deep =
        R"({"a":)" + std::string(kMaxDepth - 1, '[') + std::string(kMaxDepth - 1, ']') + "}";
    const std::string inmost = "/a" + Repeat("/0", kMaxDepth - 2) + "/-";
    CHECK(Patched(deep, R"([{"op":"add","path":")" + inmost + R"(","value":[[]]}])") == "exceeded max depth");
    CHECK(Patched(deep, R"([{"op":"copy","from":"/a","path":")" + inmost + R"("}])") == "exceeded max depth");
    CHECK(Patched(deep, R"([{"op":"copy","from":"/a","path":"/b"}])").size() == 2 * deep.size() - 1);
    CHECK(Merged(deep, deep) == deep);
  });
}

}  // namespace annex::json
