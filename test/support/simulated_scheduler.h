// SimulatedScheduler: any number of base::Executors on one thread, with time that passes only when the test
// says so.
//
// Whenever several executors have a task that may run, the seed decides which one does. So one seed stands
// for one interleaving, and a failure that one seed shows comes back with that seed.
//
//   SimulatedScheduler scheduler(seed, trace);
//   auto writer = scheduler.NewExecutor("writer");
//   writer->Post(…);
//   scheduler.RunUntilIdle();
//
// Thread rule: everything happens on the thread that owns the scheduler. A task may Step the scheduler: its
// own executor then runs nothing, like a thread that is busy. Ownership: executors must not outlive the
// scheduler; one that is destroyed drops its tasks, timers may outlive their executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "manual_clock.h"
#include "seeded_random.h"
#include "trace.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace annex::test {

class SimulatedScheduler {
 public:
  explicit SimulatedScheduler(std::uint64_t seed, Trace* trace = nullptr);
  ~SimulatedScheduler();
  SimulatedScheduler(const SimulatedScheduler&) = delete;
  SimulatedScheduler& operator=(const SimulatedScheduler&) = delete;

  // `name` appears in the trace.
  std::unique_ptr<base::Executor> NewExecutor(std::string name);
  const base::Clock& clock() const { return clock_; }

  // Runs one task; false if there is none that may run now.
  bool Step();
  // Runs tasks until none may run now; time stands still. Returns how many ran.
  std::size_t RunUntilIdle();
  // Lets time pass: each timer runs at its own moment, and before that everything that may run then.
  void AdvanceTime(std::chrono::nanoseconds by);
  // Lets time pass up to the next timer, at most `by`. False if no timer is due so soon; then the time has
  // not moved.
  bool AdvanceToNextTimer(std::chrono::nanoseconds by);

 private:
  class SimulatedExecutor;
  struct TimerState;
  class SimulatedTimer;

  // Hands timers that are due to their executors, in the order of their time.
  void ReleaseTimers();
  std::chrono::nanoseconds Now() const { return clock_.Monotonic().time_since_epoch(); }

  SeededRandom random_;
  Trace* const trace_;
  ManualClock clock_;
  std::vector<SimulatedExecutor*> executors_;
  std::vector<std::shared_ptr<TimerState>> timers_;  // sorted by time, then by age
  std::uint64_t next_task_ = 0;
};

}  // namespace annex::test
