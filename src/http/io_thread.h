// IoThread: a thread that runs the connections given to it, and their executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/mutex.h"
#include "annex/base/task.h"
#include "annex/base/thread.h"
#include "asio.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace annex::http {

// What an IoThread looks after. Every second it asks each connection whether its time is up.
class Timed {
 public:
  virtual ~Timed() = default;
  // When OnDeadline is called unless something happens before.
  virtual std::chrono::steady_clock::time_point deadline() const = 0;
  virtual void OnDeadline() = 0;
  virtual void Close() = 0;
  // The server stops: finish what is under way, begin nothing new.
  virtual void Drain() = 0;
};

// Thread rule: everything but Post, After and Stop is used on the thread itself.
class IoThread final : public base::Executor {
 public:
  IoThread(const std::string& name, const base::Clock& clock);
  ~IoThread() override;
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  asio::io_context& context() { return context_; }
  const base::Clock& clock() const { return clock_; }

  void Post(std::function<void()> task) override;
  std::unique_ptr<Timer> After(std::chrono::nanoseconds delay, std::function<void()> task) override;

  void Add(Timed& connection);
  void Remove(Timed& connection);
  void DrainAll();
  void CloseAll();
  std::size_t connections() const { return connection_count_.load(); }

  // The requests of this thread's connections.
  base::TaskScope& tasks() { return tasks_; }

  // Where a connection puts what it reads from its socket, and where it decrypts that: for the turn of the
  // thread in which it does.
  std::span<char> input() { return input_; }
  std::span<char> plaintext() { return plaintext_; }

  // Buffers to write: an empty text, with the capacity of one that was returned.
  std::string TakeBuffer();
  void ReturnBuffer(std::string buffer);

  // "Sat, 21 Nov 2026 12:00:00 GMT", made once a second.
  const std::string& HttpDate();

  // Ends the thread. Connections that are left are destroyed with the IoThread.
  void Stop();

 private:
  void Sweep();
  void RunPosted();

  const base::Clock& clock_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer sweep_timer_;
  std::unordered_set<Timed*> connections_;
  std::atomic<std::size_t> connection_count_ = 0;
  std::time_t date_second_ = 0;
  std::string date_;
  std::vector<char> input_;
  std::vector<char> plaintext_;
  std::vector<std::string> buffers_;
  base::TaskScope tasks_;
  base::Mutex mutex_;
  std::vector<std::function<void()>> posted_ ANNEX_GUARDED_BY(mutex_);
  std::optional<base::Thread> thread_;  // last: it uses all of the above
};

}  // namespace annex::http
