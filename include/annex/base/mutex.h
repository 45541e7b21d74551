// A mutex that clang's thread-safety analysis understands (std::mutex of libstdc++ carries no annotations).
//
// Thread rule: as std::mutex. Use MutexLock; call Lock/Unlock by hand nowhere. Members that a mutex protects
// carry ANNEX_GUARDED_BY(mutex_), functions that need it held carry ANNEX_REQUIRES(mutex_); `scripts/build
// tsan` and `scripts/lint` make a violation an error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define ANNEX_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define ANNEX_THREAD_ANNOTATION(x)
#endif

#define ANNEX_CAPABILITY(x) ANNEX_THREAD_ANNOTATION(capability(x))
#define ANNEX_SCOPED_CAPABILITY ANNEX_THREAD_ANNOTATION(scoped_lockable)
#define ANNEX_GUARDED_BY(x) ANNEX_THREAD_ANNOTATION(guarded_by(x))
#define ANNEX_REQUIRES(...) ANNEX_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define ANNEX_ACQUIRE(...) ANNEX_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define ANNEX_RELEASE(...) ANNEX_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define ANNEX_EXCLUDES(...) ANNEX_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ANNEX_NO_THREAD_SAFETY_ANALYSIS ANNEX_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace annex::base {

class ANNEX_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ANNEX_ACQUIRE() { mutex_.lock(); }
  void Unlock() ANNEX_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds `mutex` from construction to destruction.
class ANNEX_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ANNEX_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() ANNEX_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable for Mutex. A wait may return without a notification, so wait in a loop on the
// condition.
class CondVar {
 public:
  // REQUIRES: the caller holds `mutex`; it is released while waiting and held again on return.
  void Wait(Mutex& mutex) ANNEX_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  void WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline) ANNEX_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_until(lock, deadline);
    lock.release();
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace annex::base
