#include "annex/base/serial_thread.h"

#include <utility>

namespace annex::base {

class SerialThread::PendingTimer final : public Executor::Timer {
 public:
  PendingTimer(SerialThread& owner, TimerKey key) : owner_(owner), key_(key) {}
  ~PendingTimer() override { owner_.Cancel(key_); }
  PendingTimer(const PendingTimer&) = delete;
  PendingTimer& operator=(const PendingTimer&) = delete;

 private:
  SerialThread& owner_;
  const TimerKey key_;
};

SerialThread::SerialThread(const std::string& name) {
  thread_.emplace(name, [this] { Run(); });
}

SerialThread::~SerialThread() {
  Stop();
}

void SerialThread::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  thread_.reset();
}

void SerialThread::Post(std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.NotifyOne();
}

std::unique_ptr<Executor::Timer> SerialThread::After(std::chrono::nanoseconds delay,
                                                     std::function<void()> task) {
  TimerKey key;
  {
    const MutexLock lock(mutex_);
    key = {std::chrono::steady_clock::now() + delay, next_timer_++};
    timers_.emplace(key, std::move(task));
  }
  wake_.NotifyOne();
  return std::make_unique<PendingTimer>(*this, key);
}

void SerialThread::Cancel(const TimerKey& key) {
  std::function<void()> dropped;  // destroyed after the lock: it may own anything
  const MutexLock lock(mutex_);
  if (const auto timer = timers_.find(key); timer != timers_.end()) {
    dropped = std::move(timer->second);
    timers_.erase(timer);
  }
}

std::function<void()> SerialThread::NextTask() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    if (!timers_.empty() && timers_.begin()->first.first <= std::chrono::steady_clock::now()) {
      auto task = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      return task;
    }
    if (!tasks_.empty()) {
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      return task;
    }
    if (timers_.empty()) {
      wake_.Wait(mutex_);
    } else {
      wake_.WaitUntil(mutex_, timers_.begin()->first.first);
    }
  }
  return {};
}

void SerialThread::Run() {
  while (auto task = NextTask()) task();
}

}  // namespace annex::base
