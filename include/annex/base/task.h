// Task<T>: a function that can wait (for a commit, for a webhook) without holding a thread; a lazily started
// C++20 coroutine.
//
//   Task<Result<Response>> Create(Request request) {
//     auto committed = co_await store.Commit(std::move(mutation), executor);
//     …
//   }
//
// A Task starts when it is awaited (or given to a TaskScope) and runs on the awaiting thread until it first
// waits. After `co_await Await<T>(executor, start)` it goes on as a task of `executor`.
//
// Rules for coroutines here: parameters by value or references that outlive the awaiting (a coroutine keeps
// copies of its parameters, not of what they refer to); no capturing lambda as a coroutine; name an argument
// before passing it inside a co_await expression (g++ 12 destroys some temporaries there twice).
//
// Thread rule: a Task is used by one thread at a time. Ownership: the Task owns the coroutine's frame.
// Exceptions: none may leave a coroutine; one that does ends the process.
#pragma once

#include "annex/base/executor.h"

#include <coroutine>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <utility>

namespace annex::base {

template <typename T>
class Task;

namespace internal {

// Resumes whoever awaits the finished coroutine.
struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <typename Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
    return finished.promise().continuation;
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;

  Task<T> get_return_object();
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T Take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void Take() const noexcept {}
};

// The outermost frame of a spawned task: it ends by itself, or with its scope.
struct Spawned {
  struct promise_type {
    std::list<std::coroutine_handle<>>* frames = nullptr;
    std::list<std::coroutine_handle<>>::iterator place;

    Spawned get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    void return_void() const noexcept {}
    ~promise_type() {
      if (frames != nullptr) frames->erase(place);
    }
  };
  std::coroutine_handle<promise_type> frame;
};

}  // namespace internal

template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;

  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (frame_) frame_.destroy();
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      std::coroutine_handle<promise_type> frame;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        frame.promise().continuation = awaiting;
        return frame;
      }
      T await_resume() const { return frame.promise().Take(); }
    };
    return Awaiter{frame_};
  }

 private:
  std::coroutine_handle<promise_type> frame_;
};

namespace internal {

template <typename T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

template <typename T>
Spawned RunSpawned(Task<T> task, std::function<void(T)> done) {
  done(co_await std::move(task));
}
inline Spawned RunSpawned(Task<void> task) {
  co_await std::move(task);
}

}  // namespace internal

// Runs tasks that nobody awaits, and owns them: what has not ended when the scope is destroyed is destroyed
// with it.
//
// Thread rule: Spawn and the tasks run on one executor. REQUIRES: that executor runs no more tasks when the
// scope is destroyed.
class TaskScope {
 public:
  TaskScope() = default;
  ~TaskScope() {
    while (!frames_.empty()) frames_.front().destroy();  // takes itself off the list
  }
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;

  // Starts `task` on this thread; `done` gets its result wherever the task ends.
  template <typename T>
  void Spawn(Task<T> task, std::function<void(T)> done) {
    Start(internal::RunSpawned(std::move(task), std::move(done)));
  }
  void Spawn(Task<void> task) { Start(internal::RunSpawned(std::move(task))); }

 private:
  void Start(internal::Spawned spawned) {
    auto& promise = spawned.frame.promise();
    promise.place = frames_.insert(frames_.end(), spawned.frame);
    promise.frames = &frames_;
    spawned.frame.resume();
  }
  std::list<std::coroutine_handle<>> frames_;
};

// Awaits an operation that reports once through a callback, from any thread. `start(done)` begins it; the
// coroutine goes on as a task of `executor` with the value that `done` was given.
template <typename T>
class Await {
 public:
  using Done = std::function<void(T)>;

  Await(Executor& executor, std::function<void(Done)> start)
      : executor_(executor), start_(std::move(start)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    // `this` lives in the awaiting coroutine's frame and so stays until that goes on.
    auto start = std::move(start_);
    start([this, awaiting](T value) {
      value_.emplace(std::move(value));
      executor_.Post([awaiting] { awaiting.resume(); });
    });
  }
  T await_resume() { return std::move(*value_); }

 private:
  Executor& executor_;
  std::function<void(Done)> start_;
  std::optional<T> value_;
};

// Waits until `delay` has passed on `executor`.
class Sleep {
 public:
  Sleep(Executor& executor, std::chrono::nanoseconds delay) : executor_(executor), delay_(delay) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    timer_ = executor_.After(delay_, [awaiting] { awaiting.resume(); });
  }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
  std::chrono::nanoseconds delay_;
  std::unique_ptr<Executor::Timer> timer_;
};

}  // namespace annex::base
