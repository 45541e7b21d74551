// The contract of store.h and watch_hub.h as a suite of tests that every engine has to pass, and what those
// tests share.
//
// One program per engine: all files of the suite plus a definition of MakeEngine (engine.h).
//
//   TEST_CASE("a created object can be read", "[contract][commit]") {
//     StoreFixture fixture;
//     const auto c = fixture.Collection();
//     fixture.Create(c, "ns/a", "body");
//     CHECK(fixture.store().Load(c, "ns/a").value()->body.bytes == "body");
//   }
//
// Thread rule: a fixture is used by the test's thread. Failure: what a test does not expect to fail ends it
// (REQUIRE).
#pragma once

#include "annex/base/metrics.h"
#include "annex/base/mutex.h"
#include "annex/base/result.h"
#include "annex/base/serial_thread.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"
#include "engine.h"
#include "support/manual_clock.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {

using Terms = std::map<std::string, std::string>;

// The form of what the fixture writes, unless a test says otherwise.
inline constexpr std::uint64_t kFormat = 11;
inline constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// A row as a list showed it.
struct Shown {
  std::string key;
  store::Revision revision = 0;
  std::string body;
  std::uint32_t revision_at = 0;
  std::string terms;
  std::uint64_t format = 0;
  bool judged = true;
};

struct Listed {
  std::vector<Shown> rows;
  store::Page page;

  std::vector<std::string> Keys() const;
};

// What the store published.
class Recorder final : public store::CommitObserver {
 public:
  struct Group {
    std::vector<store::EventPtr> events;
    store::Revision upto = 0;
  };
  explicit Recorder(store::CommitObserver& next) : next_(next) {}

  void OnCommitted(const std::vector<store::EventPtr>& events, store::Revision upto) override;
  void OnCollectionDropped(store::CollectionId collection) override;
  // The groups that had events, and forgets them.
  std::vector<Group> Take();

 private:
  store::CommitObserver& next_;
  base::Mutex mutex_;
  std::vector<Group> groups_ ANNEX_GUARDED_BY(mutex_);
};

class StoreFixture {
 public:
  explicit StoreFixture(Engine::Settings settings = {}, store::WatchHub::Options hub_options = {});
  ~StoreFixture();
  StoreFixture(const StoreFixture&) = delete;
  StoreFixture& operator=(const StoreFixture&) = delete;

  void Close();
  // Closes and opens the store on the same data, with a new hub.
  void Reopen();
  // The same with other settings, from now on.
  void ReopenWith(Engine::Settings settings);

  store::Store& store() { return *store_; }
  store::WatchHub& hub() { return *hub_; }
  Engine& engine() { return *engine_; }
  // Where the hub wakes watchers.
  base::Executor& executor() { return wakes_; }
  // Waits until every wake so far was called.
  void AwaitWakes();
  Recorder& recorder() { return *recorder_; }
  base::Metrics& metrics() { return *metrics_; }
  ManualClock clock;

  // Waits for the one call that `start` makes of the callback that it is given.
  template <typename T>
  base::Result<T> Wait(const std::function<void(std::function<void(base::Result<T>)>)>& start);

  // --- the store's calls, finished
  // --------------------------------------------------------------------------------
  base::Result<store::CollectionInfo> OpenCollection(const std::string& name);
  base::Result<void> DropCollection(store::CollectionId collection);
  base::Result<store::Committed> Commit(store::Mutation mutation);
  base::Result<void> UpdateTerms(store::CollectionId collection, std::vector<store::TermUpdate> updates);
  base::Result<void> SetTermsFormat(store::CollectionId collection, std::uint64_t format);
  base::Result<void> Compact();

  // --- the same, which must go well
  // -------------------------------------------------------------------------------
  store::CollectionId Collection(const std::string& name = "widgets");
  store::ObjectPtr Create(store::CollectionId collection, const std::string& key,
                          const std::string& body = "{}", const Terms& terms = {},
                          std::uint64_t format = kFormat);
  store::ObjectPtr Update(store::CollectionId collection, const std::string& key,
                          const std::string& body = "{}", const Terms& terms = {},
                          std::uint64_t format = kFormat);
  store::Revision Delete(store::CollectionId collection, const std::string& key);
  // The newest state; nullptr if there is none.
  store::ObjectPtr Load(store::CollectionId collection, const std::string& key);
  // The first `limit` rows.
  Listed List(const store::ListQuery& query, std::size_t limit = kAll);
  Listed List(store::CollectionId collection) { return List({.collection = collection}); }
  // Lists nothing and says why not.
  base::Status ListError(const store::ListQuery& query);
  std::vector<store::EventPtr> ReadLog(store::CollectionId collection, store::Revision after);
  std::int64_t Count(store::CollectionId collection);
  // Lets all history become too old, and forgets it. The newest revision always stays.
  void CompactAll();

 private:
  void Open();

  Engine::Settings settings_;
  const store::WatchHub::Options hub_options_;
  const std::unique_ptr<Engine> engine_;
  base::SerialThread wakes_{"wakes"};
  std::unique_ptr<base::Metrics> metrics_;
  std::unique_ptr<store::WatchHub> hub_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<store::Store> store_;
};

// A mutation that makes an object out of nothing, out of `seen`, or removes `seen`.
store::Mutation Creation(store::CollectionId collection, const std::string& key,
                         const std::string& body = "{}", const Terms& terms = {},
                         std::uint64_t format = kFormat);
store::Mutation Replacement(store::CollectionId collection, store::ObjectPtr seen,
                            const std::string& body = "{}", const Terms& terms = {},
                            std::uint64_t format = kFormat);
store::Mutation Deletion(store::CollectionId collection, store::ObjectPtr seen);

// "create ns/a@5", "update ns/a@6 was 5", "delete ns/a@7 was 6": events as text that a failed CHECK shows.
std::string Describe(const store::Event& event);
std::vector<std::string> Describe(const std::vector<store::EventPtr>& events);

inline selector::TermSet SetOf(const Terms& terms) {
  return selector::TermSet(terms);
}
selector::TermCondition In(const std::string& term, std::vector<std::string> values);
selector::TermCondition NotIn(const std::string& term, std::vector<std::string> values);

template <typename T>
base::Result<T> StoreFixture::Wait(const std::function<void(std::function<void(base::Result<T>)>)>& start) {
  struct Answer {
    std::promise<void> ready;
    std::optional<base::Result<T>> value;
  };
  const auto answer = std::make_shared<Answer>();
  start([answer](base::Result<T> value) {
    answer->value.emplace(std::move(value));
    answer->ready.set_value();
  });
  auto ready = answer->ready.get_future();
  REQUIRE(engine_->Wait(ready));
  return *std::move(answer->value);
}

}  // namespace annex::test
