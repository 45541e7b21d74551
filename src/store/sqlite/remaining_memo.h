// RemainingMemo: how many objects follow after a page of a list, so that the next page need not count them
// again.
//
// Counting what follows a key costs time in proportion to it; a client that pages through a large collection
// would pay that for each page. The number at one revision never changes, so the page before can say it.
//
// Thread rule: thread-safe. Bound: kEntries, the oldest goes first (the next page then counts).
#pragma once

#include "annex/base/mutex.h"
#include "annex/store/object.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace annex::store::sqlite {

class RemainingMemo {
 public:
  // Where a page begins: collection, prefix of the list, its revision, first key.
  using Place = std::tuple<CollectionId, std::string, Revision, std::string>;

  std::optional<std::int64_t> Find(const Place& place) {
    const base::MutexLock lock(mutex_);
    const auto entry = counts_.find(place);
    if (entry == counts_.end()) return std::nullopt;
    return entry->second;
  }

  void Remember(const Place& place, std::int64_t objects_from_there) {
    const base::MutexLock lock(mutex_);
    if (!counts_.emplace(place, objects_from_there).second) return;
    order_.push_back(place);
    if (order_.size() > kEntries) {
      counts_.erase(order_.front());
      order_.pop_front();
    }
  }

 private:
  static constexpr std::size_t kEntries = 1024;
  base::Mutex mutex_;
  std::map<Place, std::int64_t> counts_ ANNEX_GUARDED_BY(mutex_);
  std::deque<Place> order_ ANNEX_GUARDED_BY(mutex_);
};

}  // namespace annex::store::sqlite
