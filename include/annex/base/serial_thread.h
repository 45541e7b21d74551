// SerialThread: an Executor with one thread of its own.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/mutex.h"
#include "annex/base/thread.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace annex::base {

// Queue bound: none here; whoever posts work for others bounds it first (the store bounds its writes, for
// example). Lifetime: Stop finishes the task that is running and joins the thread; tasks that did not run are
// dropped with the SerialThread. So whatever the tasks use is destroyed between Stop and the SerialThread
// itself, whose timers it may hold.
class SerialThread final : public Executor {
 public:
  explicit SerialThread(const std::string& name);
  ~SerialThread() override;
  // Idempotent. REQUIRES: not on the thread itself.
  void Stop();
  SerialThread(const SerialThread&) = delete;
  SerialThread& operator=(const SerialThread&) = delete;

  void Post(std::function<void()> task) override;
  std::unique_ptr<Timer> After(std::chrono::nanoseconds delay, std::function<void()> task) override;

 private:
  class PendingTimer;
  using TimerKey = std::pair<std::chrono::steady_clock::time_point, std::uint64_t>;

  void Run();
  // Takes the next task that is due; waits for one. Returns an empty function when the thread has to stop.
  std::function<void()> NextTask();
  void Cancel(const TimerKey& key);

  Mutex mutex_;
  CondVar wake_;
  bool stopping_ ANNEX_GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> tasks_ ANNEX_GUARDED_BY(mutex_);
  std::map<TimerKey, std::function<void()>> timers_ ANNEX_GUARDED_BY(mutex_);
  std::uint64_t next_timer_ ANNEX_GUARDED_BY(mutex_) = 0;
  std::optional<Thread> thread_;  // last: it uses all of the above
};

}  // namespace annex::base
