#include "annex/json/float_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace annex::json {
namespace {

// The number is 0.DIGITS * 10^point.
struct Decimal {
  bool negative = false;
  std::string digits;
  int point = 0;
};

template <typename Float>
Decimal Shortest(Float number) {
  Decimal decimal;
  decimal.negative = std::signbit(number);
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(number),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t mark = text.find('e');
  for (const char digit : text.substr(0, mark)) {
    if (digit != '.') decimal.digits += digit;
  }
  int exponent = 0;
  const std::size_t sign = text[mark + 1] == '+' ? 1 : 0;
  std::from_chars(text.data() + mark + 1 + sign, text.data() + text.size(), exponent);
  decimal.point = number == 0 ? 1 : exponent + 1;
  return decimal;
}

void AppendPlain(std::string& out, const Decimal& decimal) {
  const auto size = static_cast<int>(decimal.digits.size());
  if (decimal.point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-decimal.point), '0');
    out += decimal.digits;
  } else if (decimal.point >= size) {
    out += decimal.digits;
    out.append(static_cast<std::size_t>(decimal.point - size), '0');
  } else {
    out.append(decimal.digits, 0, static_cast<std::size_t>(decimal.point));
    out += '.';
    out.append(decimal.digits, static_cast<std::size_t>(decimal.point));
  }
}

void AppendScientific(std::string& out, const Decimal& decimal) {
  out += decimal.digits[0];
  if (decimal.digits.size() > 1) out.append(1, '.').append(decimal.digits, 1);
  const int exponent = decimal.point - 1;
  out += exponent < 0 ? "e-" : "e+";
  const std::string text = std::to_string(std::abs(exponent));
  if (text.size() < 2) out += '0';
  out += text;
}

void AppendGeneral(std::string& out, const Decimal& decimal) {
  // Where Go switches to an exponent when it looks for the shortest digits.
  constexpr int kSmallestPlain = -4;
  constexpr int kSmallestScientific = 6;
  if (decimal.negative) out += '-';
  const int exponent = decimal.point - 1;
  if (exponent < kSmallestPlain || exponent >= kSmallestScientific) {
    AppendScientific(out, decimal);
  } else {
    AppendPlain(out, decimal);
  }
}

}  // namespace

void AppendFloat(std::string& out, double number) {
  AppendGeneral(out, Shortest(number));
}
void AppendFloat32(std::string& out, float number) {
  AppendGeneral(out, Shortest(number));
}

void AppendFloatDigits(std::string& out, double number) {
  const Decimal decimal = Shortest(number);
  if (decimal.negative) out += '-';
  AppendPlain(out, decimal);
}

}  // namespace annex::json
