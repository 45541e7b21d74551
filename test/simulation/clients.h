// The clients of a simulated world. Each runs on an executor of its own and checks all that it is told.
//
// Thread rule: one thread. Ownership: a client dies before the store that it talks to, with callbacks of its
// writes still in the store's queue; those go to the World.
#pragma once

#include "annex/base/executor.h"
#include "annex/selector/query.h"
#include "annex/store/watch_hub.h"
#include "world.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace annex::test {

// Creates, updates and deletes, at times with what it saw long ago.
class WriterClient final : public Client {
 public:
  WriterClient(World& world, base::Executor& executor);

 private:
  void Sleep();
  void Step();
  void Mutate(store::CollectionId collection, const std::string& key, store::ObjectPtr seen);
  void UpdateTerms(store::CollectionId collection);

  World& world_;
  base::Executor& executor_;
  std::vector<std::pair<store::CollectionId, store::ObjectPtr>> remembered_;
  std::unique_ptr<base::Executor::Timer> timer_;
};

// Pages through lists at new and old revisions, with and without queries; others run between its pages and
// its rows.
class ListerClient final : public Client {
 public:
  ListerClient(World& world, base::Executor& executor);

 private:
  void Sleep();
  void Begin();
  void Step();
  void NextPage();
  void Finish();
  bool Refused(const base::Status& error);
  std::vector<std::string> Wanted() const;

  World& world_;
  base::Executor& executor_;
  bool paging_ = false;
  store::ListQuery list_;
  selector::Query query_;
  std::string first_;  // the key that the list began with
  std::shared_ptr<void> pin_;
  std::vector<std::string> shown_;
  std::unique_ptr<base::Executor::Timer> timer_;
};

// Watches, slowly at times; goes on from its bookmark after a crash, and from a list after Expired.
class WatcherClient final : public Client {
 public:
  WatcherClient(World& world, base::Executor& executor, Bookmark& bookmark);
  void CheckSettled() override;

 private:
  void Begin();
  void Wake();
  void Pump();
  void Check(const store::WatchHub::Watcher::Batch& batch);
  void PumpSoon();

  World& world_;
  base::Executor& executor_;
  Bookmark& bookmark_;
  bool asleep_ = false;
  std::unique_ptr<store::WatchHub::Watcher> watcher_;
  std::unique_ptr<base::Executor::Timer> timer_;
};

}  // namespace annex::test
