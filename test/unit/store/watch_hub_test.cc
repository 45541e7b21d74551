// The hub alone, over a store whose log and publications a test sets by hand: what threads can bring about,
// one step at a time. (test/contract has what watchers get from a real engine.)
#include "annex/store/watch_hub.h"

#include "support/simulated_scheduler.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::store {
namespace {

constexpr CollectionId kCollection = 7;

EventPtr MakeEvent(Revision revision, const std::string& key, std::size_t bytes = 10) {
  auto object = std::make_shared<const Object>(Object{key, revision, {std::string(bytes, 'x'), 0}, {}, 0});
  return std::make_shared<const Event>(revision, kCollection, key, std::move(object), nullptr);
}

// Only its log is real.
class FakeStore final : public Store {
 public:
  std::vector<EventPtr> log;
  Revision newest = 1;
  base::Result<void> log_error;

  base::Result<LogBatch> ReadLog(const LogQuery& query) override {
    if (!log_error) return base::Error(log_error.error());
    LogBatch batch;
    batch.upto = std::max(query.after, newest);
    for (const EventPtr& event : log) {
      if (event->revision() > query.after && event->key().starts_with(query.prefix))
        batch.events.push_back(event);
    }
    return batch;
  }
  Revision CurrentRevision() const override { return newest; }

  void OpenCollection(std::string, std::function<void(base::Result<CollectionInfo>)>) override {}
  void DropCollection(CollectionId, std::function<void(base::Result<void>)>) override {}
  void Commit(Mutation, std::function<void(base::Result<Committed>)>) override {}
  void SetAccess(CollectionId, Access, std::function<void(base::Result<void>)>) override {}
  void UpdateTerms(CollectionId, std::vector<TermUpdate>, std::function<void(base::Result<void>)>) override {}
  void SetTermsFormat(CollectionId, std::uint64_t, std::function<void(base::Result<void>)>) override {}
  base::Result<bool> Get(CollectionId, std::string_view, const std::function<void(const Row&)>&) override {
    return false;
  }
  base::Result<Page> List(const ListQuery&, const RowVisitor&) override { return Page{}; }
  base::Result<std::int64_t> Count(CollectionId) override { return 0; }
  Revision CompactedRevision() const override { return 1; }
  std::shared_ptr<void> Pin(Revision) override { return nullptr; }
  void Compact(std::function<void(base::Result<void>)>) override {}
  base::Result<void> Healthy() const override { return {}; }
};

struct Hub {
  explicit Hub(Revision newest, WatchHub::Options options = {}) : hub(options, metrics) {
    store.newest = newest;
    hub.SetStore(store);
  }

  // Commits, without telling the hub yet.
  EventPtr Commit(Revision revision, const std::string& key) {
    store.log.push_back(MakeEvent(revision, key));
    store.newest = revision;
    return store.log.back();
  }
  // Returns how many tasks the hub posted.
  std::size_t Publish(const std::vector<EventPtr>& events) {
    hub.OnCommitted(events, events.back()->revision());
    return scheduler.RunUntilIdle();
  }
  std::unique_ptr<WatchHub::Watcher> Watch(Revision after, const std::string& prefix = "") {
    return hub.Watch(kCollection, prefix, after, *executor, [this] { ++wakes; });
  }

  test::SimulatedScheduler scheduler{1};
  const std::unique_ptr<base::Executor> executor = scheduler.NewExecutor("watchers");
  base::Metrics metrics;
  FakeStore store;
  WatchHub hub;
  int wakes = 0;
};

// "5 7 idle 9": revisions, then "idle", then progress.
std::string Text(base::Result<WatchHub::Watcher::Batch> batch) {
  if (!batch) return base::ReasonText(batch.error().reason);
  std::string text;
  for (const EventPtr& event : batch->events) text += std::to_string(event->revision()) + " ";
  return text + (batch->idle ? "idle " : "") + (batch->ended ? "ended " : "") +
         std::to_string(batch->progress);
}

}  // namespace

TEST_CASE("what the log gave before it was published is not given again", "[store][hub]") {
  Hub hub(4);
  const auto five = hub.Commit(5, "a/x");
  const auto watcher = hub.Watch(2);
  CHECK(Text(watcher->Next()) == "5 5");
  CHECK(Text(watcher->Next()) == "idle 5");
  hub.Publish({five});
  CHECK(hub.wakes == 0);
  CHECK(Text(watcher->Next()) == "idle 5");
  hub.Publish({hub.Commit(6, "a/y")});
  CHECK(hub.wakes == 1);
  CHECK(Text(watcher->Next()) == "6 idle 6");
  hub.Publish({hub.Commit(7, "a/y")});
  CHECK(hub.wakes == 2);
}

