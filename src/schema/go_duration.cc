#include "annex/schema/go_duration.h"

#include "annex/base/strings.h"
#include "digits.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace annex::schema {
namespace {

std::string_view TakeUnit(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '.' && !IsDigit(text[end])) ++end;
  const std::string_view unit = text.substr(0, end);
  text.remove_prefix(end);
  return unit;
}

// A unit in nanoseconds; 0 for anything else.
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

class Parser {
 public:
  explicit Parser(std::string_view text) : whole_(text), rest_(text) {}

  tl::expected<void, std::string> Check() {
    const bool negative = rest_.starts_with('-');
    if (negative || rest_.starts_with('+')) rest_.remove_prefix(1);
    if (rest_ == "0") return {};
    if (rest_.empty()) return Invalid();
    while (!rest_.empty()) {
      if (auto part = TakePart(); !part) return part;
    }
    return negative || total_ < kTwoTo63 ? tl::expected<void, std::string>() : Invalid();
  }

 private:
  // One "1.5h", added to the total.
  tl::expected<void, std::string> TakePart() {
    const std::string_view digits = TakeDigits(rest_);
    const auto value = digits.empty() ? std::optional<std::uint64_t>(0) : base::ParseUint64(digits);
    std::string_view fraction;
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      fraction = TakeDigits(rest_);
    }
    if (!value || *value > kTwoTo63 || (digits.empty() && fraction.empty())) return Invalid();
    const std::string_view name = TakeUnit(rest_);
    if (name.empty()) return Problem("missing unit in duration ");
    const std::uint64_t unit = NanosecondsOf(name);
    if (unit == 0) return Problem("unknown unit " + base::Quote(name) + " in duration ");
    if (*value > kTwoTo63 / unit) return Invalid();
    const std::uint64_t nanoseconds = *value * unit + FractionOf(fraction, unit);
    total_ += nanoseconds;
    return nanoseconds <= kTwoTo63 && total_ <= kTwoTo63 ? tl::expected<void, std::string>() : Invalid();
  }

  tl::expected<void, std::string> Invalid() const { return Problem("invalid duration "); }
  tl::expected<void, std::string> Problem(const std::string& what) const {
    return tl::make_unexpected("time: " + what + base::Quote(whole_));
  }

  const std::string_view whole_;
  std::string_view rest_;
  std::uint64_t total_ = 0;
};

}  // namespace

tl::expected<void, std::string> CheckGoDuration(std::string_view text) {
  return Parser(text).Check();
}

}  // namespace annex::schema
