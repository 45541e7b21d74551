#include "connection.h"

#include "annex/base/check.h"

#include <algorithm>
#include <vector>

#include <sqlite3.h>

namespace annex::store::sqlite {
namespace {

base::Status ErrorOf(sqlite3* handle, const char* doing) {
  const int code = sqlite3_extended_errcode(handle);
  return {base::Reason::kInternalError, std::string(doing) + ": " + sqlite3_errmsg(handle) + " (" +
                                            sqlite3_errstr(code) + ", code " + std::to_string(code) + ")"};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::Bind(int parameter, std::int64_t value) {
  ANNEX_CHECK(sqlite3_bind_int64(statement_.get(), parameter, value) == SQLITE_OK, name_);
  return *this;
}

Statement& Statement::BindText(int parameter, std::string_view text) {
  // A null pointer would bind NULL: an empty view may have one.
  const char* bytes = text.data() == nullptr ? "" : text.data();
  ANNEX_CHECK(sqlite3_bind_text64(statement_.get(), parameter, bytes, text.size(), SQLITE_STATIC,
                                  SQLITE_UTF8) == SQLITE_OK,
              name_);
  return *this;
}

Statement& Statement::BindBlob(int parameter, std::string_view bytes) {
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  ANNEX_CHECK(
      sqlite3_bind_blob64(statement_.get(), parameter, data, bytes.size(), SQLITE_STATIC) == SQLITE_OK,
      name_);
  return *this;
}

Statement& Statement::BindNull(int parameter) {
  ANNEX_CHECK(sqlite3_bind_null(statement_.get(), parameter) == SQLITE_OK, name_);
  return *this;
}

base::Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  base::Status error = ErrorOf(sqlite3_db_handle(statement_.get()), name_);
  Reset();
  return base::Error(std::move(error));
}

base::Result<void> Statement::Run() {
  const auto row = Step();
  if (!row) return base::Error(row.error());
  Reset();
  return {};
}

// The code of sqlite3_reset repeats the error of the last step, which Step reported.
void Statement::Reset() {
  static_cast<void>(sqlite3_reset(statement_.get()));
}

std::int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return {text == nullptr ? "" : text,
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view Statement::Blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes == nullptr ? "" : bytes,
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Connection::Close::operator()(sqlite3* handle) const {
  const int code = sqlite3_close(handle);
  ANNEX_CHECK(code == SQLITE_OK, "statements are finalized before their connection is closed");
}

base::Result<std::unique_ptr<Connection>> Connection::Open(const std::string& path, const std::string& vfs,
                                                           Mode mode, std::int64_t cache_bytes) {
  // Nobody reads SQLite's own statistics of memory, for which every allocation takes a lock of the whole
  // process. (It is too late once the library is in use, as in tests that register a VFS; then it keeps
  // them.)
  [[maybe_unused]] static const int kConfigured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3* handle = nullptr;
  const int create = mode == Mode::kWriter ? SQLITE_OPEN_CREATE : 0;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | create,
                      vfs.empty() ? nullptr : vfs.c_str());
  ANNEX_CHECK(handle != nullptr, "out of memory");
  std::unique_ptr<Connection> connection(new Connection(handle));
  if (code != SQLITE_OK) return base::Error(ErrorOf(handle, ("open " + path).c_str()));
  ANNEX_RETURN_IF_ERROR(connection->Configure(mode, cache_bytes));
  return connection;
}

base::Result<void> Connection::Configure(Mode mode, std::int64_t cache_bytes) {
  sqlite3_extended_result_codes(handle_.get(), 1);
  // Nothing here ever waits for a lock: one writer, and readers of a WAL need none. A backup tool may hold
  // one for a moment.
  sqlite3_busy_timeout(handle_.get(), 5000);
  int unused = 0;
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, &unused);
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &unused);
  // The store checkpoints when it stops in order; after an error it must not, and readers never.
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &unused);
  std::string pragmas =
      "PRAGMA cache_size=" + std::to_string(-(cache_bytes / 1024)) + ";PRAGMA temp_store=MEMORY;";
  if (mode == Mode::kReader) {
    // Debian 12's SQLite 3.40.1 can lose committed writes when two connections write or checkpoint (the
    // WAL-reset bug, fixed in 3.51.3). So readers must not even checkpoint on close, and no connection
    // checkpoints by itself.
    pragmas += "PRAGMA query_only=1;PRAGMA wal_autocheckpoint=0;";
  } else {
    pragmas +=
        "PRAGMA page_size=8192;PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA wal_autocheckpoint=0;";
  }
  ANNEX_RETURN_IF_ERROR(Execute(pragmas));
  if (mode == Mode::kWriter) {
    // SQLite says so in a row, not in an error, if it cannot have the mode.
    ANNEX_TRY(Statement statement, Prepare("journal mode", "PRAGMA journal_mode"));
    ANNEX_RETURN_IF_ERROR(statement.Step());
    if (statement.Text(0) != "wal") {
      return base::Error(base::Reason::kInternalError,
                         "the database cannot have a write-ahead log here; put the data directory "
                         "on a local disk, not on a network file system");
    }
  }
  // Last: PRAGMA wal_autocheckpoint removes the hook.
  const auto note_frames = [](void* self, sqlite3*, const char*, int frames) {
    static_cast<Connection*>(self)->log_frames_ = frames;
    return SQLITE_OK;
  };
  if (mode == Mode::kWriter) sqlite3_wal_hook(handle_.get(), note_frames, this);
  return {};
}

