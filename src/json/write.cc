#include "annex/json/write.h"

#include "annex/base/strings.h"

#include <array>
#include <charconv>
#include <cmath>

namespace annex::json {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// 1 for the bytes that a JSON string of Go cannot hold as they are: control characters, quotes, HTML's
// special characters and everything beyond ASCII (which needs a look: U+2028, U+2029, invalid bytes).
constexpr std::array<bool, 256> kNeedsCare = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < 256; ++i) table[i] = i < 0x20 || i >= 0x80;
  for (const char special : {'"', '\\', '<', '>', '&'}) table[static_cast<unsigned char>(special)] = true;
  return table;
}();

void AppendAsciiEscape(std::string& out, unsigned char byte) {
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHexDigits[byte >> 4U];
      out += kHexDigits[byte & 0xFU];
  }
}

// Appends the character at `position`, which needs care, and moves past it.
void AppendSpecial(std::string& out, std::string_view text, std::size_t& position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte < 0x80) {
    AppendAsciiEscape(out, byte);
    ++position;
    return;
  }
  const std::size_t begin = position;
  const char32_t code_point = base::NextCodePoint(text, position);
  if (code_point == 0xFFFD && position - begin == 1) {
    out += "\\ufffd";
  } else if (code_point == 0x2028 || code_point == 0x2029) {
    out += code_point == 0x2028 ? "\\u2028" : "\\u2029";
  } else {
    out.append(text, begin, position - begin);
  }
}

// From here on doubles skip integers, and the shortest digits that tell them apart are fewer than all of
// them.
constexpr double kExactIntegers = 9007199254740992;  // 2^53

// The shortest digits, filled up with zeros: 2^63 is 9223372036854776000.
void AppendLargeNumber(std::string& out, double number) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific).ptr;
  const std::string_view shown(text.data(), static_cast<std::size_t>(end - text.data()));
  const std::size_t exponent_at = shown.find('e');
  std::size_t exponent = 0;
  std::from_chars(shown.data() + exponent_at + 2, end, exponent);  // "e+18"
  std::string digits;
  for (const char character : shown.substr(0, exponent_at)) {
    if (character >= '0' && character <= '9') digits += character;
  }
  digits.resize(exponent + 1, '0');
  if (number < 0) out += '-';
  out += digits;
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  std::size_t position = 0;
  while (position < text.size()) {
    std::size_t end = position;
    while (end < text.size() && !kNeedsCare[static_cast<unsigned char>(text[end])]) ++end;
    out.append(text, position, end - position);
    position = end;
    if (position < text.size()) AppendSpecial(out, text, position);
  }
  out += '"';
}

void AppendJsonNumber(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  if (number == 0) {
    out += '0';
    return;
  }
  const double size = std::fabs(number);
  if (size >= kExactIntegers && size < 1e21) {
    AppendLargeNumber(out, number);
    return;
  }
  const bool scientific = size != 0 && (size < 1e-6 || size >= 1e21);
  std::array<char, 400> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number,
                    scientific ? std::chars_format::scientific : std::chars_format::fixed);
  std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
  // Go writes e-9 where C++ writes e-09.
  if (scientific && digits.size() >= 4 && digits[digits.size() - 4] == 'e' &&
      digits[digits.size() - 2] == '0' && digits[digits.size() - 3] == '-') {
    out.append(digits.substr(0, digits.size() - 2));
    out += digits.back();
  } else {
    out += digits;
  }
}

void AppendJson(std::string& out, const Value& value) {
  switch (value.type()) {
    case Value::value_t::object: {
      out += '{';
      bool first = true;
      for (const auto& [key, member] : value.get_ref<const Value::object_t&>()) {
        if (!first) out += ',';
        first = false;
        AppendJsonString(out, key);
        out += ':';
        AppendJson(out, member);
      }
      out += '}';
      return;
    }
    case Value::value_t::array: {
      out += '[';
      bool first = true;
      for (const Value& item : value.get_ref<const Value::array_t&>()) {
        if (!first) out += ',';
        first = false;
        AppendJson(out, item);
      }
      out += ']';
      return;
    }
    case Value::value_t::string:
      AppendJsonString(out, value.get_ref<const std::string&>());
      return;
    case Value::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Value::value_t::number_integer:
    case Value::value_t::number_unsigned: {
      std::array<char, 24> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(), value.get<std::int64_t>()).ptr;
      out.append(text.data(), static_cast<std::size_t>(end - text.data()));
      return;
    }
    case Value::value_t::number_float:
      AppendJsonNumber(out, value.get<double>());
      return;
    case Value::value_t::null:
    case Value::value_t::binary:
    case Value::value_t::discarded:
      out += "null";
      return;
  }
}

std::string ToJson(const Value& value) {
  std::string out;
  AppendJson(out, value);
  return out;
}

std::string ToPrettyJson(const Value& value) {
  return Indent(ToJson(value));
}

std::string Indent(std::string_view json) {
  std::string out;
  out.reserve(json.size() * 2);
  std::size_t depth = 0;
  const auto new_line = [&] {
    out += '\n';
    out.append(depth * 2, ' ');
  };
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char character = json[i];
    if (in_string) {
      out += character;
      if (character == '\\') {
        out += json[++i];
      } else if (character == '"') {
        in_string = false;
      }
      continue;
    }
    const bool opens = character == '{' || character == '[';
    if (opens && i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']')) {
      out += character;
      out += json[++i];
    } else if (opens) {
      out += character;
      ++depth;
      new_line();
    } else if (character == '}' || character == ']') {
      --depth;
      new_line();
      out += character;
    } else if (character == ',') {
      out += character;
      new_line();
    } else if (character == ':') {
      out += ": ";
    } else {
      in_string = character == '"';
      out += character;
    }
  }
  return out;
}

}  // namespace annex::json
