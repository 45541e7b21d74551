// SimulatedDisk: an own sqlite3_vfs whose files lie in memory, and which fails on demand.
//
//   * Crashes: Stop ends everything at once, also in the middle of a commit. Restart then gives back all that
//   was written, if only
//     the process died, or what was synced and a random part of the rest, if the power went (DiskFile tells
//     how).
//   * Faults: the n-th operation of a kind fails, once or from then on.
//   * Counts: what the writing connection and the reading ones did. A connection writes if it opened the
//   database with
//     SQLITE_OPEN_CREATE.
//
//   SimulatedDisk disk(seed);
//   options.vfs = disk.vfs();
//
// Shared memory (SQLite's WAL index) is there as long as a connection uses it. There are no directories.
//
// Thread rule: thread-safe. Ownership: lives longer than every connection to it.
#pragma once

#include "trace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace annex::test {

class SimulatedDisk {
 public:
  // `trace`, if any, gets a line for each operation that changes the disk.
  explicit SimulatedDisk(std::uint64_t seed, Trace* trace = nullptr);
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  // The name for SqliteOptions::vfs.
  const std::string& vfs() const;

  // --- crashes
  // -----------------------------------------------------------------------------------------------------

  // From now on every operation fails.
  void Stop();
  // The same, before the `operations`-th operation from now (1 is the next one).
  void StopIn(std::uint64_t operations);
  bool stopped() const;

  enum class Crash : std::uint8_t {
    kProcess,  // the system still has all that was written, and will sync it some time, or not
    kPower,
  };
  // Operations succeed again, stopped or not. REQUIRES: every connection from before was closed.
  void Restart(Crash crash);

  // --- faults
  // ------------------------------------------------------------------------------------------------------

  enum class Fault : std::uint8_t {
    kIoError,     // any operation fails and does nothing
    kReadError,   // a read fails
    kFull,        // a write finds no space
    kShortWrite,  // a write finds space for a half of it
    kSyncError,   // a sync fails; what was not synced may be lost although programs still see it
  };
  struct FaultPlan {
    Fault fault = Fault::kIoError;
    std::uint64_t after = 0;  // operations of this kind that still go well
    bool forever = false;     // else only one fails
  };
  void Inject(const FaultPlan& plan);
  // No operation fails any more.
  void Heal();
  // How many operations an injected fault has hit.
  std::uint64_t faults_hit() const;
  // Syncs succeed and do nothing: a disk that lies, or synchronous=OFF.
  void IgnoreSyncs();

  // --- counts
  // ------------------------------------------------------------------------------------------------------

  enum class Role : std::uint8_t { kWriter, kReader };
  struct Counts {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;  // truncations and deletions too
    std::uint64_t syncs = 0;
    // Exclusive locks on the WAL index' slots for writing, checkpointing and recovery.
    std::uint64_t write_locks = 0;
  };
  Counts counts(Role role) const;
  // Operations of all kinds so far.
  std::uint64_t operations() const;
  // The length of a file; 0 if there is none.
  std::size_t SizeOf(const std::string& path) const;
  // The bytes of a file, for tests that damage it.
  std::string ReadFile(const std::string& path) const;
  void WriteFile(const std::string& path, const std::string& bytes);

  struct Impl;

 private:
  const std::unique_ptr<Impl> impl_;
};

}  // namespace annex::test
