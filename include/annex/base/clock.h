// Clock: the only source of time. Handed in, so that tests and the simulation decide what time it is.
//
// Thread rule: all methods of every Clock are thread-safe.
#pragma once

#include <chrono>
#include <string>

namespace annex::base {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall-clock time, for timestamps in objects and certificates. May jump.
  virtual std::chrono::system_clock::time_point Now() const = 0;
  // Time that never goes back, for timeouts, ages in caches and durations.
  virtual std::chrono::steady_clock::time_point Monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return std::chrono::system_clock::now(); }
  std::chrono::steady_clock::time_point Monotonic() const override {
    return std::chrono::steady_clock::now();
  }
};

// "2026-01-31T12:00:00Z": metav1.Time, whole seconds, UTC.
std::string Rfc3339(std::chrono::system_clock::time_point time);
// "2026-01-31T12:00:00.123456Z": metav1.MicroTime, UTC.
std::string Rfc3339Micro(std::chrono::system_clock::time_point time);

}  // namespace annex::base
