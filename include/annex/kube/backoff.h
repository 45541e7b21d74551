// Backoff: how long to wait before the next try: longer each time, with some chance in it, so that many do
// not come at once.
//
// Thread rule: a value type.
#pragma once

#include "annex/base/random.h"

#include <algorithm>
#include <chrono>

namespace annex::kube {

class Backoff {
 public:
  struct Options {
    std::chrono::milliseconds first;
    double factor;
    double jitter;  // a wait is up to this fraction longer
    std::chrono::milliseconds longest;
  };
  explicit Backoff(Options options) : options_(options), next_(options.first) {}

  std::chrono::milliseconds Next(base::Random& random) {
    constexpr std::uint64_t kSteps = 1000;
    const double chance = static_cast<double>(random.Below(kSteps)) / static_cast<double>(kSteps);
    const auto wait = Scaled(next_, 1 + options_.jitter * chance);
    next_ = std::min(Scaled(next_, options_.factor), options_.longest);
    return wait;
  }
  void Reset() { next_ = options_.first; }

 private:
  static std::chrono::milliseconds Scaled(std::chrono::milliseconds wait, double factor) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(wait.count()) * factor));
  }
  Options options_;
  std::chrono::milliseconds next_;
};

}  // namespace annex::kube
