#include "annex/base/log.h"
#include "world.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

// The seeds of a normal run; `simulate` runs as many as one likes.
constexpr std::uint64_t kSeeds = 200;
constexpr std::uint64_t kSabotagedSeeds = 25;

void Quiet() {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
}

// The seeds in which a broken world was seen to be broken.
std::uint64_t FoundOut(Sabotage sabotage) {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= kSabotagedSeeds; ++seed) {
    if (!Simulate(seed, sabotage).failure.empty()) ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("worlds of many seeds keep every promise of store and hub", "[simulation]") {
  Quiet();
  Tally tally;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome outcome = Simulate(seed);
    if (!outcome.failure.empty())
      FAIL_CHECK("simulate --seeds 1 --first " << seed << " --trace: " << outcome.failure);
    tally += outcome.tally;
  }
  // A simulation in which nothing happens finds nothing.
  CHECK(tally.commits > 100 * kSeeds);
  CHECK(tally.lists > 20 * kSeeds);
  CHECK(tally.events > 30 * kSeeds);
  CHECK(tally.expired > kSeeds);
  CHECK(tally.drops > kSeeds / 4);
  CHECK(tally.faults > kSeeds);
  CHECK(tally.power_losses > kSeeds / 2);
  CHECK(tally.process_crashes > kSeeds / 2);
  CHECK(tally.settled > kSeeds / 5);
}

TEST_CASE("a seed always gives the same world", "[simulation]") {
  Quiet();
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::uint64_t digest = Simulate(seed).digest;
    CHECK(Simulate(seed).digest == digest);
    CHECK(Simulate(seed + 1000).digest != digest);
  }
}

TEST_CASE("a disk that loses synced writes is found out", "[simulation][control]") {
  Quiet();
  CHECK(FoundOut(Sabotage::kIgnoreSyncs) > kSabotagedSeeds / 4);
}

TEST_CASE("events that the hub never got are found out", "[simulation][control]") {
  Quiet();
  CHECK(FoundOut(Sabotage::kDropEvent) > kSabotagedSeeds / 4);
}

TEST_CASE("events that the hub got twice are found out", "[simulation][control]") {
  Quiet();
  CHECK(FoundOut(Sabotage::kRepeatEvent) > kSabotagedSeeds / 4);
}

}  // namespace annex::test
