// ExpiringCache: answers of somebody else, kept for a short time and in a bounded number (the least recently
// used go first).
//
// Thread rule: thread-safe.
#pragma once

#include "annex/base/mutex.h"

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace annex::auth {

template <typename T>
class ExpiringCache {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit ExpiringCache(std::size_t capacity) : capacity_(capacity) {}

  // The value of `key`, unless its time is over at `now`.
  std::optional<T> Find(const std::string& key, TimePoint now) {
    const base::MutexLock lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    if (now >= found->second->expires) {
      entries_.erase(found->second);
      places_.erase(found);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  void Put(const std::string& key, T value, TimePoint expires) {
    const base::MutexLock lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      entries_.erase(found->second);
      places_.erase(found);
    }
    if (entries_.size() >= capacity_) {
      places_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, std::move(value), expires});
    places_.emplace(key, entries_.begin());
  }

 private:
  struct Entry {
    std::string key;
    T value;
    TimePoint expires;
  };
  const std::size_t capacity_;
  base::Mutex mutex_;
  std::list<Entry> entries_ ANNEX_GUARDED_BY(mutex_);  // the most recently used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> places_ ANNEX_GUARDED_BY(mutex_);
};

}  // namespace annex::auth
