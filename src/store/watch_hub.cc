#include "annex/store/watch_hub.h"

#include "annex/base/check.h"

#include <algorithm>

namespace annex::store {

WatchHub::WatchHub(Options options, base::Metrics& metrics)
    : options_(options),
      watchers_gauge_(metrics.Gauges("annex_watchers", "Open watches.", {}).With({})),
      catch_ups_(
          metrics
              .Counters("annex_watch_catch_ups_total",
                        "Batches that watchers read from the log because memory no longer held their events.",
                        {})
              .With({})) {}

WatchHub::~WatchHub() = default;

WatchHub::Watcher::Watcher(WatchHub& hub, CollectionId collection, std::string prefix, Revision after,
                           base::Executor& executor, std::function<void()> wake)
    : hub_(hub),
      collection_(collection),
      prefix_(std::move(prefix)),
      executor_(executor),
      wake_(std::make_shared<const std::function<void()>>(std::move(wake))),
      cursor_(after) {}

WatchHub::Watcher::~Watcher() {
  hub_.Remove(*this);
}

void WatchHub::SetStore(Store& store) {
  const base::MutexLock lock(mutex_);
  store_ = &store;
  // What was committed before is in the log only.
  published_ = std::max(published_, store.CurrentRevision());
  for (auto& [id, collection] : collections_) collection.floor = published_;
}

std::unique_ptr<WatchHub::Watcher> WatchHub::Watch(CollectionId collection, std::string prefix,
                                                   Revision after, base::Executor& executor,
                                                   std::function<void()> wake) {
  ANNEX_CHECK(store_ != nullptr, "the hub needs its store before its first watcher");
  std::unique_ptr<Watcher> watcher(
      new Watcher(*this, collection, std::move(prefix), after, executor, std::move(wake)));
  {
    const base::MutexLock lock(mutex_);
    Find(collection).watchers.push_back(watcher.get());
  }
  watchers_gauge_.Add(1);
  return watcher;
}

void WatchHub::Remove(Watcher& watcher) {
  {
    const base::MutexLock lock(mutex_);
    auto& watchers = Find(watcher.collection_).watchers;
    const auto place = std::find(watchers.begin(), watchers.end(), &watcher);
    ANNEX_CHECK(place != watchers.end(), "a watcher is registered while it lives");
    *place = watchers.back();
    watchers.pop_back();
  }
  watchers_gauge_.Add(-1);
}

// A collection that is new here has no events in memory: what came before this moment is in the log.
WatchHub::Collection& WatchHub::Find(CollectionId id) {
  const auto [place, added] = collections_.try_emplace(id);
  if (added) place->second.floor = published_;
  return place->second;
}

void WatchHub::OnCommitted(const std::vector<EventPtr>& events, Revision upto) {
  WakesByExecutor wakes;
  const base::MutexLock lock(mutex_);
  for (const EventPtr& event : events) {
    Collection& collection = Find(event->collection());
    collection.events.push_back(event);
    arrivals_.push_back(event->collection());
    bytes_ += event->Size();
    for (Watcher* watcher : collection.watchers) {
      // Its cursor may be ahead: of a revision that it waits for, or of what the log gave it before it was
      // published here.
      if (!watcher->idle_ || event->revision() <= watcher->cursor_) continue;
      // It has seen everything before this event. Left behind where it fell asleep, it could by now be
      // older than the log.
      if (event->key().starts_with(watcher->prefix_)) {
        watcher->cursor_ = event->revision() - 1;
        Wake(*watcher, wakes);
      } else {
        watcher->cursor_ = event->revision();
      }
    }
  }
  published_ = upto;
  while (bytes_ > options_.max_bytes && !arrivals_.empty()) DropOldest();
  Post(std::move(wakes));
}

void WatchHub::DropOldest() {
  Collection& collection = collections_.at(arrivals_.front());
  arrivals_.pop_front();
  collection.floor = std::max(collection.floor, collection.events.front()->revision());
  bytes_ -= collection.events.front()->Size();
  collection.events.pop_front();
}

void WatchHub::OnCollectionDropped(CollectionId collection) {
  {
    const base::MutexLock lock(mutex_);
    Find(collection).dropped = true;
  }
  Interrupt(collection);
}

void WatchHub::Interrupt(CollectionId collection) {
  WakesByExecutor wakes;
  const base::MutexLock lock(mutex_);
  for (Watcher* watcher : Find(collection).watchers) {
    if (watcher->idle_) Wake(*watcher, wakes);
  }
  Post(std::move(wakes));
}

void WatchHub::Wake(Watcher& watcher, WakesByExecutor& wakes) {
  watcher.idle_ = false;
  const auto same = [&watcher](const auto& entry) { return entry.first == &watcher.executor_; };
  auto place = std::find_if(wakes.begin(), wakes.end(), same);
  if (place == wakes.end()) place = wakes.insert(place, {&watcher.executor_, Wakes()});
  place->second.push_back(watcher.wake_);
}

void WatchHub::Post(WakesByExecutor wakes) {
  for (auto& entry : wakes) {
    entry.first->Post([due = std::move(entry.second)] {
      for (const auto& wake : due) (*wake)();
    });
  }
}

bool WatchHub::NextFromMemory(Watcher& watcher, Watcher::Batch& batch) {
  const base::MutexLock lock(mutex_);
  Collection& collection = Find(watcher.collection_);
  batch.progress = watcher.cursor_;
  if (watcher.cursor_ < collection.floor) {
    // What a dropped collection's watcher has not seen went with the collection, log and all.
    batch.ended = collection.dropped;
    return collection.dropped;
  }
  const auto after = [](Revision revision, const EventPtr& event) { return revision < event->revision(); };
  auto event = std::upper_bound(collection.events.begin(), collection.events.end(), watcher.cursor_, after);
  std::size_t bytes = 0;
  for (; event != collection.events.end(); ++event) {
    if (batch.events.size() >= options_.batch_events || bytes >= options_.batch_bytes) break;
    watcher.cursor_ = (*event)->revision();
    if (!(*event)->key().starts_with(watcher.prefix_)) continue;
    batch.events.push_back(*event);
    bytes += (*event)->Size();
  }
  if (event == collection.events.end()) {
    // A cursor may be ahead of the store: a watch from a future revision waits until that is reached.
    watcher.cursor_ = std::max(watcher.cursor_, published_);
    batch.ended = collection.dropped;
    batch.idle = !batch.ended;
    watcher.idle_ = batch.idle;
  }
  batch.progress = watcher.cursor_;
  return true;
}

base::Result<WatchHub::Watcher::Batch> WatchHub::Watcher::Next() {
  Batch batch;
  if (hub_.NextFromMemory(*this, batch)) return batch;
  hub_.catch_ups_.Increment();
  auto log = hub_.store_->ReadLog(
      {collection_, prefix_, cursor_, hub_.options_.batch_events, hub_.options_.batch_bytes});
  if (!log && log.error().reason == base::Reason::kNotFound) {
    // Dropped, and the hub hears of it in a moment.
    batch.ended = true;
    return batch;
  }
  if (!log) return base::Error(std::move(log).error());
  batch.events = std::move(log->events);
  cursor_ = log->upto;
  batch.progress = cursor_;
  return batch;
}

}  // namespace annex::store
