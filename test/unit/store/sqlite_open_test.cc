// Opening a data directory: what is made, and what is refused with a text that helps.
#include "annex/base/log.h"
#include "annex/base/metrics.h"
#include "annex/base/serial_thread.h"
#include "annex/store/sqlite.h"
#include "support/manual_clock.h"
#include "support/simulated_store.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <catch2/catch.hpp>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace annex::test {
namespace {

// A store in a real folder that does nothing.
struct RealStore {
  explicit RealStore(const std::string& directory) {
    base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
    store::SqliteOptions options;
    options.data_directory = directory;
    opened = store::OpenSqliteStore(options, clock, metrics, writer, nullptr);
  }
  ~RealStore() { writer.Stop(); }
  RealStore(const RealStore&) = delete;
  RealStore& operator=(const RealStore&) = delete;

  std::string Error() const { return opened ? "" : opened.error().message; }

  ManualClock clock;
  base::Metrics metrics;
  base::SerialThread writer{"writer"};
  base::Result<std::unique_ptr<store::Store>> opened;
};

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void Execute(const std::string& path, const std::string& sql) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("a missing data directory is made, with its parents, for its owner alone", "[store][open]") {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.path() + "/a/b/data";
  const RealStore store(directory);
  CHECK(store.Error().empty());
  struct stat status {};
  REQUIRE(stat(directory.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0700U);
  CHECK(std::filesystem::exists(directory + "/annex.db"));
}

TEST_CASE("a data directory may be named in odd ways", "[store][open]") {
  const TemporaryDirectory temporary;
  for (const char* name : {"/x/", "/y//data", "/z/../w/data", "/ü ?#%41"}) {
    const RealStore store(temporary.path() + name);
    CHECK(store.Error().empty());
  }
}

TEST_CASE("a data directory is used by one store at a time", "[store][open]") {
  const TemporaryDirectory temporary;
  std::optional<RealStore> first(std::in_place, temporary.path());
  REQUIRE(first->Error().empty());
  {
    const RealStore second(temporary.path());
    CHECK(Contains(second.Error(),
                   "is in use by another annex process (pid " + std::to_string(getpid()) + ")"));
    CHECK(second.opened.error().reason == base::Reason::kInternalError);
  }
  first.reset();
  CHECK(RealStore(temporary.path()).Error().empty());
}

TEST_CASE("a directory that cannot be made is refused with its name", "[store][open]") {
  const TemporaryDirectory temporary;
  std::ofstream(temporary.path() + "/file") << "not a directory";
  const RealStore store(temporary.path() + "/file/data");
  CHECK(Contains(store.Error(), temporary.path() + "/file/data"));
  CHECK(Contains(store.Error(), "Not a directory"));
  CHECK_FALSE(RealStore("").Error().empty());
}

TEST_CASE("another program's database is refused and left as it is", "[store][open]") {
  const TemporaryDirectory temporary;
  const std::string path = temporary.path() + "/annex.db";
  Execute(path, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  {
    const RealStore store(temporary.path());
    CHECK(Contains(store.Error(), "another program"));
  }
  Execute(path, "INSERT INTO theirs VALUES (2)");
}

TEST_CASE("a database of a newer version is refused", "[store][open]") {
  const TemporaryDirectory temporary;
  CHECK(RealStore(temporary.path()).Error().empty());
  Execute(temporary.path() + "/annex.db", "PRAGMA user_version=99");
  const RealStore store(temporary.path());
  CHECK(Contains(store.Error(), "schema version 99"));
  CHECK(Contains(store.Error(), "newer version"));
}

TEST_CASE("a long log that a killed process left behind is taken over", "[store][open]") {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.path() + "/data";
  const std::string copy = temporary.path() + "/copy";
  { const RealStore store(directory); }
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((directory + "/annex.db").c_str(), &database) == SQLITE_OK);
  const char* grow =
      "PRAGMA wal_autocheckpoint = 0; CREATE TABLE scratch (bytes); INSERT INTO scratch VALUES "
      "(zeroblob(3000000)); DROP TABLE scratch";
  REQUIRE(sqlite3_exec(database, grow, nullptr, nullptr, nullptr) == SQLITE_OK);
  // What a kill leaves is what is there while the database is open.
  std::filesystem::copy(directory, copy);
  sqlite3_close(database);
  REQUIRE(std::filesystem::file_size(copy + "/annex.db-wal") > 3000000);
  const RealStore store(copy);
  CHECK(store.Error() == "");
}

TEST_CASE("a file that is no database is refused", "[store][open]") {
  const TemporaryDirectory temporary;
  std::ofstream(temporary.path() + "/annex.db") << std::string(10'000, 'x');
  const RealStore store(temporary.path());
  CHECK(Contains(store.Error(), "not a database"));
}

TEST_CASE("a damaged page is an error of what needs it, not a wrong answer", "[store][open]") {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  SimulatedDisk disk(1);
  SimulatedStore store(disk);
  REQUIRE(store.Open());
  const auto c = store.OpenCollection("widgets")->id;
  for (int i = 0; i < 200; ++i) REQUIRE(store.Put(c, "ns/" + std::to_string(i), std::string(2000, 'x')));
  store.Close();
  std::string bytes = disk.ReadFile(SimulatedStore::kDatabase);
  int refused = 0;
  for (std::size_t page = 1; page < bytes.size() / 8192; ++page) {
    std::string damaged = bytes;
    damaged.replace(page * 8192, 8192, std::string(8192, '\xAB'));
    disk.WriteFile(SimulatedStore::kDatabase, damaged);
    if (!store.Open()) {
      ++refused;
      continue;
    }
    int rows = 0;
    const auto listed = store.store().List({.collection = c}, [&](const store::Row& row) {
      CHECK(row.body.size() == 2000);
      ++rows;
      return store::Visit::kNext;
    });
    if (listed) {
      CHECK(rows == 200);
    } else {
      ++refused;
      CHECK(listed.error().reason == base::Reason::kInternalError);
    }
    store.Close();
  }
  CHECK(refused > 10);
}

}  // namespace annex::test
