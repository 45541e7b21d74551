// Executor: where and when code runs. Store, watch hub and request handling get theirs handed in, so that a
// simulation can run all of them on one seeded scheduler.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace annex::base {

// Runs tasks one after the other, in the order of Post. Two tasks of one Executor never run at the same time.
//
// Thread rule: Post and After may be called from any thread, also from a task. A task runs later, never
// inside Post. Ownership: a task that has not run when its Executor is destroyed is destroyed without
// running.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual void Post(std::function<void()> task) = 0;

  // Destroying it cancels the task if it has not begun. Destroy it on its executor, or the task may be
  // running meanwhile.
  class Timer {
   public:
    virtual ~Timer() = default;
  };
  // Runs `task` on this executor once `delay` has passed.
  virtual std::unique_ptr<Timer> After(std::chrono::nanoseconds delay, std::function<void()> task) = 0;
};

}  // namespace annex::base
