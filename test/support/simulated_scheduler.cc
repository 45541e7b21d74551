#include "simulated_scheduler.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace annex::test {

struct SimulatedScheduler::TimerState {
  std::chrono::nanoseconds at;
  SimulatedExecutor* executor;  // nullptr once that is gone
  std::function<void()> task;   // empty once it ran or was cancelled
};

class SimulatedScheduler::SimulatedTimer final : public base::Executor::Timer {
 public:
  explicit SimulatedTimer(std::shared_ptr<TimerState> state) : state_(std::move(state)) {}
  ~SimulatedTimer() override {
    // The task may own anything, this timer's owner included: it goes when nothing refers to it any more.
    const auto dropped = std::exchange(state_->task, {});
  }
  SimulatedTimer(const SimulatedTimer&) = delete;
  SimulatedTimer& operator=(const SimulatedTimer&) = delete;

 private:
  const std::shared_ptr<TimerState> state_;
};

class SimulatedScheduler::SimulatedExecutor final : public base::Executor {
 public:
  SimulatedExecutor(SimulatedScheduler& scheduler, std::string name)
      : scheduler_(scheduler), name_(std::move(name)) {
    scheduler_.executors_.push_back(this);
  }

  ~SimulatedExecutor() override {
    std::erase(scheduler_.executors_, this);
    for (const auto& timer : scheduler_.timers_) {
      if (timer->executor == this) timer->executor = nullptr;
    }
    std::erase_if(scheduler_.timers_, [](const auto& timer) { return timer->executor == nullptr; });
  }
  SimulatedExecutor(const SimulatedExecutor&) = delete;
  SimulatedExecutor& operator=(const SimulatedExecutor&) = delete;

  void Post(std::function<void()> task) override { tasks_.push_back(std::move(task)); }

  std::unique_ptr<Timer> After(std::chrono::nanoseconds delay, std::function<void()> task) override {
    auto state = std::make_shared<TimerState>(TimerState{scheduler_.Now() + delay, this, std::move(task)});
    const auto later = [](std::chrono::nanoseconds at, const auto& timer) { return at < timer->at; };
    auto& timers = scheduler_.timers_;
    timers.insert(std::upper_bound(timers.begin(), timers.end(), state->at, later), state);
    return std::make_unique<SimulatedTimer>(std::move(state));
  }

  bool Runnable() const { return !running_ && !tasks_.empty(); }
  const std::string& name() const { return name_; }

  void RunOne() {
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    running_ = true;
    task();
    running_ = false;
  }

 private:
  SimulatedScheduler& scheduler_;
  const std::string name_;
  std::deque<std::function<void()>> tasks_;
  bool running_ = false;
};

SimulatedScheduler::SimulatedScheduler(std::uint64_t seed, Trace* trace) : random_(seed), trace_(trace) {}
SimulatedScheduler::~SimulatedScheduler() = default;

std::unique_ptr<base::Executor> SimulatedScheduler::NewExecutor(std::string name) {
  return std::make_unique<SimulatedExecutor>(*this, std::move(name));
}

bool SimulatedScheduler::Step() {
  ReleaseTimers();
  std::vector<SimulatedExecutor*> runnable;
  std::copy_if(executors_.begin(), executors_.end(), std::back_inserter(runnable),
               [](const SimulatedExecutor* executor) { return executor->Runnable(); });
  if (runnable.empty()) return false;
  SimulatedExecutor* chosen = runnable[random_.Below(runnable.size())];
  if (trace_ != nullptr) {
    trace_->Add("run " + std::to_string(next_task_++) + " on " + chosen->name() + " at " +
                std::to_string(Now().count()));
  }
  chosen->RunOne();
  return true;
}

std::size_t SimulatedScheduler::RunUntilIdle() {
  std::size_t tasks = 0;
  while (Step()) ++tasks;
  return tasks;
}

void SimulatedScheduler::AdvanceTime(std::chrono::nanoseconds by) {
  const auto end = Now() + by;
  RunUntilIdle();
  while (AdvanceToNextTimer(end - Now())) RunUntilIdle();
  clock_.Advance(end - Now());
}

bool SimulatedScheduler::AdvanceToNextTimer(std::chrono::nanoseconds by) {
  std::erase_if(timers_, [](const auto& timer) { return !timer->task; });
  if (timers_.empty() || timers_.front()->at > Now() + by) return false;
  if (timers_.front()->at > Now()) clock_.Advance(timers_.front()->at - Now());
  return true;
}

void SimulatedScheduler::ReleaseTimers() {
  while (!timers_.empty() && timers_.front()->at <= Now()) {
    const auto timer = timers_.front();
    timers_.erase(timers_.begin());
    // Until it runs, it can still be cancelled.
    timer->executor->Post([timer] {
      const auto task = std::exchange(timer->task, {});
      if (task) task();
    });
  }
}

}  // namespace annex::test
