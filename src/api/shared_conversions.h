// SharedConversions: one call of a webhook for all watches that show the same state of an object in the same
// version.
//
// Who comes first asks; the others wait for that, or find the last conversions in memory (8 MiB; the oldest
// go first).
//
// Thread rule: thread-safe; tasks go on on the executor that was given. The mutex is a leaf.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/mutex.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "strategy.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace annex::api {

class SharedConversions {
 public:
  using Shown = std::shared_ptr<const json::Value>;

  // The states in the strategy's version, in their order, each with its resourceVersion. Errors: as
  // ReadObjects.
  base::Task<base::Result<std::vector<Shown>>> Convert(StrategyPtr strategy,
                                                       std::vector<store::ObjectPtr> states,
                                                       base::Executor& executor);

 private:
  // What is shown, and of which state: no two states of a store have one revision.
  using Key = std::pair<std::uint64_t, store::Revision>;
  using Waiter = std::function<void(base::Result<Shown>)>;
  struct Entry {
    Shown shown;  // nullptr: somebody is asking
    std::size_t bytes = 0;
    std::vector<Waiter> waiters;
  };

  // Sorts the places of `states` into those that are known, those to ask for (which are now this caller's),
  // and those that somebody else asks for.
  struct Division {
    std::vector<std::size_t> mine;
    std::vector<std::size_t> others;
  };
  Division Divide(std::uint64_t form, const std::vector<store::ObjectPtr>& states, std::vector<Shown>& shown);
  void Finish(const Key& key, std::size_t bytes, const base::Result<Shown>& result);
  // Calls `waiter` when the conversion under way ends; with nullptr if there is none.
  void Wait(const Key& key, Waiter waiter);
  void DropOldest() ANNEX_REQUIRES(mutex_);

  base::Mutex mutex_;
  std::map<Key, Entry> entries_ ANNEX_GUARDED_BY(mutex_);
  std::deque<Key> finished_ ANNEX_GUARDED_BY(mutex_);
  std::size_t bytes_ ANNEX_GUARDED_BY(mutex_) = 0;
};

}  // namespace annex::api
