#include "annex/base/strings.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::base {

TEST_CASE("base64 round-trips every length of the last group", "[base][strings]") {
  for (const std::string bytes : {"", "a", "ab", "abc", "\xff\xfe\xfd\xfc"}) {
    CHECK(Base64Decode(Base64Encode(bytes)) == bytes);
    CHECK(Base64UrlDecode(Base64UrlEncode(bytes)) == bytes);
  }
  CHECK(Base64Encode("ab") == "YWI=");
  CHECK(Base64UrlEncode("\xff\xfe\xfd\xfc") == "__79_A");
}

TEST_CASE("base64 decoders refuse foreign characters and impossible lengths", "[base][strings]") {
  CHECK(Base64Decode("YW!=") == std::nullopt);
  CHECK(Base64Decode("YWI") == std::nullopt);
  CHECK(Base64UrlDecode("YWI=") == std::nullopt);
  CHECK(Base64UrlDecode("YWJjZ") == std::nullopt);
}

TEST_CASE("Quote escapes as Go's %q does", "[base][strings]") {
  CHECK(Quote("plain") == R"("plain")");
  CHECK(Quote("tab\t\"quote\" back\\slash\x01") == R"("tab\t\"quote\" back\\slash\x01")");
  CHECK(Quote("bad\xff"
              "end") == R"("bad\xffend")");
  CHECK(Quote("é☺") == "\"é☺\"");
  CHECK(Quote("\u200b") == R"("\u200b")");
}

TEST_CASE("invalid UTF-8 reads as one U+FFFD per byte", "[base][strings]") {
  std::size_t position = 0;
  const std::string overlong = "\xC0\x80";
  CHECK(NextCodePoint(overlong, position) == 0xFFFD);
  CHECK(position == 1);
  CHECK(CountCodePoints("\xED\xA0\x80") == 3);  // a surrogate
  CHECK(CountCodePoints("a\xE2\x82\xAC") == 2);
}

TEST_CASE("Split keeps empty parts", "[base][strings]") {
  CHECK(Split("", ',') == std::vector<std::string_view>{""});
  CHECK(Split("a,,b,", ',') == std::vector<std::string_view>{"a", "", "b", ""});
}

TEST_CASE("ParseInt64 takes whole numbers within range only", "[base][strings]") {
  CHECK(ParseInt64("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(ParseInt64("9223372036854775808") == std::nullopt);
  CHECK(ParseInt64("1 ") == std::nullopt);
  CHECK(ParseUint64("-1") == std::nullopt);
}

}  // namespace annex::base
