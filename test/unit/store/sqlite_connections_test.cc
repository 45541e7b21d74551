// Who writes: one connection, and never a reader, whatever happens. SQLite before 3.51.3 can lose commits
// otherwise.
#include "annex/base/log.h"
#include "support/simulated_disk.h"
#include "support/simulated_store.h"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

using Role = SimulatedDisk::Role;

void CheckReadersOnlyRead(const SimulatedDisk& disk) {
  const auto readers = disk.counts(Role::kReader);
  CHECK(readers.writes == 0);
  CHECK(readers.syncs == 0);
  CHECK(readers.write_locks == 0);
}

// Everything that reads, and lists within lists, so that several readers are open at once.
void ReadEverything(SimulatedStore& store, store::CollectionId c, int depth) {
  const selector::Query query{{{"Lbody", selector::Operator::kIn, {"1", "2"}}}, {}};
  const auto visit = [&](const store::Row&) {
    if (depth > 0) ReadEverything(store, c, depth - 1);
    return store::Visit::kNext;
  };
  CHECK(store.store().List({.collection = c, .query = &query}, visit));
  CHECK(store.store().List({.collection = c, .at = store.store().CompactedRevision()}, visit));
  CHECK(store.store().List({.collection = c, .start = "b", .count_remaining = true},
                           [](const store::Row&) { return store::Visit::kStop; }));
  CHECK(store.store().Load(c, "a"));
  CHECK(store.store().Count(c));
  CHECK(store.store().ReadLog({c, "", store.store().CompactedRevision(), 100, 10'000}));
}

}  // namespace

TEST_CASE("readers never write, sync or take a lock for writing, not even on close", "[store][connections]") {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  SimulatedDisk disk(1);
  SimulatedStore store(disk);
  // So small that checkpoints and new logs are all the time, with a cache that does not hold the tables.
  store.options.checkpoint_frames = 10;
  store.options.restart_frames = 20;
  store.options.cache_bytes = 16 << 10;
  store.options.history_age = std::chrono::seconds(0);
  for (int life = 0; life < 3; ++life) {
    REQUIRE(store.Open());
    const auto c = store.OpenCollection("widgets")->id;
    for (int i = 0; i < 60; ++i) {
      REQUIRE(store.Put(c, std::string(1, static_cast<char>('a' + i % 7)), std::to_string(i % 3)));
      if (i % 10 == 0) ReadEverything(store, c, 1);
      if (i % 25 == 0) REQUIRE(store.Compact());
    }
    CHECK(disk.counts(Role::kReader).reads > 0);
    store.Close();
    CheckReadersOnlyRead(disk);
  }
  CHECK(disk.counts(Role::kWriter).writes > 100);
}

TEST_CASE("readers write nothing when they outlive a writer that failed", "[store][connections]") {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  SimulatedDisk disk(1);
  SimulatedStore store(disk);
  REQUIRE(store.Open());
  const auto c = store.OpenCollection("widgets")->id;
  REQUIRE(store.Put(c, "a", "1"));
  disk.Inject({SimulatedDisk::Fault::kSyncError, 0, false});
  CHECK_FALSE(store.Put(c, "a", "2"));
  const auto before = disk.counts(Role::kWriter);
  if (GENERATE(true, false)) ReadEverything(store, c, 1);
  store.Close();
  CheckReadersOnlyRead(disk);
  // After a failed sync the writer writes no more, either.
  CHECK(disk.counts(Role::kWriter).writes == before.writes);
}

TEST_CASE("a group of commits costs one sync", "[store][connections]") {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  SimulatedDisk disk(1);
  SimulatedStore store(disk);
  REQUIRE(store.Open());
  const auto c = store.OpenCollection("widgets")->id;
  const std::uint64_t before = disk.counts(Role::kWriter).syncs;
  int answered = 0;
  for (int i = 0; i < 100; ++i) {
    store::Mutation mutation{c, std::to_string(i), nullptr, store::Mutation::State()};
    store.store().Commit(std::move(mutation),
                         [&answered](const auto& result) { answered += result ? 1 : 0; });
  }
  store.scheduler.RunUntilIdle();
  CHECK(answered == 100);
  CHECK(disk.counts(Role::kWriter).syncs == before + 1);
}

TEST_CASE("a long read does not keep commits waiting", "[store][connections]") {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  SimulatedDisk disk(1);
  SimulatedStore store(disk);
  store.options.checkpoint_frames = 10;
  store.options.restart_frames = 20;
  REQUIRE(store.Open());
  const auto c = store.OpenCollection("widgets")->id;
  for (int i = 0; i < 10; ++i) REQUIRE(store.Put(c, std::to_string(i), "0"));
  int rows = 0;
  const auto page = store.store().List({.collection = c}, [&](const store::Row& row) {
    // The log grows far beyond its limits and cannot begin anew; nothing is lost, nobody fails.
    for (int i = 0; i < 10; ++i) CHECK(store.Put(c, std::string(row.key), std::to_string(++rows)));
    CHECK(row.body == "0");
    return store::Visit::kNext;
  });
  CHECK(page);
  CHECK(rows == 100);
  CHECK(store.store().Healthy());
  CHECK(store.Put(c, "0", "end"));
}

TEST_CASE("the log begins anew and does not grow for ever", "[store][connections]") {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  SimulatedDisk disk(1);
  SimulatedStore store(disk);
  store.options.checkpoint_frames = 20;
  store.options.restart_frames = 80;
  REQUIRE(store.Open());
  const auto c = store.OpenCollection("widgets")->id;
  for (int i = 0; i < 500; ++i) {
    REQUIRE(store.Put(c, "a", std::string(1000, 'x')));
    if (i % 10 == 0) store.Show(c);
  }
  CHECK(disk.SizeOf(std::string(SimulatedStore::kDatabase) + "-wal") < 100 * 8216);
  store.Close();
  CHECK(disk.SizeOf(std::string(SimulatedStore::kDatabase) + "-wal") == 0);
}

TEST_CASE("history is forgotten as time passes, without being asked", "[store][upkeep]") {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  SimulatedDisk disk(1);
  SimulatedStore store(disk);
  store.options.history_age = std::chrono::seconds(60);
  REQUIRE(store.Open());
  const auto c = store.OpenCollection("widgets")->id;
  const auto dropped = store.OpenCollection("dropped")->id;
  for (int i = 0; i < 5000; ++i) REQUIRE(store.Put(c, std::to_string(i % 10), std::to_string(i)));
  for (int i = 0; i < 10; ++i) REQUIRE(store.Put(dropped, std::to_string(i), "x"));
  REQUIRE(store.DropCollection(dropped));
  const store::Revision newest = store.store().CurrentRevision();
  store.scheduler.AdvanceTime(std::chrono::seconds(50));
  CHECK(store.store().CompactedRevision() == 1);
  store.scheduler.AdvanceTime(std::chrono::seconds(20));
  CHECK(store.store().CompactedRevision() == newest - 1);
  CHECK(store.store().CurrentRevision() == newest);
}

}  // namespace annex::test
