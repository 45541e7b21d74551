// simulate: runs the simulated worlds of many seeds.
//
//   simulate --seeds N [--first S] [--trace]
//
// Prints, for each seed that fails, one line with the command that runs it again. With --trace every step is
// printed (to stdout).
#include "annex/base/log.h"
#include "world.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using annex::test::Outcome;

struct Arguments {
  std::uint64_t seeds = 100;
  std::uint64_t first = 1;
  bool trace = false;
  bool good = true;
};

Arguments Parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = values[i];
    if (name == "--trace") {
      arguments.trace = true;
    } else if ((name == "--seeds" || name == "--first") && i + 1 < count) {
      (name == "--seeds" ? arguments.seeds : arguments.first) = std::strtoull(values[++i], nullptr, 10);
    } else {
      arguments.good = false;
    }
  }
  return arguments;
}

void Print(std::string_view line) {
  std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace

int main(int count, char** values) {
  const Arguments arguments = Parse(count, values);
  if (!arguments.good) {
    std::fprintf(stderr, "usage: simulate --seeds N [--first S] [--trace]\n");
    return 2;
  }
  annex::base::SetUpLogging(annex::base::LogFormat::kText, annex::base::LogLevel::kError);
  // Faults make the store log errors, thousands of them.
  if (!arguments.trace && std::freopen("/dev/null", "w", stderr) == nullptr) return 2;

  annex::test::Tally tally;
  std::uint64_t failed = 0;
  for (std::uint64_t seed = arguments.first; seed < arguments.first + arguments.seeds; ++seed) {
    const Outcome outcome =
        annex::test::Simulate(seed, annex::test::Sabotage::kNone,
                              arguments.trace ? Print : std::function<void(std::string_view)>());
    tally += outcome.tally;
    if (outcome.failure.empty()) continue;
    ++failed;
    std::printf("simulate --seeds 1 --first %llu --trace   # %s\n", static_cast<unsigned long long>(seed),
                outcome.failure.c_str());
    std::fflush(stdout);
  }
  std::printf(
      "%llu seeds, %llu failed: %llu commits, %llu lists, %llu watch events, %llu expired, %llu drops, %llu "
      "faults, "
      "%llu power losses, %llu process crashes, %llu settled\n",
      static_cast<unsigned long long>(arguments.seeds), static_cast<unsigned long long>(failed),
      static_cast<unsigned long long>(tally.commits), static_cast<unsigned long long>(tally.lists),
      static_cast<unsigned long long>(tally.events), static_cast<unsigned long long>(tally.expired),
      static_cast<unsigned long long>(tally.drops), static_cast<unsigned long long>(tally.faults),
      static_cast<unsigned long long>(tally.power_losses),
      static_cast<unsigned long long>(tally.process_crashes), static_cast<unsigned long long>(tally.settled));
  return failed == 0 ? 0 : 1;
}
