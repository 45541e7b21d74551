#include "migrate.h"

#include <string>

namespace annex::store::sqlite {
namespace {

constexpr const char* kSchema =
#include "schema.inc"
    ;

base::Result<void> CreateTables(Connection& connection) {
  std::string sql = "BEGIN EXCLUSIVE;";
  sql += kSchema;
  sql += "PRAGMA application_id=" + std::to_string(kApplicationId) + ";";
  sql += "PRAGMA user_version=" + std::to_string(kSchemaVersion) + ";COMMIT;";
  return connection.Execute(sql);
}

}  // namespace

base::Result<void> Migrate(Connection& connection) {
  ANNEX_TRY(const std::int64_t application, connection.QueryInteger("PRAGMA application_id"));
  ANNEX_TRY(const std::int64_t version, connection.QueryInteger("PRAGMA user_version"));
  ANNEX_TRY(const std::int64_t tables, connection.QueryInteger("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) return CreateTables(connection);
  if (application != kApplicationId) {
    return base::Error(
        base::Reason::kInternalError,
        "the file is a SQLite database of another program; give Annex a data directory of its own");
  }
  if (version > kSchemaVersion) {
    return base::Error(base::Reason::kInternalError,
                       "the database has schema version " + std::to_string(version) +
                           ", this program knows up to " + std::to_string(kSchemaVersion) +
                           "; run the newer version of annex that wrote it");
  }
  // Steps from older versions go here, one per version, each in a transaction that also sets user_version.
  return {};
}

}  // namespace annex::store::sqlite
