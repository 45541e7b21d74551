#include "annex/base/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace annex::base {
namespace {

std::tm UtcFields(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm fields{};
  gmtime_r(&seconds, &fields);
  return fields;
}

}  // namespace

std::string Rfc3339(std::chrono::system_clock::time_point time) {
  const std::tm fields = UtcFields(std::chrono::floor<std::chrono::seconds>(time));
  std::array<char, 32> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return {text.data(), length};
}

std::string Rfc3339Micro(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time - whole).count();
  std::string text = Rfc3339(whole);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ", static_cast<int>(micros));
  text.replace(text.size() - 1, 1, fraction.data());
  return text;
}

}  // namespace annex::base
