#include "yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <system_error>

namespace annex::json {
namespace {

using Type = YamlScalar::Type;

bool IsDigit(char character) {
  return character >= '0' && character <= '9';
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

YamlScalar Integer(std::int64_t value) {
  return {.type = Type::kInteger, .integer = value};
}
YamlScalar Float(double value) {
  return {.type = Type::kFloat, .number = value};
}
YamlScalar Boolean(bool value) {
  return {.type = Type::kBoolean, .boolean = value};
}

// Words in the only spellings that count: lower case, capitalized, upper case.
std::optional<YamlScalar> ResolveWord(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text.size() > 5) return std::nullopt;
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return YamlScalar{.type = Type::kNull};
  if (IsOneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
    return Boolean(true);
  if (IsOneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
    return Boolean(false);
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) return Float(std::numeric_limits<double>::quiet_NaN());
  if (IsOneOf(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return Float(kInfinity);
  if (IsOneOf(text, {"-.inf", "-.Inf", "-.INF"})) return Float(-kInfinity);
  return std::nullopt;
}

// Digits of `base` with an optional sign, all of `text`; nullopt also where 64 bits are too few.
std::optional<YamlScalar> ParseDigits(std::string_view text, int base, bool negative) {
  if (text.empty() || text[0] == '-') return std::nullopt;
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;
  if (negative) {
    if (magnitude > kLimit) return std::nullopt;
    return Integer(static_cast<std::int64_t>(-magnitude));
  }
  if (magnitude >= kLimit) return YamlScalar{.type = Type::kUnsigned, .unsigned_integer = magnitude};
  return Integer(static_cast<std::int64_t>(magnitude));
}

// Go's integer literals: 0b101, 0o17, 017, 0x1f and decimal ones.
std::optional<YamlScalar> ParseInteger(std::string_view text) {
  const bool is_signed = text.starts_with('-') || text.starts_with('+');
  const bool negative = text.starts_with('-');
  if (is_signed) text.remove_prefix(1);
  std::optional<YamlScalar> parsed;
  const char mark = text.size() > 2 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
  if (mark == 'b') {
    parsed = ParseDigits(text.substr(2), 2, negative);
  } else if (mark == 'o') {
    parsed = ParseDigits(text.substr(2), 8, negative);
  } else if (mark == 'x') {
    parsed = ParseDigits(text.substr(2), 16, negative);
  } else if (text.size() > 1 && text[0] == '0') {
    parsed = ParseDigits(text.substr(1), 8, negative);
  } else {
    parsed = ParseDigits(text, 10, negative);
  }
  // An explicit plus sign is no part of an unsigned literal.
  if (parsed && parsed->type == Type::kUnsigned && is_signed) return std::nullopt;
  return parsed;
}

std::size_t SkipDigits(std::string_view text, std::size_t position) {
  while (position < text.size() && IsDigit(text[position])) ++position;
  return position;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool LooksLikeFloat(std::string_view text) {
  std::size_t position = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t whole = SkipDigits(text, position);
  const bool has_whole = whole > position;
  position = whole;
  if (position < text.size() && text[position] == '.') {
    const std::size_t fraction = SkipDigits(text, position + 1);
    if (!has_whole && fraction == position + 1) return false;
    position = fraction;
  } else if (!has_whole) {
    return false;
  }
  if (position == text.size()) return true;
  if (text[position] != 'e' && text[position] != 'E') return false;
  ++position;
  if (position < text.size() && (text[position] == '-' || text[position] == '+')) ++position;
  return position < text.size() && SkipDigits(text, position) == text.size();
}

// REQUIRES: LooksLikeFloat(text). nullopt where the number is too large for a double.
std::optional<YamlScalar> ParseFloat(std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double number = 0;
  const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), number).ec;
  if (error == std::errc::result_out_of_range) {
    // Too large or too small? from_chars tells no difference.
    number = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::isinf(number)) return std::nullopt;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return Float(number);
}

// Whether each underscore stands between digits.
bool UnderscoresSeparateDigits(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && IsDigit(text[i - 1]) && i + 1 < text.size() && IsDigit(text[i + 1]);
    if (text[i] == '_' && !between) return false;
  }
  return true;
}

YamlScalar ResolveNumber(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  if (const auto integer = ParseInteger(plain)) return *integer;
  if (LooksLikeFloat(plain)) {
    if (const auto number = ParseFloat(plain)) return *number;
  }
  return {};
}

// Reads a timestamp piece by piece. Kubernetes sees timestamps as strings, so that it is one is all that
// counts.
class TimestampReader {
 public:
  explicit TimestampReader(std::string_view text) : text_(text) {}

  bool Read() {
    for (int i = 0; i < 4; ++i) {
      if (!IsDigit(At(static_cast<std::size_t>(i)))) return false;
      year_ = year_ * 10 + (text_[static_cast<std::size_t>(i)] - '0');
    }
    text_.remove_prefix(4);
    int month = 0;
    int day = 0;
    if (!Skip('-') || !Number(month) || month < 1 || month > 12) return false;
    if (!Skip('-') || !Number(day) || day < 1 || day > DaysIn(month)) return false;
    if (text_.empty()) return true;
    const bool zoned = text_[0] == 'T' || text_[0] == 't';
    if (!zoned && text_[0] != ' ') return false;
    text_.remove_prefix(1);
    while (!zoned && At(0) == ' ') text_.remove_prefix(1);
    return Clock() && (!zoned || Zone()) && text_.empty();
  }

 private:
  char At(std::size_t index) const { return index < text_.size() ? text_[index] : '\0'; }

  bool Skip(char expected) {
    if (At(0) != expected) return false;
    text_.remove_prefix(1);
    return true;
  }

  // One digit or two.
  bool Number(int& number) {
    if (!IsDigit(At(0))) return false;
    const std::size_t size = IsDigit(At(1)) ? 2 : 1;
    std::from_chars(text_.data(), text_.data() + size, number);
    text_.remove_prefix(size);
    return true;
  }

  int DaysIn(int month) const {
    constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year_ % 4 == 0 && (year_ % 100 != 0 || year_ % 400 == 0);
    return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
  }

  bool Clock() {
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (!Number(hour) || hour > 23 || !Skip(':')) return false;
    if (!Number(minute) || minute > 59 || !Skip(':')) return false;
    if (!Number(second) || second > 59) return false;
    if ((At(0) == '.' || At(0) == ',') && IsDigit(At(1))) text_.remove_prefix(SkipDigits(text_, 1));
    return true;
  }

  // Offsets of 24 hours and 60 minutes pass, as some people write them.
  bool Zone() {
    if (Skip('Z')) return true;
    if (text_.size() != 6 || (text_[0] != '+' && text_[0] != '-') || text_[3] != ':') return false;
    for (const std::size_t i : {1U, 2U, 4U, 5U}) {
      if (!IsDigit(text_[i])) return false;
    }
    const bool fits = text_.substr(1, 2) <= "24" && text_.substr(4, 2) <= "60";
    text_ = {};
    return fits;
  }

  std::string_view text_;
  int year_ = 0;
};

YamlScalar Resolve(std::string_view text, bool timestamps) {
  if (text.empty()) return {.type = Type::kNull};
  if (const auto word = ResolveWord(text)) return *word;
  const char first = text[0];
  // go-yaml leaves these to Go's own rules for underscores, but drops all underscores of those below.
  if (first == '.') return UnderscoresSeparateDigits(text) ? ResolveNumber(text) : YamlScalar();
  if (!IsDigit(first) && first != '-' && first != '+') return {};
  if (timestamps && TimestampReader(text).Read()) return {.type = Type::kTimestamp};
  return ResolveNumber(text);
}

// The suffix that the tag of a type has.
std::string_view TagOf(Type type) {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kBoolean:
      return "bool";
    case Type::kInteger:
    case Type::kUnsigned:
      return "int";
    case Type::kFloat:
      return "float";
    case Type::kTimestamp:
      return "timestamp";
    case Type::kString:
      return "str";
  }
  return "str";
}

}  // namespace

YamlScalar ResolveYamlScalar(std::string_view text) {
  return Resolve(text, true);
}

base::Result<YamlScalar> ResolveYamlScalar(std::string_view tag, std::string_view text) {
  if (tag.empty()) return Resolve(text, true);
  if (!tag.starts_with(kYamlTagPrefix)) return YamlScalar();
  const std::string_view wanted = tag.substr(kYamlTagPrefix.size());
  if (!IsOneOf(wanted, {"bool", "int", "float", "null", "timestamp"})) return YamlScalar();
  YamlScalar scalar = Resolve(text, wanted == "timestamp");
  const std::string_view found = TagOf(scalar.type);
  if (wanted == "float" && scalar.type == Type::kInteger) {
    return Float(static_cast<double>(scalar.integer));
  }
  if (found == wanted) return scalar;
  std::string message = "yaml: cannot decode !!";
  message.append(found).append(" `").append(text).append("` as a !!").append(wanted);
  return base::Error(base::Reason::kBadRequest, std::move(message));
}

}  // namespace annex::json
