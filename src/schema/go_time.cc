#include "annex/schema/go_time.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

namespace annex::schema {
namespace {

constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::size_t kMaxFractionDigits = 9;

bool IsDigit(std::string_view text, std::size_t index) {
  return index < text.size() && text[index] >= '0' && text[index] <= '9';
}

int DigitAt(std::string_view text, std::size_t index) {
  return text[index] - '0';
}

// As package time quotes in its errors: everything beyond ASCII and every control character as \x.
std::string QuoteForTime(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x80 || byte < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(byte));
      quoted += escape.data();
    } else {
      if (character == '"' || character == '\\') quoted += '\\';
      quoted += character;
    }
  }
  return quoted + '"';
}

std::string_view LayoutText(TimeLayout layout) {
  switch (layout) {
    case TimeLayout::kRfc3339:
      return "2006-01-02T15:04:05Z07:00";
    case TimeLayout::kRfc3339Micro:
      return "2006-01-02T15:04:05.000000Z07:00";
    case TimeLayout::kDate:
      return "2006-01-02";
  }
  return "";
}

// Reads the elements of a layout in their order. The first failure is kept, and nothing is read after it.
class Parser {
 public:
  Parser(std::string_view text, TimeLayout layout) : text_(text), rest_(text), layout_(layout) {}

  tl::expected<Moment, std::string> Parse() {
    if (ReadDate() && layout_ != TimeLayout::kDate) ReadClock() && ReadFraction() && ReadZone();
    if (error_.empty() && !rest_.empty()) Fail(": extra text: " + QuoteForTime(rest_));
    if (error_.empty() && (day_ < 1 || day_ > DaysInMonth())) Fail(": day out of range");
    if (!error_.empty()) return tl::make_unexpected(std::move(error_));
    return Result();
  }

 private:
  bool Fail(const std::string& message) {
    error_ = "parsing time " + QuoteForTime(text_) + message;
    return false;
  }
  bool FailAt(std::string_view rest, std::string_view element) {
    return Fail(" as " + QuoteForTime(LayoutText(layout_)) + ": cannot parse " + QuoteForTime(rest) + " as " +
                QuoteForTime(element));
  }
  bool OutOfRange(std::string_view what) { return Fail(": " + std::string(what) + " out of range"); }

  bool Skip(char separator) {
    if (rest_.empty() || rest_[0] != separator) return FailAt(rest_, std::string_view(&separator, 1));
    rest_.remove_prefix(1);
    return true;
  }

  enum class Width : std::uint8_t { kOneOrTwo, kTwo };
  std::optional<int> Number(Width width) {
    if (!IsDigit(rest_, 0)) return std::nullopt;
    int number = DigitAt(rest_, 0);
    if (IsDigit(rest_, 1)) {
      number = number * 10 + DigitAt(rest_, 1);
      rest_.remove_prefix(2);
    } else {
      if (width == Width::kTwo) return std::nullopt;
      rest_.remove_prefix(1);
    }
    return number;
  }

  bool ReadNumber(int& into, Width width, std::string_view element) {
    const auto number = Number(width);
    if (!number) return FailAt(rest_, element);
    into = *number;
    return true;
  }

  bool ReadYear() {
    if (rest_.size() < 4) return FailAt(rest_, "2006");
    for (std::size_t i = 0; i < 4; ++i) {
      if (!IsDigit(rest_, i)) return FailAt(rest_, "2006");
      year_ = year_ * 10 + DigitAt(rest_, i);
    }
    rest_.remove_prefix(4);
    return true;
  }

  bool ReadDate() {
    if (!ReadYear() || !Skip('-') || !ReadNumber(month_, Width::kTwo, "01")) return false;
    if (month_ < 1 || month_ > 12) return OutOfRange("month");
    return Skip('-') && ReadNumber(day_, Width::kTwo, "02");
  }

  bool ReadClock() {
    if (!Skip('T') || !ReadNumber(hour_, Width::kOneOrTwo, "15")) return false;
    if (hour_ >= 24) return OutOfRange("hour");
    if (!Skip(':') || !ReadNumber(minute_, Width::kTwo, "04")) return false;
    if (minute_ >= 60) return OutOfRange("minute");
    if (!Skip(':') || !ReadNumber(second_, Width::kTwo, "05")) return false;
    if (second_ >= 60) return OutOfRange("second");
    return true;
  }

