// ProgressLines: what happens, as it happens, a line for each step with the time since the begin. On a
// terminal, what a step says anew takes the place of what it said before.
//
// Thread rule: used by one thread at a time.
#pragma once

#include "annex/base/clock.h"

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace annex::server {

class ProgressLines {
 public:
  enum class Medium : std::uint8_t { kFile, kTerminal };
  ProgressLines(std::ostream& out, Medium medium, const base::Clock& clock)
      : out_(out), medium_(medium), clock_(clock), begin_(clock.Monotonic()) {}

  void Tell(const std::string& step, const std::string& message);
  // What is written next begins on a line of its own.
  void Close();

 private:
  std::ostream& out_;
  const Medium medium_;
  const base::Clock& clock_;
  const std::chrono::steady_clock::time_point begin_;
  std::string step_;  // of the line that is open; only on a terminal
};

}  // namespace annex::server
