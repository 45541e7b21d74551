// The head of an HTTP/1.1 response as text.
#pragma once

#include "annex/api/message.h"

#include <cstdint>
#include <optional>
#include <string>

namespace annex::http {

struct Framing {
  std::optional<std::size_t> content_length;  // else chunked
  bool has_body = true;                       // 304 and 204 have none, and say nothing of its length
  bool close = false;                         // the connection ends after this response
};

// Appends the status line and headers, and the empty line that ends them.
void AppendHead(std::string& out, const api::Response& response, const Framing& framing,
                const std::string& date);

}  // namespace annex::http
