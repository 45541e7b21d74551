// A connection to the database file and its statements: SQLite's C interface with RAII and Result.
//
// Thread rule: a Connection and its Statements are used by one thread at a time (opened with
// SQLITE_OPEN_NOMUTEX). Failure: InternalError with SQLite's message; no return code of SQLite is ignored.
#pragma once

#include "annex/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace annex::store::sqlite {

class Connection;

// A prepared statement. Bind, Step until it gives no row, then it is ready for the next use. Whoever leaves
// early must Reset: a statement in the middle of its rows holds a read transaction open. `Use` does that by
// scope.
class Statement {
 public:
  Statement() = default;
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;

  // Parameters count from 1. Text and blobs are not copied: they must live until Reset.
  Statement& Bind(int parameter, std::int64_t value);
  Statement& BindText(int parameter, std::string_view text);
  Statement& BindBlob(int parameter, std::string_view bytes);
  Statement& BindNull(int parameter);

  // True with a row, false at the end.
  base::Result<bool> Step();
  // Steps a statement that gives no rows, and resets it.
  base::Result<void> Run();
  void Reset();

  // Columns count from 0. The views live until the next Step or Reset.
  std::int64_t Integer(int column) const;
  std::string_view Text(int column) const;
  std::string_view Blob(int column) const;
  bool IsNull(int column) const;

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  const char* name_ = "";
};

// Resets a statement when the scope ends.
class Use {
 public:
  explicit Use(Statement& statement) : statement_(statement) {}
  ~Use() { statement_.Reset(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  Statement* operator->() const { return &statement_; }
  Statement& operator*() const { return statement_; }

 private:
  Statement& statement_;
};

class Connection {
 public:
  enum class Mode : std::uint8_t {
    kWriter,  // the only connection that writes and checkpoints
    kReader,  // query_only; never checkpoints, not even when it is closed
  };
  static base::Result<std::unique_ptr<Connection>> Open(const std::string& path, const std::string& vfs,
                                                        Mode mode, std::int64_t cache_bytes);

  // `name` is what errors call the statement. REQUIRES: a literal.
  base::Result<Statement> Prepare(const char* name, std::string_view sql);
  // Runs statements that give no rows of interest.
  base::Result<void> Execute(const std::string& sql);
  base::Result<std::int64_t> QueryInteger(const std::string& sql);
  // Rows that the last statement changed.
  std::int64_t Changes() const;
  // Frames now in the write-ahead log after a checkpoint of `mode` (SQLITE_CHECKPOINT_…), and how many of
  // them are in the database.
  struct Checkpointed {
    int log_frames = 0;
    int done_frames = 0;
  };
  base::Result<Checkpointed> Checkpoint(int mode);
  // Writes the write-ahead log's bytes once more and syncs them. After a sync that failed, the system may
  // hold what it never will write by itself, because it counts it as written; a checkpoint of that, cut off
  // by a loss of power, would mix old and new.
  base::Result<void> RewriteLog();
  // Frames in the write-ahead log after the last commit of this connection.
  int LogFrames() const { return log_frames_; }

  // Whether the last error will pass (no space, or a lock that another program holds) and left the files as
  // they were, so that writing may go on.
  bool LastErrorPasses() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  base::Result<void> Configure(Mode mode, std::int64_t cache_bytes);

  std::unique_ptr<sqlite3, Close> handle_;
  int log_frames_ = 0;
};

}  // namespace annex::store::sqlite
