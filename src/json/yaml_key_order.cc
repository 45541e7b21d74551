#include "yaml_key_order.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace annex::json {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Characters beyond ASCII that are no letters: the common ones. A key with another such character may be
// sorted at another place than go-yaml's.
constexpr Range kNoLetters[] = {
    {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},       {0xD7, 0xD7},
    {0xF7, 0xF7},     {0x300, 0x36F},   {0x2000, 0x2070}, {0x2072, 0x207E},   {0x2080, 0x208F},
    {0x20A0, 0x20F0}, {0x2190, 0x2BFF}, {0x3000, 0x3004}, {0x3007, 0x3030},   {0xD7FC, 0xF8FF},
    {0xFE00, 0xFE6F}, {0xFEFD, 0xFF20}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF},
};

bool IsDigit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool IsLetter(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return std::none_of(std::begin(kNoLetters), std::end(kNoLetters),
                      [c](const Range& range) { return c >= range.first && c <= range.last; });
}

// The number at `position`, wrapped to 64 bits as in Go, and where it ends.
template <typename Text>
std::int64_t NumberAt(const Text& text, std::size_t& position, std::uint64_t before) {
  std::uint64_t number = before;
  for (; position < text.size() && IsDigit(static_cast<char32_t>(text[position])); ++position) {
    number = number * 10 +
             static_cast<std::uint64_t>(text[position] - static_cast<typename Text::value_type>('0'));
  }
  return static_cast<std::int64_t>(number);
}

// REQUIRES: equal up to `i`, different there, both go on.
template <typename Text>
bool LessAt(const Text& a, const Text& b, std::size_t i) {
  const auto a_char = static_cast<char32_t>(a[i]);
  const auto b_char = static_cast<char32_t>(b[i]);
  const bool a_letter = IsLetter(a_char);
  const bool b_letter = IsLetter(b_char);
  if (a_letter && b_letter) return a_char < b_char;
  if (a_letter || b_letter) return b_letter;
  // A zero within a number counts: "10" is more than "1-".
  std::uint64_t before = 0;
  if (a_char == '0' || b_char == '0') {
    for (std::size_t j = i; j > 0 && IsDigit(static_cast<char32_t>(a[j - 1])) && before == 0; --j) {
      if (a[j - 1] != static_cast<typename Text::value_type>('0')) before = 1;
    }
  }
  std::size_t a_end = i;
  std::size_t b_end = i;
  const std::int64_t a_number = NumberAt(a, a_end, before);
  const std::int64_t b_number = NumberAt(b, b_end, before);
  if (a_number != b_number) return a_number < b_number;
  if (a_end != b_end) return a_end < b_end;
  return a_char < b_char;
}

template <typename Text>
bool Less(const Text& a, const Text& b) {
  const std::size_t size = std::min(a.size(), b.size());
  const auto i = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size), b.begin()).first - a.begin());
  return i < size ? LessAt(a, b, i) : a.size() < b.size();
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::u32string CodePoints(std::string_view text) {
  std::u32string code_points;
  for (std::size_t position = 0; position < text.size();) code_points += base::NextCodePoint(text, position);
  return code_points;
}

}  // namespace

bool YamlKeyLess(std::string_view a, std::string_view b) {
  if (IsAscii(a) && IsAscii(b)) return Less(a, b);
  return Less(CodePoints(a), CodePoints(b));
}

}  // namespace annex::json
