// Url: the parts of a URL that a user wrote, read with the rules and words of Go's net/url.
//
// Thread rule: a value type and free functions.
#pragma once

#include "annex/base/result.h"

#include <string>
#include <string_view>

namespace annex::base {

struct Url {
  std::string scheme;    // lower case; "" if there is none
  std::string user;      // as written, before the "@"; has_user tells "" from none
  std::string host;      // with the port, if there is one: "hooks.example.com:8443", "[::1]"
  std::string path;      // percent-decoded
  std::string query;     // as written, without the "?"
  std::string fragment;  // percent-decoded
  bool has_user = false;

  // The host without its port and brackets.
  std::string Hostname() const;
  // The digits after the host; "" if there are none.
  std::string Port() const;
};

// Errors: BadRequest with Go's text: `parse "https://[": missing ']' in host`.
Result<Url> ParseUrl(std::string_view text);

// Whether a request's target is a path with an optional query, as Go's url.ParseRequestURI has it: no control
// characters, and each % of the path begins an escape. (What is wrong in a query is its reader's matter.)
bool IsRequestUri(std::string_view target);

// A path as it stands in a URL: bytes that may not stand there are percent-encoded.
std::string EscapePath(std::string_view path);

}  // namespace annex::base
