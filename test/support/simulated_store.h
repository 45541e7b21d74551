// SimulatedStore: an SQLite store on a simulated disk, whose calls return when they are done.
//
//   SimulatedDisk disk(seed);
//   SimulatedStore store(disk);
//   REQUIRE(store.Open());
//   store.Put(collection, "ns/a", "body");
//
// Thread rule: one thread. Ownership: `disk` outlives it.
#pragma once

#include "annex/base/metrics.h"
#include "annex/store/sqlite.h"
#include "annex/store/store.h"
#include "simulated_disk.h"
#include "simulated_scheduler.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace annex::test {

class SimulatedStore {
 public:
  static constexpr const char* kDatabase = "/data/annex.db";

  explicit SimulatedStore(SimulatedDisk& disk);
  ~SimulatedStore() { Close(); }
  SimulatedStore(const SimulatedStore&) = delete;
  SimulatedStore& operator=(const SimulatedStore&) = delete;

  // Change them before Open.
  store::SqliteOptions options;
  SimulatedScheduler scheduler{1};

  base::Result<void> Open(store::CommitObserver* observer = nullptr);
  // On a disk that was stopped this is the death of the process.
  void Close();
  store::Store& store() { return *store_; }
  bool open() const { return store_ != nullptr; }

  // Runs tasks until the callback that `start` is given was called.
  template <typename T>
  base::Result<T> Wait(const std::function<void(std::function<void(base::Result<T>)>)>& start) {
    std::optional<base::Result<T>> answer;
    start([&answer](base::Result<T> result) { answer = std::move(result); });
    while (!answer && scheduler.Step()) {
    }
    return std::move(*answer);
  }

  base::Result<store::CollectionInfo> OpenCollection(const std::string& name);
  base::Result<void> DropCollection(store::CollectionId collection);
  base::Result<store::Committed> Commit(store::Mutation mutation);
  base::Result<void> Compact();
  // Creates or updates an object, or deletes it (`body` nullopt).
  base::Result<store::Committed> Put(store::CollectionId collection, const std::string& key,
                                     const std::optional<std::string>& body);
  // "key=body …" of all objects; a text with '!' if the list fails.
  std::string Show(store::CollectionId collection);

 private:
  std::optional<base::Metrics> metrics_;
  std::unique_ptr<base::Executor> writer_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace annex::test
