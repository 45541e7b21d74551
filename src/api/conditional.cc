#include "conditional.h"

#include "annex/base/strings.h"

#include <algorithm>

namespace annex::api {
namespace {

constexpr std::string_view kWeak = "W/";

bool IsTagCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x21 || (byte >= 0x23 && byte <= 0x7E) || byte >= 0x80;
}

// How long the tag is that a text begins with, quotes and W/ included; 0 if it begins with none.
std::size_t TagLength(std::string_view text) {
  const std::size_t open = text.starts_with(kWeak) ? kWeak.size() : 0;
  if (text.size() < open + 2 || text[open] != '"') return 0;
  const auto* const close = std::find_if_not(text.begin() + open + 1, text.end(), IsTagCharacter);
  if (close == text.end() || *close != '"') return 0;
  return static_cast<std::size_t>(close - text.begin()) + 1;
}

std::string_view WithoutWeak(std::string_view tag) {
  return tag.starts_with(kWeak) ? tag.substr(kWeak.size()) : tag;
}

// Whether a header names the tag; what follows something that is no tag is not looked at. Tags that are
// compared strongly are not equal to any if they are weak.
enum class Compare : std::uint8_t { kWeakly, kStrongly };
bool Names(std::string_view header, std::string_view etag, Compare compare) {
  while (true) {
    header = base::TrimSpace(header);
    if (header.empty()) return false;
    if (header.front() == ',') {
      header.remove_prefix(1);
      continue;
    }
    if (header.front() == '*') return true;
    const std::size_t length = TagLength(header);
    if (length == 0) return false;
    const std::string_view tag = header.substr(0, length);
    const bool equal = compare == Compare::kWeakly ? WithoutWeak(tag) == WithoutWeak(etag)
                                                   : tag == etag && !tag.starts_with(kWeak);
    if (equal) return true;
    header.remove_prefix(length);
  }
}

}  // namespace

std::optional<int> EndedByCondition(const Request& request, std::string_view etag) {
  const std::string_view wanted = request.headers.First("if-match");
  if (!wanted.empty() && !Names(wanted, etag, Compare::kStrongly)) return 412;
  if (!Names(request.headers.First("if-none-match"), etag, Compare::kWeakly)) return std::nullopt;
  return request.method == "GET" || request.method == "HEAD" ? 304 : 412;
}

}  // namespace annex::api
