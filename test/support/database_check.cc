#include "database_check.h"

#include "annex/selector/terms.h"

#include <functional>
#include <memory>
#include <set>
#include <tuple>

#include <sqlite3.h>

namespace annex::test {
namespace {

class Database {
 public:
  Database(const std::string& path, const std::string& vfs) {
    code_ =
        sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, vfs.empty() ? nullptr : vfs.c_str());
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Shows each row; false and a text in `error` if the statement fails.
  bool Each(const char* sql, const std::function<void(sqlite3_stmt*)>& row, std::string& error) {
    sqlite3_stmt* statement = nullptr;
    if (code_ == SQLITE_OK) code_ = sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr);
    while (code_ == SQLITE_OK || code_ == SQLITE_ROW) {
      code_ = sqlite3_step(statement);
      if (code_ == SQLITE_ROW) row(statement);
    }
    const bool done = code_ == SQLITE_DONE;
    if (!done) error = std::string(sql) + ": " + sqlite3_errmsg(handle_);
    sqlite3_finalize(statement);
    code_ = SQLITE_OK;
    return done;
  }

 private:
  sqlite3* handle_ = nullptr;
  int code_ = SQLITE_OK;
};

std::string TextOf(sqlite3_stmt* row, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
  return {bytes == nullptr ? "" : bytes, static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

struct Rule {
  const char* what;
  const char* exceptions;  // a query that gives rows only if the rule is broken
};

constexpr Rule kRules[] = {
    {"every object has its newest state",
     "SELECT h.key FROM head h LEFT JOIN version v USING (revision)"
     " WHERE v.body IS NULL OR v.collection <> h.collection OR v.key <> h.key"},
    {"totals are right",
     "SELECT c.namespace FROM (SELECT collection, CASE instr(key, '/') WHEN 0 THEN ''"
     "   ELSE substr(key, 1, instr(key, '/') - 1) END AS namespace, count(*) AS objects FROM head GROUP BY "
     "1, 2) c"
     " LEFT JOIN tally t USING (collection, namespace) WHERE t.objects IS NOT c.objects"},
    {"there are no totals of what is not there",
     "SELECT t.namespace FROM tally t JOIN collection c ON c.id = t.collection AND c.dropped = 0 WHERE "
     "t.objects <>"
     " (SELECT count(*) FROM head h WHERE h.collection = t.collection AND t.namespace ="
     "   CASE instr(key, '/') WHEN 0 THEN '' ELSE substr(key, 1, instr(key, '/') - 1) END)"},
    {"nothing is left of collections that are gone",
     "SELECT key FROM head WHERE collection NOT IN (SELECT id FROM collection)"
     " UNION ALL SELECT key FROM term WHERE collection NOT IN (SELECT id FROM collection)"
     " UNION ALL SELECT namespace FROM tally WHERE collection NOT IN (SELECT id FROM collection)"
     " UNION ALL SELECT key FROM version WHERE collection NOT IN (SELECT id FROM collection) AND body IS NOT "
     "NULL"},
    {"a state of the past is kept only while history needs it",
     "SELECT v.revision FROM version v JOIN collection c ON c.id = v.collection AND c.dropped = 0"
     " WHERE v.revision <= (SELECT value FROM meta WHERE name = 'compacted')"
     " AND v.revision NOT IN (SELECT revision FROM head)"
     " AND NOT EXISTS (SELECT 1 FROM version w WHERE w.previous = v.revision"
     "   AND w.revision > (SELECT value FROM meta WHERE name = 'compacted'))"},
    {"what history needs is there",
     "SELECT v.revision FROM version v JOIN collection c ON c.id = v.collection AND c.dropped = 0"
     " WHERE v.revision > (SELECT value FROM meta WHERE name = 'compacted') AND v.previous <> 0"
     " AND v.previous NOT IN (SELECT revision FROM version)"},
    {"history begins within what there is",
     "SELECT value FROM meta WHERE name = 'compacted' AND value > (SELECT max(revision) FROM version)"},
};

using TermRows = std::set<std::tuple<std::int64_t, std::string, std::string>>;

std::string CheckTerms(Database& database) {
  TermRows indexed;
  TermRows wanted;
  std::string error;
  const bool read =
      database.Each(
          "SELECT t.collection, t.term, t.key FROM term t JOIN collection c ON c.id = t.collection AND "
          "c.dropped = 0",
          [&](sqlite3_stmt* row) {
            indexed.emplace(sqlite3_column_int64(row, 0), TextOf(row, 1), TextOf(row, 2));
          },
          error) &&
      database.Each(
          "SELECT h.collection, h.key, v.terms FROM head h JOIN version v USING (revision)"
          " JOIN collection c ON c.id = h.collection AND c.dropped = 0",
          [&](sqlite3_stmt* row) {
            const std::string terms = TextOf(row, 2);
            selector::TermReader reader(terms);
            while (const auto term = reader.Next()) {
              wanted.emplace(sqlite3_column_int64(row, 0),
                             std::string(term->name) + "=" + std::string(term->value), TextOf(row, 1));
            }
          },
          error);
  if (!read) return error;
  if (indexed == wanted) return "";
  return "the index has " + std::to_string(indexed.size()) + " terms, the objects " +
         std::to_string(wanted.size()) + ", or others";
}

}  // namespace

std::string CheckDatabase(const std::string& path, const std::string& vfs) {
  Database database(path, vfs);
  std::string problem;
  std::string error;
  const auto note = [&problem](const std::string& text) {
    if (problem.empty()) problem = text;
  };
  if (!database.Each(
          "PRAGMA integrity_check",
          [&](sqlite3_stmt* row) {
            if (TextOf(row, 0) != "ok") note("integrity_check: " + TextOf(row, 0));
          },
          error)) {
    return error;
  }
  for (const Rule& rule : kRules) {
    const bool ran = database.Each(
        rule.exceptions,
        [&](sqlite3_stmt* row) { note("broken: " + std::string(rule.what) + " (" + TextOf(row, 0) + ")"); },
        error);
    if (!ran) return error;
  }
  if (problem.empty()) note(CheckTerms(database));
  return problem;
}

}  // namespace annex::test
