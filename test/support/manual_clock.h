// ManualClock: a base::Clock that stands still until a test moves it.
//
// Thread rule: thread-safe, as every Clock.
#pragma once

#include "annex/base/clock.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace annex::test {

class ManualClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override {
    return std::chrono::system_clock::time_point(kBegin + Passed() + std::chrono::nanoseconds(jump_.load()));
  }
  std::chrono::steady_clock::time_point Monotonic() const override {
    return std::chrono::steady_clock::time_point(Passed());
  }

  void Advance(std::chrono::nanoseconds by) { passed_ += by.count(); }
  // Moves wall-clock time alone, as an operator or NTP does.
  void Jump(std::chrono::nanoseconds by) { jump_ += by.count(); }

 private:
  static constexpr std::chrono::seconds kBegin{1'800'000'000};  // 2027-01-15T08:00:00Z
  std::chrono::nanoseconds Passed() const { return std::chrono::nanoseconds(passed_.load()); }

  std::atomic<std::int64_t> passed_{0};
  std::atomic<std::int64_t> jump_{0};
};

}  // namespace annex::test
