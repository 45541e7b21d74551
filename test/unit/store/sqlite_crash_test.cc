// What a start finds after a crash at any moment. (The simulation does the same with everything at once; here
// one thing fails.)
#include "annex/base/log.h"
#include "annex/store/sqlite.h"
#include "support/database_check.h"
#include "support/simulated_disk.h"
#include "support/simulated_store.h"

#include <memory>
#include <string>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

using Crash = SimulatedDisk::Crash;
using Fault = SimulatedDisk::Fault;

void Quiet() {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
}

// A disk with a store in it that has two objects, and the store's id of its collection.
struct Prepared {
  explicit Prepared(std::uint64_t seed) : disk(seed), store(disk) {
    Quiet();
    REQUIRE(store.Open());
    collection = store.OpenCollection("widgets")->id;
    REQUIRE(store.Put(collection, "a", "1"));
    REQUIRE(store.Put(collection, "b", "1"));
  }

  // The process ends here, the power goes, and a new one starts.
  void CrashAndStart(Crash crash) {
    disk.Stop();
    store.Close();
    disk.Heal();
    disk.Restart(crash);
    const auto opened = store.Open();
    if (!opened) FAIL(opened.error().message);
    CHECK(CheckDatabase(SimulatedStore::kDatabase, disk.vfs()).empty());
  }

  SimulatedDisk disk;
  SimulatedStore store;
  store::CollectionId collection = 0;
};

}  // namespace

TEST_CASE("a commit is there as a whole or not at all wherever the power goes", "[store][crash]") {
  int acknowledged = 0;
  int lost = 0;
  for (std::uint64_t moment = 1; moment < 40; ++moment) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Prepared prepared(seed);
      prepared.disk.StopIn(moment);
      const auto committed = prepared.store.Put(prepared.collection, "a", std::string(20'000, '2'));
      const bool told = committed.has_value();
      prepared.CrashAndStart(seed % 4 == 0 ? Crash::kProcess : Crash::kPower);
      const std::string shown = prepared.store.Show(prepared.collection);
      INFO("seed " << seed << ", operation " << moment);
      const std::string after = "a=" + std::string(20, '2') + " b=1";
      CHECK((shown == after || (!told && shown == "a=1 b=1")));
      acknowledged += told ? 1 : 0;
      lost += shown == after ? 0 : 1;
      CHECK(prepared.store.Put(prepared.collection, "c", "1"));
    }
  }
  CHECK(acknowledged > 20);
  CHECK(lost > 20);
}

TEST_CASE("a first start that was cut off can be done again", "[store][crash]") {
  Quiet();
  for (std::uint64_t moment = 1; moment < 60; ++moment) {
    for (const Crash crash : {Crash::kPower, Crash::kProcess}) {
      SimulatedDisk disk(moment);
      SimulatedStore store(disk);
      disk.StopIn(moment);
      const bool opened = store.Open().has_value();
      disk.Stop();
      store.Close();
      disk.Restart(crash);
      INFO("operation " << moment << (opened ? ", had opened" : ""));
      REQUIRE(store.Open());
      const auto collection = store.OpenCollection("widgets");
      REQUIRE(collection);
      CHECK(store.Put(collection->id, "a", "1"));
      CHECK(CheckDatabase(SimulatedStore::kDatabase, disk.vfs()).empty());
    }
  }
}

TEST_CASE("a stop in order that was cut off loses nothing", "[store][crash]") {
  for (std::uint64_t moment = 1; moment < 30; ++moment) {
    Prepared prepared(moment);
    prepared.disk.StopIn(moment);
    prepared.store.Close();
    prepared.CrashAndStart(Crash::kPower);
    INFO("operation " << moment);
    CHECK(prepared.store.Show(prepared.collection) == "a=1 b=1");
  }
}

TEST_CASE("what a start shows survives the next loss of power", "[store][crash]") {
  // A write was on its way when the process died; the system still had it. Seen once, it must not go.
  int found = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Prepared prepared(seed);
    prepared.disk.Inject({Fault::kSyncError, 0, true});
    REQUIRE_FALSE(prepared.store.Put(prepared.collection, "a", "2"));
    prepared.CrashAndStart(Crash::kProcess);
    const std::string shown = prepared.store.Show(prepared.collection);
    found += shown == "a=2 b=1" ? 1 : 0;
    prepared.CrashAndStart(Crash::kPower);
    CHECK(prepared.store.Show(prepared.collection) == shown);
  }
  CHECK(found > 0);
}

TEST_CASE("a start after a failed sync harms nothing if the power goes meanwhile", "[store][crash]") {
  // The log in memory is longer than the one on the disk, and no sync will say so.
  for (std::uint64_t moment = 1; moment < 25; ++moment) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Prepared prepared(seed);
      prepared.disk.Inject({Fault::kSyncError, 0, true});
      REQUIRE_FALSE(prepared.store.Put(prepared.collection, "b", std::string(30'000, '2')));
      prepared.disk.Stop();
      prepared.store.Close();
      prepared.disk.Heal();
      prepared.disk.Restart(Crash::kProcess);
      prepared.disk.StopIn(moment);
      static_cast<void>(prepared.store.Open());
      INFO("seed " << seed << ", operation " << moment);
      prepared.CrashAndStart(Crash::kPower);
      CHECK(prepared.store.Show(prepared.collection).starts_with("a=1 b="));
    }
  }
}

TEST_CASE("a disk that lies about syncs is found out", "[store][crash]") {
  // The control: if this lost nothing, the tests above would see nothing.
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Quiet();
    SimulatedDisk disk(seed);
    disk.IgnoreSyncs();
    SimulatedStore store(disk);
    REQUIRE(store.Open());
    const auto collection = store.OpenCollection("widgets")->id;
    REQUIRE(store.Put(collection, "a", "1"));
    disk.Stop();
    store.Close();
    disk.Restart(Crash::kPower);
    if (!store.Open() || store.Show(collection) != "a=1") ++lost;
  }
  CHECK(lost > 5);
}

}  // namespace annex::test