TEST_CASE("an event of another namespace does not take an idle watcher back in time", "[store][hub]") {
  Hub hub(3);
  const auto four = hub.Commit(4, "b/x");
  const auto five = hub.Commit(5, "a/x");
  const auto watcher = hub.Watch(2, "a/");
  CHECK(Text(watcher->Next()) == "5 5");
  CHECK(Text(watcher->Next()) == "idle 5");
  hub.Publish({four});
  hub.Publish({five});
  CHECK(hub.wakes == 0);
  CHECK(Text(watcher->Next()) == "idle 5");
}

TEST_CASE("a watcher from a revision to come sleeps through what comes before it", "[store][hub]") {
  Hub hub(3);
  const auto watcher = hub.Watch(6, "a/");
  CHECK(Text(watcher->Next()) == "idle 6");
  for (Revision revision = 4; revision <= 6; ++revision)
    hub.Publish({hub.Commit(revision, revision == 5 ? "b/x" : "a/x")});
  CHECK(hub.wakes == 0);
  hub.Publish({hub.Commit(7, "a/x")});
  CHECK(hub.wakes == 1);
  CHECK(Text(watcher->Next()) == "7 idle 7");
}

TEST_CASE("what was published before the hub knew its store is read from the log", "[store][hub]") {
  base::Metrics metrics;
  FakeStore store;
  WatchHub hub({}, metrics);
  store.log = {MakeEvent(8, "a"), MakeEvent(9, "b"), MakeEvent(10, "c")};
  store.newest = 10;
  hub.OnCommitted({store.log[1]}, 9);
  hub.SetStore(store);
  hub.OnCommitted({store.log[2]}, 10);
  test::SimulatedScheduler scheduler(1);
  const auto executor = scheduler.NewExecutor("watcher");
  const auto watcher = hub.Watch(kCollection, "", 7, *executor, [] {});
  CHECK(Text(watcher->Next()) == "8 9 10 10");
  CHECK(Text(watcher->Next()) == "idle 10");
}

TEST_CASE("a watcher after a restart reads what came before it from the log", "[store][hub]") {
  Hub hub(1);
  hub.Commit(2, "a");
  hub.Commit(3, "b");
  Hub restarted(3);
  restarted.store.log = hub.store.log;
  const auto watcher = restarted.Watch(1);
  CHECK(Text(watcher->Next()) == "2 3 3");
}

TEST_CASE("memory that overflows with one group still wakes and misses nothing", "[store][hub]") {
  Hub hub(1, WatchHub::Options{100, 10, 1000});
  const auto watcher = hub.Watch(1);
  CHECK(Text(watcher->Next()) == "idle 1");
  hub.Publish({hub.Commit(2, "a"), hub.Commit(3, "b"), hub.Commit(4, "c")});
  CHECK(hub.wakes == 1);
  CHECK(Text(watcher->Next()) == "2 3 4 4");
}

TEST_CASE("an error of the log leaves the watcher where it was", "[store][hub]") {
  Hub hub(5);
  hub.store.log = {MakeEvent(4, "a")};
  const auto watcher = hub.Watch(2);
  hub.store.log_error = base::Error(base::Reason::kInternalError, "disk");
  CHECK(Text(watcher->Next()) == "InternalError");
  hub.store.log_error = base::Error(base::Reason::kExpired, "too old");
  CHECK(Text(watcher->Next()) == "Expired");
  hub.store.log_error = {};
  CHECK(Text(watcher->Next()) == "4 5");
}

TEST_CASE("a collection that the log no longer knows ends the watch", "[store][hub]") {
  Hub hub(5);
  const auto watcher = hub.Watch(2);
  hub.store.log_error = base::Error(base::Reason::kNotFound, "dropped");
  CHECK(Text(watcher->Next()) == "ended 2");
}

TEST_CASE("watchers may come and go in any order", "[store][hub]") {
  Hub hub(1);
  std::vector<std::unique_ptr<WatchHub::Watcher>> watchers;
  for (int i = 0; i < 10; ++i) {
    watchers.push_back(hub.Watch(1));
    CHECK(Text(watchers.back()->Next()) == "idle 1");
  }
  for (const std::size_t gone : {0U, 8U, 4U})
    watchers.erase(watchers.begin() + static_cast<std::ptrdiff_t>(gone));
  CHECK(hub.Publish({hub.Commit(2, "a")}) == 1);  // one task wakes all of an executor
  CHECK(hub.wakes == 7);
  CHECK(hub.metrics.Expose().find("annex_watchers 7\n") != std::string::npos);
  for (const auto& watcher : watchers) CHECK(Text(watcher->Next()) == "2 idle 2");
}

}  // namespace annex::store
