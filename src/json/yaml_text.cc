#include "annex/base/strings.h"
#include "yaml_events.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace annex::json {
namespace {

// go-yaml reads its input in pieces of this size. A bad character is found when its piece is read, so before
// a syntax error in the same piece and after one in an earlier piece.
constexpr std::size_t kPieceBytes = 512;

bool IsAllowed(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
         (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

struct Decoded {
  char32_t code_point = 0;
  std::size_t width = 0;
  std::string_view problem = {};
};

std::uint32_t ByteAt(std::string_view input, std::size_t index) {
  return static_cast<unsigned char>(input[index]);
}

Decoded DecodeUtf8(std::string_view input, std::size_t position) {
  const std::uint32_t lead = ByteAt(input, position);
  if (lead < 0x80) return {lead, 1};
  std::size_t width = 0;
  if ((lead & 0xE0U) == 0xC0) width = 2;
  if ((lead & 0xF0U) == 0xE0) width = 3;
  if ((lead & 0xF8U) == 0xF0) width = 4;
  if (width == 0) return {.problem = "invalid leading UTF-8 octet"};
  if (position + width > input.size()) return {.problem = "incomplete UTF-8 octet sequence"};
  char32_t code_point = lead & (0xFFU >> (width + 1));
  for (std::size_t i = 1; i < width; ++i) {
    const std::uint32_t byte = ByteAt(input, position + i);
    if ((byte & 0xC0U) != 0x80) return {.problem = "invalid trailing UTF-8 octet"};
    code_point = (code_point << 6U) | (byte & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kSmallest[width]) return {.problem = "invalid length of a UTF-8 sequence"};
  if ((code_point >= 0xD800 && code_point <= 0xDFFF) || code_point > 0x10FFFF) {
    return {.problem = "invalid Unicode character"};
  }
  return {code_point, width};
}

Decoded DecodeUtf16(std::string_view input, std::size_t position, bool big_endian) {
  const auto unit = [&](std::size_t at) {
    const std::uint32_t first = ByteAt(input, at);
    const std::uint32_t second = ByteAt(input, at + 1);
    return big_endian ? (first << 8U) | second : (second << 8U) | first;
  };
  if (position + 2 > input.size()) return {.problem = "incomplete UTF-16 character"};
  const std::uint32_t first = unit(position);
  if ((first & 0xFC00U) == 0xDC00) return {.problem = "unexpected low surrogate area"};
  if ((first & 0xFC00U) != 0xD800) return {first, 2};
  if (position + 4 > input.size()) return {.problem = "incomplete UTF-16 surrogate pair"};
  const std::uint32_t second = unit(position + 2);
  if ((second & 0xFC00U) != 0xDC00) return {.problem = "expected low surrogate area"};
  return {0x10000 + ((first & 0x3FFU) << 10U) + (second & 0x3FFU), 4};
}

}  // namespace

YamlText ReadYamlText(std::string_view input) {
  YamlText read;
  if (input.size() > kMaxYamlBytes) return {.text = {}, .problem = "input is too large"};
  const bool utf16 = input.starts_with("\xFF\xFE") || input.starts_with("\xFE\xFF");
  const bool big_endian = input.starts_with("\xFE\xFF");
  std::size_t position = utf16 ? 2 : 0;
  if (input.starts_with("\xEF\xBB\xBF")) position = 3;
  read.text.reserve(input.size());
  std::size_t piece_begin = 0;
  std::size_t piece_text = 0;  // size of the text before this piece
  while (position < input.size()) {
    Decoded decoded = utf16 ? DecodeUtf16(input, position, big_endian) : DecodeUtf8(input, position);
    if (decoded.problem.empty() && !IsAllowed(decoded.code_point)) {
      decoded.problem = "control characters are not allowed";
    }
    // What is cut off by the end of a piece belongs to the next one.
    const bool cut_off = decoded.problem.starts_with("incomplete");
    if (cut_off || position + decoded.width > piece_begin + kPieceBytes ||
        position == piece_begin + kPieceBytes) {
      piece_begin = position;
      piece_text = read.text.size();
    }
    if (!decoded.problem.empty()) {
      read.text.resize(piece_text);
      read.problem = decoded.problem;
      return read;
    }
    if (utf16) {
      base::AppendUtf8(read.text, decoded.code_point);
    } else {
      read.text.append(input, position, decoded.width);
    }
    position += decoded.width;
  }
  return read;
}

}  // namespace annex::json
