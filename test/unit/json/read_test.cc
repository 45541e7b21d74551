#include "annex/json/read.h"

#include "annex/base/thread.h"
#include "annex/json/write.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::json {
namespace {

std::string Error(std::string_view text) {
  const auto parsed = Parse(text);
  return parsed ? "" : parsed.error().message;
}

std::string RoundTrip(std::string_view text) {
  return ToJson(Parse(text).value());
}

}  // namespace

TEST_CASE("documents read and write back in Go's form", "[json][read]") {
  CHECK(RoundTrip(R"( {"b":[1,2,{}],"a":null,"c":{"x":true,"y":false},"d":[]} )") ==
        R"({"a":null,"b":[1,2,{}],"c":{"x":true,"y":false},"d":[]})");
  CHECK(RoundTrip(R"("aA\u00e9\n\ud83d\ude00\/")") == "\"aAé\\n😀/\"");
}

TEST_CASE("numbers keep their kind and print as Go prints them", "[json][read]") {
  CHECK(RoundTrip("[0,-0,1.0,1e3,1.5,-12,9223372036854775807,9223372036854775808,1e21,1e-7,123456789.25]") ==
        "[0,0,1,1000,1.5,-12,9223372036854775807,9223372036854776000,1e+21,1e-7,123456789.25]");
  CHECK(Parse("9223372036854775807").value().is_number_integer());
  CHECK(Parse("9223372036854775808").value().is_number_float());
  CHECK(Parse("1.0").value().is_number_float());
  CHECK(Error("1e999") == "json: cannot unmarshal number 1e999 into Go value of type float64");
  CHECK(RoundTrip("1e-999") == "0");
}

TEST_CASE("syntax errors have the text of Go's encoding/json", "[json][read]") {
  CHECK(Error("") == "unexpected end of JSON input");
  CHECK(Error("{") == "unexpected end of JSON input");
  CHECK(Error("{a") == "invalid character 'a' looking for beginning of object key string");
  CHECK(Error(R"({"a" 1)") == "invalid character '1' after object key");
  CHECK(Error(R"({"a":1 "b")") == "invalid character '\"' after object key:value pair");
  CHECK(Error(R"({"a":1,})") == "invalid character '}' looking for beginning of object key string");
  CHECK(Error("[1 2]") == "invalid character '2' after array element");
  CHECK(Error("[1,]") == "invalid character ']' looking for beginning of value");
  CHECK(Error("{} x") == "invalid character 'x' after top-level value");
  CHECK(Error("tru3") == "invalid character '3' in literal true (expecting 'e')");
  CHECK(Error("-x") == "invalid character 'x' in numeric literal");
  CHECK(Error("1.x") == "invalid character 'x' after decimal point in numeric literal");
  CHECK(Error("1e+") == "unexpected end of JSON input");
  CHECK(Error("1ex") == "invalid character 'x' in exponent of numeric literal");
  CHECK(Error("01") == "invalid character '1' after top-level value");
  CHECK(Error("\"\\x\"") == "invalid character 'x' in string escape code");
  CHECK(Error("\"\\u12g4\"") == "invalid character 'g' in \\u hexadecimal character escape");
  CHECK(Error("\"a\nb\"") == "invalid character '\\n' in string literal");
  CHECK(Error("'a'") == "invalid character '\\'' looking for beginning of value");
}

TEST_CASE("invalid UTF-8 and lone surrogates become U+FFFD", "[json][read]") {
  CHECK(Parse("\"a\xff\"").value() == "a\xEF\xBF\xBD");
  CHECK(Parse(R"("\ud800x")").value() == "\xEF\xBF\xBDx");
  CHECK(Parse(R"("\ud800\u0041")").value() ==
        "\xEF\xBF\xBD"
        "A");
  CHECK(Parse(R"("\udc00")").value() == "\xEF\xBF\xBD");
}

TEST_CASE("the last of equal keys wins and the path of the others is reported once", "[json][read]") {
  ReadReport report;
  const auto value = Parse(R"({"a":1,"l":[0,{"x":1,"x":{"k":1,"k":2}}],"a":2,"a":3})", &report);
  CHECK(ToJson(value.value()) == R"({"a":3,"l":[0,{"x":{"k":2}}]})");
  CHECK(report.duplicate_fields == std::vector<std::string>{"l[1].x", "l[1].x.k", "a"});
}

TEST_CASE("with a report, reading goes on past a number that no double can hold", "[json][read]") {
  ReadReport report;
  const auto value = Parse(R"({"a":1e999,"b":-2e999,"c":3})", &report);
  CHECK(ToJson(value.value()) == R"({"a":0,"b":0,"c":3})");
  CHECK(report.out_of_range == "json: cannot unmarshal number 1e999 into Go value of type float64");
}

TEST_CASE("nesting is limited to what Go's decoder allows", "[json][read]") {
  // On a server thread's stack: copying and writing a deep value needs more than a test's own.
  base::Thread("deep", [] {
    const std::string deep = std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']');
    CHECK(RoundTrip(deep) == deep);
    CHECK(Error('[' + deep + ']') == "invalid character '[' exceeded max depth");
  });
}

}  // namespace annex::json