  bool AtFraction() const {
    return rest_.size() >= 2 && (rest_[0] == '.' || rest_[0] == ',') && IsDigit(rest_, 1);
  }

  // The first `size` bytes of the rest are a mark and digits; digits beyond the nanosecond are dropped.
  void TakeFraction(std::size_t size) {
    int scale = 100'000'000;
    for (std::size_t i = 1; i < std::min(size, kMaxFractionDigits + 1); ++i, scale /= 10) {
      nanoseconds_ += DigitAt(rest_, i) * scale;
    }
    rest_.remove_prefix(size);
  }

  bool ReadFraction() {
    if (layout_ == TimeLayout::kRfc3339Micro) {
      constexpr std::size_t kSize = 7;
      bool fits = rest_.size() >= kSize && (rest_[0] == '.' || rest_[0] == ',');
      for (std::size_t i = 1; fits && i < kSize; ++i) fits = IsDigit(rest_, i);
      if (!fits) return FailAt(rest_, ".000000");
      TakeFraction(kSize);
    } else if (AtFraction()) {
      std::size_t size = 2;
      while (IsDigit(rest_, size)) ++size;
      TakeFraction(size);
    }
    return true;
  }

  bool ReadZone() {
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return true;
    }
    constexpr std::string_view kElement = "Z07:00";
    const std::string_view hold = rest_;
    if (rest_.size() < 6 || rest_[3] != ':') return FailAt(hold, kElement);
    const bool digits = IsDigit(rest_, 1) && IsDigit(rest_, 2);
    const int hours = digits ? DigitAt(rest_, 1) * 10 + DigitAt(rest_, 2) : 0;
    const bool minute_digits = digits && IsDigit(rest_, 4) && IsDigit(rest_, 5);
    const int minutes = minute_digits ? DigitAt(rest_, 4) * 10 + DigitAt(rest_, 5) : 0;
    rest_.remove_prefix(6);
    // One more than there are, because people write 24:00 and :60.
    if (hours > 24) return OutOfRange("time zone offset hour");
    if (minutes > 60) return OutOfRange("time zone offset minute");
    if (!minute_digits || (hold[0] != '+' && hold[0] != '-')) return FailAt(hold, kElement);
    zone_seconds_ = (hours * 60 + minutes) * 60 * (hold[0] == '-' ? -1 : 1);
    return true;
  }

  int DaysInMonth() const {
    const bool leap = year_ % 4 == 0 && (year_ % 100 != 0 || year_ % 400 == 0);
    static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return kDays[static_cast<std::size_t>(month_ - 1)] + (month_ == 2 && leap ? 1 : 0);
  }

  Moment Result() const {
    const std::chrono::year_month_day date{std::chrono::year(year_),
                                           std::chrono::month(static_cast<unsigned>(month_)),
                                           std::chrono::day(static_cast<unsigned>(day_))};
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t clock = (hour_ * 60 + minute_) * 60 + second_ - zone_seconds_;
    return {days * kSecondsPerDay + clock, nanoseconds_};
  }

  const std::string_view text_;
  std::string_view rest_;
  const TimeLayout layout_;
  std::string error_;
  int year_ = 0;
  int month_ = 1;
  int day_ = 1;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  int nanoseconds_ = 0;
  int zone_seconds_ = 0;
};

}  // namespace

tl::expected<Moment, std::string> ParseTime(std::string_view text, TimeLayout layout) {
  return Parser(text, layout).Parse();
}

bool IsZeroTime(const Moment& moment) {
  constexpr std::int64_t kYearOne = -62135596800;
  return moment.seconds == kYearOne && moment.nanoseconds == 0;
}

std::string FormatTime(const Moment& moment, TimeLayout layout) {
  const std::int64_t days =
      (moment.seconds >= 0 ? moment.seconds : moment.seconds - (kSecondsPerDay - 1)) / kSecondsPerDay;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const auto clock = static_cast<int>(moment.seconds - days * kSecondsPerDay);
  const int year = static_cast<int>(date.year());
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s%04d-%02u-%02uT%02d:%02d:%02d", year < 0 ? "-" : "",
                year < 0 ? -year : year, static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), clock / 3600, clock / 60 % 60, clock % 60);
  std::string out = text.data();
  if (layout == TimeLayout::kRfc3339Micro) {
    std::snprintf(text.data(), text.size(), ".%06d", moment.nanoseconds / 1000);
    out += text.data();
  }
  return out + 'Z';
}

}  // namespace annex::schema
