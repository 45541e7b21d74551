#include "annex/base/strings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace annex::base {
namespace {

constexpr std::string_view kBase64Alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64UrlAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr char32_t kReplacement = 0xFFFD;

std::string EncodeWith(std::string_view alphabet, bool padded, std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = (group << 8U) | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j <= count; ++j) text += alphabet[(group >> (18U - 6U * j)) & 0x3FU];
    if (padded) text.append(3 - count, '=');
  }
  return text;
}

std::optional<std::string> DecodeWith(std::string_view alphabet, bool padded, std::string_view text) {
  if (padded) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char character : text) {
    const auto value = alphabet.find(character);
    if (value == std::string_view::npos) return std::nullopt;
    group = (group << 6U) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>((group >> bits) & 0xFFU);
    }
  }
  return bytes;
}

// The escapes that Go's strconv.Quote uses; "" if the character stands for itself.
std::string QuoteEscape(char32_t code_point) {
  switch (code_point) {
    case U'\a':
      return "\\a";
    case U'\b':
      return "\\b";
    case U'\f':
      return "\\f";
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    case U'\v':
      return "\\v";
    case U'"':
      return "\\\"";
    case U'\\':
      return "\\\\";
    default:
      break;
  }
  if (IsPrintable(code_point)) return {};
  std::array<char, 16> escape{};
  const char* form = code_point < 0x10000 ? "\\u%04x" : "\\U%08x";
  if (code_point < 0x20 || code_point == 0x7F) form = "\\x%02x";
  std::snprintf(escape.data(), escape.size(), form, static_cast<unsigned>(code_point));
  return escape.data();
}

}  // namespace

std::string HexEncode(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4U];
    text += kDigits[static_cast<unsigned char>(byte) & 0xFU];
  }
  return text;
}

std::string Base64Encode(std::string_view bytes) {
  return EncodeWith(kBase64Alphabet, true, bytes);
}
std::optional<std::string> Base64Decode(std::string_view text) {
  return DecodeWith(kBase64Alphabet, true, text);
}
std::string Base64UrlEncode(std::string_view bytes) {
  return EncodeWith(kBase64UrlAlphabet, false, bytes);
}
std::optional<std::string> Base64UrlDecode(std::string_view text) {
  return DecodeWith(kBase64UrlAlphabet, false, text);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string_view TrimSpace(std::string_view text) {
  static constexpr std::string_view kSpace = " \t\r\n\v\f";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return lower;
}

std::string AsciiUpper(std::string_view text) {
  std::string upper(text);
  for (char& character : upper) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
  }
  return upper;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && AsciiLower(a) == AsciiLower(b);
}

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t begin = position;
    const char32_t code_point = NextCodePoint(text, position);
    const std::string_view source = text.substr(begin, position - begin);
    if (code_point == kReplacement && source.size() == 1) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned char>(source[0]));
      quoted += escape.data();
    } else if (const std::string escape = QuoteEscape(code_point); !escape.empty()) {
      quoted += escape;
    } else {
      quoted += source;
    }
  }
  quoted += '"';
  return quoted;
}

std::optional<std::uint64_t> ParseUint64(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> ParseInt64(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

char32_t NextCodePoint(std::string_view text, std::size_t& position) {
  const auto byte_at = [&](std::size_t index) -> std::uint32_t {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
  };
  const std::uint32_t lead = byte_at(position);
  if (lead < 0x80) {
    ++position;
    return lead;
  }
  std::size_t length = 0;
  std::uint32_t code_point = 0;
  std::uint32_t smallest = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, code_point = lead & 0x1FU, smallest = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, code_point = lead & 0x0FU, smallest = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, code_point = lead & 0x07U, smallest = 0x10000;
  }
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint32_t next = byte_at(position + i);
    if ((next & 0xC0U) != 0x80U) length = 0;
    code_point = (code_point << 6U) | (next & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (length == 0 || code_point < smallest || code_point > 0x10FFFF || surrogate) {
    ++position;
    return kReplacement;
  }
  position += length;
  return code_point;
}

void AppendUtf8(std::string& text, char32_t code_point) {
  const auto append = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xC0U | (code_point >> 6U));
    append(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    append(0xE0U | (code_point >> 12U));
    append(0x80U | ((code_point >> 6U) & 0x3FU));
    append(0x80U | (code_point & 0x3FU));
  } else {
    append(0xF0U | (code_point >> 18U));
    append(0x80U | ((code_point >> 12U) & 0x3FU));
    append(0x80U | ((code_point >> 6U) & 0x3FU));
    append(0x80U | (code_point & 0x3FU));
  }
}

std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t position = 0; position < text.size(); ++count) NextCodePoint(text, position);
  return count;
}

}  // namespace annex::base
