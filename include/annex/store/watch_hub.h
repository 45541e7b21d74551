// WatchHub: delivers committed changes to any number of watchers.
//
// The newest events of all collections lie in memory, shared by all watchers (bounded by bytes, oldest
// dropped first). A watcher is a cursor, not a queue: it asks for the events after its revision and gets them
// from memory (it is synced) or, when memory no longer reaches back so far, from the store's log in bounded
// batches (it is catching up). So a slow watcher costs nothing, delays nobody, and is cut off only when the
// log itself was compacted (Expired).
//
//   commit -> OnCommitted: append to memory, one task for each executor that has idle watchers of the
//   collection task   -> wakes all of them: each one's owner calls Next() when it can send Next   -> events
//   after the cursor, in order, each once
//
// Thread rule: all methods may be called from any thread; one Watcher is used by one thread at a time.
// Lock order: the hub's mutex may be held when an executor's is taken (Post), never the other way round.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/metrics.h"
#include "annex/base/mutex.h"
#include "annex/base/result.h"
#include "annex/store/store.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace annex::store {

class WatchHub final : public CommitObserver {
 public:
  struct Options {
    // Events in memory, over all collections. Overflow: the oldest are dropped; watchers that still need them
    // read the log.
    std::size_t max_bytes = 16UL << 20U;
    // Events that one Next() gives at most.
    std::size_t batch_events = 512;
    std::size_t batch_bytes = 1UL << 20U;
  };

  WatchHub(Options options, base::Metrics& metrics);
  ~WatchHub() override;

  // Once, before the first watcher. Not given to the constructor because a store is opened with its observer.
  void SetStore(Store& store);

  class Watcher {
   public:
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    struct Batch {
      std::vector<EventPtr> events;
      // Nothing follows these events for now: `wake` will be called once when there is more.
      bool idle = false;
      // The collection was dropped; no event will follow. Events that memory no longer held went with it.
      bool ended = false;
      // Every change up to here was given out: what a bookmark may say.
      Revision progress = 0;
    };
    // The next events. Errors: Expired (history no longer reaches back to the cursor), InternalError.
    base::Result<Batch> Next();

   private:
    friend class WatchHub;
    Watcher(WatchHub& hub, CollectionId collection, std::string prefix, Revision after,
            base::Executor& executor, std::function<void()> wake);

    WatchHub& hub_;
    const CollectionId collection_;
    const std::string prefix_;
    base::Executor& executor_;
    const std::shared_ptr<const std::function<void()>> wake_;
    // Both are guarded by hub_.mutex_ while idle_; else cursor_ belongs to the thread that calls Next.
    Revision cursor_;
    bool idle_ = false;
  };

  // Watches the changes after `after` of keys that begin with `prefix`. `wake` runs as a task of `executor`
  // and may still run once after the watcher was destroyed. The watcher must be destroyed before the hub and
  // before the executor.
  std::unique_ptr<Watcher> Watch(CollectionId collection, std::string prefix, Revision after,
                                 base::Executor& executor, std::function<void()> wake);

  // Wakes every watcher of a collection, so that its owner looks whether to go on: its definition changed.
  void Interrupt(CollectionId collection);

  void OnCommitted(const std::vector<EventPtr>& events, Revision upto) override;
  void OnCollectionDropped(CollectionId collection) override;

 private:
  struct Collection {
    std::deque<EventPtr> events;
    // Every event of the collection after this revision is in `events`.
    Revision floor = 0;
    std::vector<Watcher*> watchers;
    bool dropped = false;
  };

  Collection& Find(CollectionId id) ANNEX_REQUIRES(mutex_);
  void DropOldest() ANNEX_REQUIRES(mutex_);
  // Gives the events from memory if it reaches back to the watcher's cursor; false if not.
  bool NextFromMemory(Watcher& watcher, Watcher::Batch& batch);
  void Remove(Watcher& watcher);
  // What is to be woken, executor by executor: there are few of them, and many watchers on each.
  using Wakes = std::vector<std::shared_ptr<const std::function<void()>>>;
  using WakesByExecutor = std::vector<std::pair<base::Executor*, Wakes>>;
  static void Wake(Watcher& watcher, WakesByExecutor& wakes);
  // Under the mutex, as its watchers keep an executor alive.
  void Post(WakesByExecutor wakes) ANNEX_REQUIRES(mutex_);

  const Options options_;
  Store* store_ = nullptr;
  base::Gauge& watchers_gauge_;
  base::Counter& catch_ups_;

  base::Mutex mutex_;
  std::map<CollectionId, Collection> collections_ ANNEX_GUARDED_BY(mutex_);
  // The order in which events came, for dropping the oldest: their collections.
  std::deque<CollectionId> arrivals_ ANNEX_GUARDED_BY(mutex_);
  std::size_t bytes_ ANNEX_GUARDED_BY(mutex_) = 0;
  Revision published_ ANNEX_GUARDED_BY(mutex_) = 0;
};

}  // namespace annex::store
