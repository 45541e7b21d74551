// ProgressMeter: tells how far something is, in words for people, every few seconds.
//
//   ProgressMeter meter("copied", total, tell, clock);
//   co_await meter.Add(page.size());    // "copied 12000 of 100000 objects"
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/task.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace annex::source {

class ProgressMeter {
 public:
  using Tell = std::function<base::Task<void>(std::string message)>;

  // `total` may turn out too small: others go on adding objects.
  ProgressMeter(std::string done_word, std::int64_t total, Tell tell, const base::Clock& clock)
      : done_word_(std::move(done_word)), total_(total), tell_(std::move(tell)), clock_(clock) {}

  base::Task<void> Add(std::int64_t count) {
    done_ += count;
    constexpr std::chrono::seconds kInterval{2};
    const auto now = clock_.Monotonic();
    if (now - told_ < kInterval) co_return;
    told_ = now;
    co_await tell_(Text());
  }

  std::string Text() const {
    return done_word_ + " " + std::to_string(done_) + " of " + std::to_string(std::max(done_, total_)) +
           " objects";
  }
  std::int64_t done() const { return done_; }

 private:
  const std::string done_word_;
  const std::int64_t total_;
  const Tell tell_;
  const base::Clock& clock_;
  std::chrono::steady_clock::time_point told_ = clock_.Monotonic();
  std::int64_t done_ = 0;
};

}  // namespace annex::source
