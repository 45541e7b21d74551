// date, datetime and duration.
#include "annex/base/strings.h"
#include "formats.h"
#include "go_time.h"

#include <cstdint>
#include <optional>
#include <string>

namespace annex::schema {
namespace {

bool IsDigit(char character) {
  return character >= '0' && character <= '9';
}

// Takes the digits at the front of `text`.
std::string_view TakeDigits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

// "00:00:00" with a fraction behind any one character, and a zone: what follows the T, in lower case.
bool IsClock(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return false;
  for (const std::size_t i : {0U, 1U, 3U, 4U, 6U, 7U}) {
    if (!IsDigit(text[i])) return false;
  }
  if (text.substr(0, 2) > "23" || text.substr(3, 2) > "59" || text.substr(6, 2) > "59") return false;
  const auto is_zone = [](std::string_view zone) {
    if (zone == "z") return true;
    return zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && IsDigit(zone[1]) && IsDigit(zone[2]) &&
           zone[3] == ':' && IsDigit(zone[4]) && IsDigit(zone[5]);
  };
  std::string_view rest = text.substr(8);
  if (is_zone(rest)) return true;
  if (rest.empty() || rest[0] == '\n') return false;
  std::size_t mark = 0;
  base::NextCodePoint(rest, mark);
  rest.remove_prefix(mark);
  return !TakeDigits(rest).empty() && is_zone(rest);
}

// time.ParseDuration's units in nanoseconds; 0 for anything else.
std::uint64_t NanosecondsOf(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00B5s" || unit == "\u03BCs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  return unit == "h" ? 3'600'000'000'000 : 0;
}

constexpr std::uint64_t kTwoTo63 = std::uint64_t{1} << 63U;

// The nanoseconds of a fraction of `unit`. Digits that uint64 has no room for any more do not count.
std::uint64_t FractionOf(std::string_view digits, std::uint64_t unit) {
  std::uint64_t value = 0;
  double scale = 1;
  for (const char digit : digits) {
    if (value > (kTwoTo63 - 1) / 10) break;
    const std::uint64_t next = value * 10 + static_cast<std::uint64_t>(digit - '0');
    if (next > kTwoTo63) break;
    value = next;
    scale *= 10;
  }
  return static_cast<std::uint64_t>(static_cast<double>(value) * (static_cast<double>(unit) / scale));
}

// One "1.5h" of a duration, added to `total`. False if it is malformed or too long.
bool TakeDurationPart(std::string_view& text, std::uint64_t& total) {
  const std::string_view whole = TakeDigits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = TakeDigits(text);
  }
  if (whole.empty() && fraction.empty()) return false;
  std::size_t end = 0;
  while (end < text.size() && text[end] != '.' && !IsDigit(text[end])) ++end;
  const std::uint64_t unit = NanosecondsOf(text.substr(0, end));
  text.remove_prefix(end);
  const auto value = whole.empty() ? std::optional<std::uint64_t>(0) : base::ParseUint64(whole);
  if (unit == 0 || !value || *value > kTwoTo63 / unit) return false;
  const std::uint64_t nanoseconds = *value * unit + FractionOf(fraction, unit);
  total += nanoseconds;
  return nanoseconds <= kTwoTo63 && total <= kTwoTo63;
}

// time.ParseDuration: "1h30m", "-1.5s", "0".
bool IsGoDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  std::uint64_t total = 0;
  while (!text.empty()) {
    if (text[0] != '.' && !IsDigit(text[0])) return false;
    if (!TakeDurationPart(text, total)) return false;
  }
  return negative || total < kTwoTo63;
}

// Scala's units: whole words by their beginning, the others in any case. `unit` is in lower case.
bool IsScalaUnit(std::string_view unit) {
  for (const std::string_view word : {"nano", "micro", "milli", "sec", "min", "hour", "day", "week"}) {
    if (unit.starts_with(word)) return true;
  }
  for (const std::string_view word : {"ns", "us", "\u00B5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"}) {
    if (unit == word) return true;
  }
  return false;
}

// The letters of a unit: ASCII and the micro sign.
std::string_view TakeUnit(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const char lower = static_cast<char>(text[end] | 0x20);
    if (lower >= 'a' && lower <= 'z') {
      ++end;
    } else if (text.substr(end).starts_with("\u00B5")) {
      end += 2;
    } else {
      break;
    }
  }
  const std::string_view unit = text.substr(0, end);
  text.remove_prefix(end);
  return unit;
}

// "2 days and 3 hours": numbers with units anywhere in the text, one of them known; what stands between does
// not matter.
bool IsScalaDuration(std::string_view text) {
  bool found = false;
  while (!text.empty()) {
    const std::string_view number = TakeDigits(text);
    if (number.empty()) {
      text.remove_prefix(1);
      continue;
    }
    std::string_view rest = text;
    while (!rest.empty() && std::string_view("\t\n\f\r ").find(rest[0]) != std::string_view::npos)
      rest.remove_prefix(1);
    const std::string_view unit = TakeUnit(rest);
    if (unit.empty()) continue;
    if (!base::ParseInt64(number)) return false;
    found = found || IsScalaUnit(base::AsciiLower(unit));
    text = rest;
  }
  return found;
}

}  // namespace

bool IsDate(std::string_view text) {
  return ParseTime(text, TimeLayout::kDate).has_value();
}

bool IsDateTime(std::string_view text) {
  if (text.size() < 4) return false;
  const std::string lower = base::AsciiLower(text);
  // What stands behind a second T is never looked at.
  const auto parts = base::Split(lower, 't');
  return parts.size() >= 2 && IsDate(parts[0]) && IsClock(parts[1]);
}

bool IsDuration(std::string_view text) {
  return IsGoDuration(text) || IsScalaDuration(text);
}

}  // namespace annex::schema
