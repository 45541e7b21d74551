// The inside of SimulatedDisk: its state, and the names that sqlite3_vfs' functions need. simulated_disk.cc
// holds crashes, faults and counts, simulated_vfs.cc the functions that SQLite calls.
//
// Thread rule: members marked so are guarded by the disk's mutex.
#pragma once

#include "annex/base/mutex.h"
#include "disk_file.h"
#include "seeded_random.h"
#include "simulated_disk.h"
#include "trace.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

namespace annex::test {

struct Handle;

// SQLite's WAL index: memory that all connections to one database share, and its eight locks.
struct WalIndex {
  struct Slot {
    int shared = 0;
    const Handle* exclusive = nullptr;
  };
  std::vector<std::unique_ptr<char[]>> regions;
  std::array<Slot, SQLITE_SHM_NLOCK> slots;
  int users = 0;
};

// A file and the locks on it.
struct Node {
  std::string path;
  DiskFile file;
  WalIndex index;
  // SQLite's file locks: how many share, and who holds more.
  int shared = 0;
  const Handle* reserved = nullptr;
  const Handle* exclusive = nullptr;  // or waits for the sharers to leave (PENDING)
};

// What one connection has of one open file.
struct Handle {
  SimulatedDisk::Impl* disk = nullptr;
  std::shared_ptr<Node> node;
  SimulatedDisk::Role role = SimulatedDisk::Role::kReader;
  int lock = SQLITE_LOCK_NONE;
  bool main_database = false;
  bool delete_on_close = false;
  bool uses_index = false;
  unsigned index_shared = 0;  // bits of slots
  unsigned index_exclusive = 0;
};

enum class Operation : std::uint8_t { kOpen, kDelete, kRead, kWrite, kTruncate, kSync, kSize, kMap };

struct SimulatedDisk::Impl {
  Impl(std::uint64_t seed, Trace* trace_to);

  // Counts an operation. The result is SQLITE_OK if it may be done, else SQLite's code for its failure;
  // `fault` is then what hit it, if the disk is not stopped altogether.
  int Begin(Operation operation, std::optional<Fault>& fault) ANNEX_REQUIRES(mutex);
  int Begin(Operation operation) ANNEX_REQUIRES(mutex);
  Counts& CountsOf(Role role) ANNEX_REQUIRES(mutex) {
    return role == Role::kWriter ? writer_counts : reader_counts;
  }
  void LosePower() ANNEX_REQUIRES(mutex);
  void Note(std::string_view what, const Node& node, std::size_t at, std::string_view bytes)
      ANNEX_REQUIRES(mutex);

  const std::string name;
  sqlite3_vfs vfs{};

  base::Mutex mutex;
  SeededRandom random;  // synchronizes itself
  Trace* const trace;
  // Directory entries as programs see them, and as they are on the disk.
  std::map<std::string, std::shared_ptr<Node>> entries ANNEX_GUARDED_BY(mutex);
  std::map<std::string, std::shared_ptr<Node>> synced_entries ANNEX_GUARDED_BY(mutex);
  std::size_t sector_bytes ANNEX_GUARDED_BY(mutex) = 512;
  int open_files ANNEX_GUARDED_BY(mutex) = 0;
  bool stopped ANNEX_GUARDED_BY(mutex) = false;
  bool ignore_syncs ANNEX_GUARDED_BY(mutex) = false;
  std::uint64_t operations ANNEX_GUARDED_BY(mutex) = 0;
  std::uint64_t stop_at ANNEX_GUARDED_BY(mutex) = 0;  // 0: never
  std::optional<FaultPlan> plan ANNEX_GUARDED_BY(mutex);
  std::uint64_t faults_hit ANNEX_GUARDED_BY(mutex) = 0;
  Counts writer_counts ANNEX_GUARDED_BY(mutex);
  Counts reader_counts ANNEX_GUARDED_BY(mutex);
};

// Fills in the functions of `disk.vfs`.
void SetUpVfs(SimulatedDisk::Impl& disk);

}  // namespace annex::test
