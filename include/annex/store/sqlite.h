// The SQLite engine of the store: one file in a data directory.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/metrics.h"
#include "annex/base/result.h"
#include "annex/store/store.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace annex::store {

struct SqliteOptions {
  // Made if it is missing (mode 0700). Locked while the store lives.
  std::string data_directory;
  // Asked while another process has the directory: waits a little, and says whether to try again. Empty:
  // never.
  std::function<bool()> try_again;

  // Revisions go on beyond this one, and history from before it is given up: for objects that come from where
  // other, smaller revisions were counted. Who still has one of those is told Expired.
  Revision revisions_beyond = 0;

  // History is kept at least this long (etcd under kube-apiserver: 5 minutes) …
  std::chrono::seconds history_age{600};
  // … unless replaced and deleted objects come to more bytes than this.
  std::int64_t history_bytes = 1LL << 30;

  // Writes that may wait for the disk; one more gets TooManyRequests.
  std::size_t max_queued_writes = 20'000;
  std::size_t max_queued_bytes = 256UL << 20U;

  // Page cache of each connection.
  std::int64_t cache_bytes = 8 << 20;

  // Pages of 8 KiB in the write-ahead log from which it is copied into the database (16 MiB), and from which
  // writers wait for readers so that the log can begin anew (64 MiB).
  int checkpoint_frames = 2000;
  int restart_frames = 8000;

  // The sqlite3_vfs to use; "" for the system's. Tests put their simulated disks here, and then take no lock
  // on the directory.
  std::string vfs;
};

// Opens or creates the database. `writer` runs all writes; `observer` (may be nullptr) gets the commits.
// Both, and `clock` and `metrics`, must outlive the store; `writer` must run no more tasks once the store is
// destroyed. Errors: InternalError with a text for operators: the directory is used by another process, the
// file is no database of Annex, was written by a newer version, or is damaged.
base::Result<std::unique_ptr<Store>> OpenSqliteStore(const SqliteOptions& options, const base::Clock& clock,
                                                     base::Metrics& metrics, base::Executor& writer,
                                                     CommitObserver* observer);

}  // namespace annex::store
