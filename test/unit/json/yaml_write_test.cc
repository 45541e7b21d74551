#include "annex/base/thread.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"

#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::json {
namespace {

struct Row {
  std::string_view input;
  std::string_view expected;
};

std::string Repeat(std::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

// Texts that YAML likes to take for something else.
class ValueMaker {
 public:
  explicit ValueMaker(unsigned seed) : random_(seed) {}

  Value Make(int depth) {
    const unsigned kind = Below(10);
    if (depth > 0 && kind < 3) {
      Value object = Value::object();
      for (unsigned i = Below(4); i > 0; --i) object[Text()] = Make(depth - 1);
      return object;
    }
    if (depth > 0 && kind < 5) {
      Value array = Value::array();
      for (unsigned i = Below(4); i > 0; --i) array.push_back(Make(depth - 1));
      return array;
    }
    if (kind < 8) return Text();
    if (kind == 8) return static_cast<std::int64_t>(random_()) - 2'000'000'000;
    return Below(2) == 0 ? Value() : Value(static_cast<double>(random_()) / 7 + 0.25);
  }

 private:
  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_()) % bound; }

  std::string Text() {
    static const std::vector<std::string> kPieces = {
        "a",  "word", "yes",  "1", "~",  ": ", "- ", "#", " #",   "'",           "\"",
        "\\", "\n",   "\n\n", " ", "  ", "\t", "{",  "]", ",",    "&",           "*",
        "!",  "|",    "%",    "é", "日", "😀", "--", "?", "\x01", "\xEF\xBB\xBF"};
    std::string text;
    for (unsigned i = Below(7); i > 0; --i) text += kPieces[Below(static_cast<unsigned>(kPieces.size()))];
    return text;
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("values are written as kube-apiserver writes YAML", "[json][yaml]") {
  const std::vector<Row> rows = {
      {"{}", "{}\n"},
      {"[]", "[]\n"},
      {"null", "null\n"},
      {"true", "true\n"},
      {"1.5", "1.5\n"},
      {R"("x")", "x\n"},
      {R"("a\nb")", "|-\n  a\n  b\n"},
      {R"({"a":{},"b":[],"c":null})", "a: {}\nb: []\nc: null\n"},
      {R"({"b":1,"a":{"d":[1,{"x":"y","z":[[1,2],[]]}],"c":"t"}})",
       "a:\n  c: t\n  d:\n  - 1\n  - x: \"y\"\n    z:\n    - - 1\n      - 2\n    - []\nb: 1\n"},
      {R"([[1,[2]],{"a":1}])", "- - 1\n  - - 2\n- a: 1\n"},
      {R"({"a10":1,"a2":2,"A":3,"_":4,"1":5,"b":6,"a-1":7,"aa":8})",
       "_: 4\n\"1\": 5\nA: 3\na-1: 7\na2: 2\na10: 1\naa: 8\nb: 6\n"},
      {R"(["","yes","No","~","null","1","0x1F","1_0","1e3",".5","1:30","2001-01-01","<<","=","-","- a","-a","? a","?a",":a","a:","a: b","a:b","#a","a #b","a#b","[a","{a","a]","&a","*a","!a","|","> ","%a","@a","`a","'","\"","a'b","a\"b","---","--- a","...","a,b"," a","a ","\ta","a\tb","\\"])",
       "- \"\"\n- \"yes\"\n- \"No\"\n- \"~\"\n- \"null\"\n- \"1\"\n- \"0x1F\"\n- \"1_0\"\n- \"1e3\"\n- "
       "\".5\"\n- \"1:30\"\n- \"2001-01-01\"\n- <<\n- =\n- '-'\n- '- a'\n- -a\n- '? a'\n- ?a\n- :a\n- "
       "'a:'\n- 'a: b'\n- a:b\n- '#a'\n- 'a #b'\n- a#b\n- '[a'\n- '{a'\n- a]\n- '&a'\n- '*a'\n- '!a'\n- "
       "'|'\n- '> '\n- '%a'\n- '@a'\n- '`a'\n- ''''\n- '\"'\n- a'b\n- a\"b\n- '---'\n- '--- a'\n- '...'\n- "
       "a,b\n- ' a'\n- 'a '\n- \"\\ta\"\n- \"a\\tb\"\n- \\\n"},
      {"[\"\\n\",\"a\\n\",\"a\\n\\n\",\"\\na\",\" a\\n b\",\"a \\nb\",\"a\\n\\tb\",\"a\\r\\nb\",\"a\\n "
       "\",\"\xC3\xA9\\n\xE6\x97\xA5\xE6\x9C\xAC\"]",
       "- |2+\n\n- |\n  a\n- |+\n  a\n\n- |2-\n\n  a\n- |2-\n   a\n   b\n- \"a \\nb\"\n- \"a\\n\\tb\"\n- "
       "\"a\\r\\nb\"\n- \"a\\n \"\n- |-\n  \xC3\xA9\n  \xE6\x97\xA5\xE6\x9C\xAC\n"},
      {"[\"\xC3\xA9\",\"\xE6\x97\xA5\xE6\x9C\xAC\",\"\xF0\x9F\x98\x80\",\"\\u0000\\u0007\\u001b\","
       "\"\\u00a0\",\"\\u2028\",\"a\\u2029b\",\"\\ufeff\",\"\\ufeffa\",\"\\ufffd\"]",
       "- \xC3\xA9\n- \xE6\x97\xA5\xE6\x9C\xAC\n- \"\\U0001F600\"\n- \"\\0\\a\\e\"\n- \xC2\xA0\n- "
       "'\xE2\x80\xA8'\n- 'a\xE2\x80\xA9  b'\n- \"\\uFEFF\"\n- \"\\uFEFF\\x61\"\n- \xEF\xBF\xBD\n"},
      {"{\"yes\":1,\"1\":2,\"\":3,\"a b\":4,\"a: b\":5,\"x\\ny\":{\"z\":[1]},\"\xC3\xA9\":6}",
       "\"\": 3\n\"1\": 2\na b: 4\n'a: b': 5\n? |-\n  x\n  y\n: z:\n  - 1\n\"yes\": 1\n\xC3\xA9: 6\n"},
      {"[0,-1,9223372036854775807,1e6,1e20,1e21,1e-5,0.0001,123456789.5,4611686018427387904.0,-0.0,1.0]",
       "- 0\n- -1\n- 9223372036854775807\n- 1000000\n- 1e+20\n- 1e+21\n- 1e-05\n- 0.0001\n- "
       "1.234567895e+08\n- 4611686018427388000\n- 0\n- 1\n"},
      {R"({"t":"lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum end","q":"it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: it's: end","d":"a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c a\tb  c end"})",
       "d: \"a\\tb  c a\\tb  c a\\tb  c a\\tb  c a\\tb  c a\\tb  c a\\tb  c a\\tb  c a\\tb  c a\\tb  c\n  "
       "a\\tb  c a\\tb  c a\\tb  c a\\tb  c a\\tb  c end\"\nq: 'it''s: it''s: it''s: it''s: it''s: it''s: "
       "it''s: it''s: it''s: it''s: it''s: it''s:\n  it''s: it''s: it''s: it''s: it''s: it''s: it''s: it''s: "
       "end'\nt: lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum\n  "
       "lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum end\n"},
      {R"({"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":{"a":1},"key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key key ":[1]})",
       "? 'key key key key key key key key key key key key key key key key key key key key\n  key key key "
       "key key key key key key key key key key key key key key key key key '\n: - 1\n? "
       "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
       "kkkkkkkkkkkkkkkkkkkkkkkkkkkk\n: a: 1\n"},
  };
  for (const auto& [input, expected] : rows) {
    CAPTURE(input);
    CHECK(ToYaml(Parse(input).value()) == expected);
  }
}

TEST_CASE("what is written reads back as the same value", "[json][yaml]") {
  ValueMaker maker(20240229);
  for (int i = 0; i < 3000; ++i) {
    const Value value = maker.Make(4);
    const std::string text = ToYaml(value);
    const auto read = ParseYaml(text);
    CAPTURE(ToJson(value), text);
    REQUIRE(read.has_value());
    REQUIRE(*read == value);
  }
}

TEST_CASE("deep values end in flow style and do not blow up", "[json][yaml]") {
  base::Thread("deep", [] {
    const auto deep = Parse(Repeat("{\"a\":", 9000) + "[1]" + std::string(9000, '}'));
    const std::string text = ToYaml(deep.value());
    CHECK(text.size() < 100'000);
    CHECK(ParseYaml(text).value() == deep.value());
    const auto lines =
        Parse(Repeat("{\"a\":", 120) + "\"" + Repeat("a\\n", 500'000) + "\"" + std::string(120, '}'));
    CHECK(ToYaml(lines.value()).size() < 3'000'000);
  });
}

}  // namespace annex::json
