// date, datetime and duration.
#include "annex/base/strings.h"
#include "annex/schema/go_duration.h"
#include "annex/schema/go_time.h"
#include "digits.h"
#include "formats.h"

#include <cstdint>
#include <optional>
#include <string>

namespace annex::schema {
namespace {

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
  return CheckGoDuration(text).has_value() || IsScalaDuration(text);
}

}  // namespace annex::schema
