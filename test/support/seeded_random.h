// SeededRandom: a base::Random whose numbers follow from its seed, on every machine.
//
// Thread rule: thread-safe; the order in which threads ask decides who gets which number.
#pragma once

#include "annex/base/mutex.h"
#include "annex/base/random.h"

#include <cstdint>

namespace annex::test {

// SplitMix64: enough for choosing; seeds that differ by one give unrelated sequences.
class SeededRandom final : public base::Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() override {
    const base::MutexLock lock(mutex_);
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31U);
  }

  // True once in `times` on average.
  bool OneIn(std::uint64_t times) { return Below(times) == 0; }
  // Uniform in [low, high].
  std::uint64_t Between(std::uint64_t low, std::uint64_t high) { return low + Below(high - low + 1); }

 private:
  base::Mutex mutex_;
  std::uint64_t state_ ANNEX_GUARDED_BY(mutex_);
};

}  // namespace annex::test
