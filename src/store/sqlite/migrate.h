// Making and migrating the tables of a database file.
#pragma once

#include "annex/base/result.h"
#include "connection.h"

namespace annex::store::sqlite {

// What this program writes. Kept in PRAGMA user_version; PRAGMA application_id says that the file is Annex's
// at all.
inline constexpr int kSchemaVersion = 1;
inline constexpr int kApplicationId = 0x416E6578;  // "Anex"

// Makes the tables of a new file, brings those of an older version up to date.
// Errors: InternalError with a text for operators: the file belongs to another program, or to a newer version
// of Annex.
base::Result<void> Migrate(Connection& connection);

}  // namespace annex::store::sqlite
