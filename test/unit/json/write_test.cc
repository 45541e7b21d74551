#include "annex/json/write.h"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

namespace annex::json {

TEST_CASE("strings are escaped as Go's encoder does, HTML characters too", "[json][write]") {
  std::string out;
  AppendJsonString(out, "<a&b>\"\\\x01\b\f\n\r\t\x7f/");
  CHECK(out == "\"\\u003ca\\u0026b\\u003e\\\"\\\\\\u0001\\b\\f\\n\\r\\t\x7f/\"");
  out.clear();
  AppendJsonString(out, "é\u2028\u2029\xff");
  CHECK(out == "\"é\\u2028\\u2029\\ufffd\"");
}

TEST_CASE("doubles print in Go's shortest form", "[json][write]") {
  const auto text = [](double number) {
    std::string out;
    AppendJsonNumber(out, number);
    return out;
  };
  CHECK(text(0.1) == "0.1");
  CHECK(text(100) == "100");
  CHECK(text(1e20) == "100000000000000000000");
  CHECK(text(1e21) == "1e+21");
  CHECK(text(9223372036854775808.0) == "9223372036854776000");
  CHECK(text(-123456789012345678901.0) == "-123456789012345680000");
  CHECK(text(1.5e-7) == "1.5e-7");
  CHECK(text(1e-10) == "1e-10");
  CHECK(text(-0.000001) == "-0.000001");
  CHECK(text(-0.0) == "0");
  CHECK(text(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("Indent keeps the order of keys and leaves empty containers whole", "[json][write]") {
  CHECK(Indent(R"({"b":[1,{"x":"a,b:{"}],"a":{},"c":[]})") ==
        "{\n  \"b\": [\n    1,\n    {\n      \"x\": \"a,b:{\"\n    }\n  ],\n  \"a\": {},\n  \"c\": []\n}");
}

}  // namespace annex::json