base::Result<Statement> Connection::Prepare(const char* name, std::string_view sql) {
  Statement statement;
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  if (code != SQLITE_OK) return base::Error(ErrorOf(handle_.get(), name));
  statement.statement_.reset(prepared);
  statement.name_ = name;
  return statement;
}

base::Result<void> Connection::Execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return base::Error(ErrorOf(handle_.get(), sql.substr(0, 60).c_str()));
}

base::Result<std::int64_t> Connection::QueryInteger(const std::string& sql) {
  ANNEX_TRY(Statement statement, Prepare("query integer", sql));
  ANNEX_TRY(const bool row, statement.Step());
  return row ? statement.Integer(0) : 0;
}

std::int64_t Connection::Changes() const {
  return sqlite3_changes64(handle_.get());
}

base::Result<Connection::Checkpointed> Connection::Checkpoint(int mode) {
  Checkpointed result;
  const int code =
      sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, mode, &result.log_frames, &result.done_frames);
  // Busy: a reader still needs the old state; what could be copied was.
  if (code != SQLITE_OK && code != SQLITE_BUSY) return base::Error(ErrorOf(handle_.get(), "checkpoint"));
  // Once every frame is in the database, the next commit begins the log anew, and the hook counts again.
  log_frames_ = result.log_frames == result.done_frames ? 0 : result.log_frames;
  return result;
}

base::Result<void> Connection::RewriteLog() {
  sqlite3_file* log = nullptr;
  int code = sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code == SQLITE_OK && log->pMethods == nullptr) return {};  // there is none yet
  sqlite3_int64 size = 0;
  if (code == SQLITE_OK) code = log->pMethods->xFileSize(log, &size);
  if (code == SQLITE_OK && size == 0) return {};
  // SQLite's unix VFS writes less than 128 KiB at a time: of a longer block it takes the length modulo that,
  // and "writes" none.
  constexpr std::size_t kBlockBytes = 1UL << 16U;
  std::vector<char> block(kBlockBytes);
  for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size; at += static_cast<sqlite3_int64>(block.size())) {
    const auto bytes = static_cast<int>(std::min(size - at, static_cast<sqlite3_int64>(block.size())));
    code = log->pMethods->xRead(log, block.data(), bytes, at);
    if (code == SQLITE_OK) code = log->pMethods->xWrite(log, block.data(), bytes, at);
  }
  if (code == SQLITE_OK) code = log->pMethods->xSync(log, SQLITE_SYNC_FULL);
  if (code == SQLITE_OK) return {};
  return base::Error(base::Reason::kInternalError, std::string("rewrite the log: ") + sqlite3_errstr(code));
}

bool Connection::LastErrorPasses() const {
  const unsigned code = static_cast<unsigned>(sqlite3_errcode(handle_.get())) & 0xFFU;
  return code == SQLITE_FULL || code == SQLITE_BUSY;
}

}  // namespace annex::store::sqlite
