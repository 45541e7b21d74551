#include "annex/base/url.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::base {

TEST_CASE("a URL falls into its parts", "[base][url]") {
  const Url url = ParseUrl("HTTPS://Hooks.example.com:8443/a%20b/c?x=y#z").value();
  CHECK(url.scheme == "https");
  CHECK(url.host == "Hooks.example.com:8443");
  CHECK(url.Hostname() == "Hooks.example.com");
  CHECK(url.Port() == "8443");
  CHECK(url.path == "/a b/c");
  CHECK(url.query == "x=y");
  CHECK(url.fragment == "z");
  CHECK(!url.has_user);
  CHECK(ParseUrl("https://u:p@h").value().user == "u:p");
  CHECK(ParseUrl("https://[::1]:443/a").value().Hostname() == "::1");
  CHECK(ParseUrl("https://[::1]").value().Port().empty());
  CHECK(ParseUrl("https:x").value().host.empty());
  CHECK(ParseUrl("//x/y").value().host == "x");
  CHECK(ParseUrl("").value().path.empty());
}

TEST_CASE("what is no URL is refused in Go's words", "[base][url]") {
  const auto problem = [](const char* text) { return ParseUrl(text).error().message; };
  CHECK(problem("https://x:abc") == R"(parse "https://x:abc": invalid port ":abc" after host)");
  CHECK(problem("https://[::1") == R"(parse "https://[::1": missing ']' in host)");
  CHECK(problem("https://x/%zz") == R"(parse "https://x/%zz": invalid URL escape "%zz")");
  CHECK(problem(":x") == R"(parse ":x": missing protocol scheme)");
  CHECK(problem("https://x y/") == R"(parse "https://x y/": invalid character " " in host name)");
  CHECK(problem("https://x/\x01") == "parse \"https://x/\\x01\": net/url: invalid control character in URL");
  CHECK(problem("1:2/3") == R"(parse "1:2/3": first path segment in URL cannot contain colon)");
}

TEST_CASE("the target of a request is a path whose escapes are complete", "[base][url]") {
  for (const char* target : {"/", "/a%2Fb", "//a", "/a b", "/\xC3\xBC", "/a?x=%zz", "/a?%"}) {
    CAPTURE(target);
    CHECK(IsRequestUri(target));
  }
  for (const char* target :
       {"", "a", "*", "http://x/", "/%", "/a%2", "/a%2?x", "/%-1", "/a\x01", "/a?\x7F"}) {
    CAPTURE(target);
    CHECK_FALSE(IsRequestUri(target));
  }
}

TEST_CASE("a path is escaped as Go escapes it", "[base][url]") {
  CHECK(EscapePath("/a b/\xC3\xBC/$&+,:;=@-_.~?#%") == "/a%20b/%C3%BC/$&+,:;=@-_.~%3F%23%25");
}

}  // namespace annex::base
