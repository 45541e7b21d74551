#include "numbers.h"

#include <cmath>
#include <limits>

namespace annex::schema {
namespace {

// github.com/go-openapi/swag: the integers that every JSON library can hold.
constexpr double kLargestJsonInteger = 9007199254740991.0;
constexpr double kIntegerTolerance = 1e-9;

}  // namespace

std::int64_t TruncateToInt64(double number) {
  // 2^63 itself is not within int64; -2^63 is.
  constexpr double kLimit = 9223372036854775808.0;
  if (number >= -kLimit && number < kLimit) return static_cast<std::int64_t>(number);
  return std::numeric_limits<std::int64_t>::min();
}

bool PassesAsInteger(double number) {
  if (!(std::fabs(number) <= kLargestJsonInteger)) return false;
  const double truncated = std::trunc(number);
  if (truncated == number) return true;
  // The library compares with the number converted to unsigned, which leaves nothing near a negative one.
  if (number < 1) return false;
  return (number - truncated) / (number + truncated) < kIntegerTolerance;
}

double DoubleOf(const json::Value& value) {
  return value.is_number_float() ? value.get<double>() : static_cast<double>(value.get<std::int64_t>());
}

}  // namespace annex::schema
