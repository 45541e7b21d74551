// Every operation of the disk fails once, and for ever, under every operation of the store: no wrong success,
// nothing half done, and what was acknowledged is there afterwards.
#include "annex/base/log.h"
#include "support/database_check.h"
#include "support/simulated_disk.h"
#include "support/simulated_store.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

using Crash = SimulatedDisk::Crash;
using Fault = SimulatedDisk::Fault;

const std::string kLog = std::string(SimulatedStore::kDatabase) + "-wal";

// What a use of the store said, and what the store shows if it said the truth.
struct Said {
  bool good = false;
  std::string after;
};

struct Use {
  const char* name;
  std::function<Said(SimulatedStore&, store::CollectionId)> run;
};

constexpr const char* kBefore = "a=1 b=1";

store::TermUpdate NewTerms(SimulatedStore& store, store::CollectionId c) {
  const auto object = store.store().Load(c, "a");
  const std::map<std::string, std::string> terms = {{"Lnew", "1"}};
  return {"a", object && *object ? (*object)->revision : 0, selector::TermSet(terms), 1};
}

const std::vector<Use>& Uses() {
  static const std::vector<Use> uses = {
      {"create",
       [](auto& store, auto c) {
         return Said{store.Put(c, "c", "1").has_value(), "a=1 b=1 c=1"};
       }},
      {"update",
       [](auto& store, auto c) {
         return Said{store.Put(c, "a", "2").has_value(), "a=2 b=1"};
       }},
      {"update to many pages",
       [](auto& store, auto c) {
         return Said{store.Put(c, "a", std::string(100'000, 'x')).has_value(),
                     "a=" + std::string(20, 'x') + " b=1"};
       }},
      {"delete",
       [](auto& store, auto c) {
         return Said{store.Put(c, "a", std::nullopt).has_value(), "b=1"};
       }},
      {"open a collection",
       [](auto& store, auto) {
         return Said{store.OpenCollection("other").has_value(), kBefore};
       }},
      {"drop a collection",
       [](auto& store, auto c) {
         return Said{store.DropCollection(c).has_value(), "!"};
       }},
      {"update terms",
       [](auto& store, auto c) {
         const auto done = store.template Wait<void>(
             [&](auto callback) { store.store().UpdateTerms(c, {NewTerms(store, c)}, std::move(callback)); });
         return Said{done.has_value(), kBefore};
       }},
      {"compact",
       [](auto& store, auto) {
         store.scheduler.AdvanceTime(std::chrono::seconds(2));
         return Said{store.Compact().has_value(), kBefore};
       }},
      {"get",
       [](auto& store, auto c) {
         return Said{store.store().Load(c, "a").has_value(), kBefore};
       }},
      {"list",
       [](auto& store, auto c) {
         return Said{!store.Show(c).starts_with("!"), kBefore};
       }},
      {"read the log",
       [](auto& store, auto c) {
         return Said{store.store().ReadLog({c, "", store.store().CompactedRevision(), 100, 1000}).has_value(),
                     kBefore};
       }},
      {"stop and start",
       [](auto& store, auto) {
         store.Close();
         return Said{store.Open().has_value(), kBefore};
       }},
  };
  return uses;
}

// The files of a store with two objects and a little history, made once.
struct Files {
  Files() {
    base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
    SimulatedDisk disk(1);
    SimulatedStore store(disk);
    REQUIRE(store.Open());
    collection = store.OpenCollection("widgets")->id;
    for (const char* key : {"a", "b", "gone"}) REQUIRE(store.Put(collection, key, "0"));
    for (const char* key : {"a", "b"}) REQUIRE(store.Put(collection, key, "1"));
    REQUIRE(store.Put(collection, "gone", std::nullopt));
    store.Close();
    database = disk.ReadFile(SimulatedStore::kDatabase);
    log = disk.ReadFile(kLog);
  }

  std::string database;
  std::string log;
  store::CollectionId collection = 0;
};

// One run: the `after`-th operation that the fault can hit fails. False if none came to be hit.
bool RunWithFault(const Files& files, const Use& use, const SimulatedDisk::FaultPlan& plan, Crash crash) {
  SimulatedDisk disk(plan.after + 1);
  disk.WriteFile(SimulatedStore::kDatabase, files.database);
  disk.WriteFile(kLog, files.log);
  SimulatedStore store(disk);
  store.options.history_age = std::chrono::seconds(0);
  store.options.checkpoint_frames = 1;
  REQUIRE(store.Open());
  disk.Inject(plan);
  const Said said = use.run(store, files.collection);
  disk.Heal();
  const bool hit = disk.faults_hit() > 0;

  // What is shown now, and what a restart shows, is the state before or the one after, and the latter if it
  // was said to be.
  const auto check = [&](const char* when) {
    const std::string shown = store.Show(files.collection);
    INFO(use.name << ", fault " << static_cast<int>(plan.fault) << (plan.forever ? " for ever" : " once")
                  << " after " << plan.after << ", " << when << ": " << shown);
    const bool is_after = said.after == "!" ? shown.starts_with("!") : shown == said.after;
    CHECK((is_after || (!said.good && shown == kBefore)));
  };
  if (!hit) CHECK(said.good);
  if (store.open()) {
    check("at once");
    // Whatever happened: a store that says that it is well is well.
    if (store.store().Healthy() && said.after != "!") CHECK(store.Put(files.collection, "z", "1"));
    if (!store.store().Healthy()) CHECK_FALSE(store.Put(files.collection, "z", "1"));
    if (store.store().Healthy() && said.after != "!") CHECK(store.Put(files.collection, "z", std::nullopt));
  }
  disk.Stop();
  store.Close();
  disk.Restart(crash);
  REQUIRE(store.Open());
  check("after a restart");
  CHECK(CheckDatabase(SimulatedStore::kDatabase, disk.vfs()).empty());
  return hit;
}

}  // namespace

TEST_CASE("every fault under every use leaves the store right", "[store][faults]") {
  const Files files;
  std::uint64_t hits = 0;
  for (const Use& use : Uses()) {
    for (const Fault fault :
         {Fault::kIoError, Fault::kReadError, Fault::kFull, Fault::kShortWrite, Fault::kSyncError}) {
      for (const bool forever : {false, true}) {
        for (std::uint64_t after = 0; after < 200; ++after) {
          const Crash crash = (after + (forever ? 1 : 0)) % 2 == 0 ? Crash::kPower : Crash::kProcess;
          if (!RunWithFault(files, use, {fault, after, forever}, crash)) break;
          ++hits;
        }
      }
    }
  }
  // Less would mean that faults are not where they were thought to be.
  CHECK(hits > 500);
}

TEST_CASE("a store whose disk failed while it opened says so", "[store][faults]") {
  const Files files;
  for (const Fault fault : {Fault::kIoError, Fault::kReadError}) {
    std::uint64_t after = 0;
    for (bool hit = true; hit; ++after) {
      SimulatedDisk disk(after);
      disk.WriteFile(SimulatedStore::kDatabase, files.database);
      SimulatedStore store(disk);
      disk.Inject({fault, after, false});
      const auto opened = store.Open();
      hit = disk.faults_hit() > 0;
      if (!opened) CHECK(opened.error().reason == base::Reason::kInternalError);
      disk.Heal();
      REQUIRE(store.Open());
      CHECK(store.Show(files.collection) == kBefore);
    }
    CHECK(after > 3);
  }
}

}  // namespace annex::test
