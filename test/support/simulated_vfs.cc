// The functions of sqlite3_vfs, sqlite3_io_methods and the WAL index for SimulatedDisk. What each must do is
// said in sqlite3.h and shown by SQLite's own os_unix.c.
#include "annex/base/check.h"
#include "simulated_disk_impl.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace annex::test {
namespace {

using Role = SimulatedDisk::Role;

constexpr int kMaxPath = 512;

// What SQLite allocates for a file: its own part, then ours.
struct OpenFile {
  sqlite3_file base;
  Handle* handle;
};

Handle& Of(sqlite3_file* file) {
  return *reinterpret_cast<OpenFile*>(file)->handle;
}

// --- locks on the file
// -----------------------------------------------------------------------------------------------

// Gives back everything above `level`.
void LowerLock(Handle& handle, int level) {
  Node& node = *handle.node;
  if (level < SQLITE_LOCK_RESERVED && node.reserved == &handle) node.reserved = nullptr;
  if (level < SQLITE_LOCK_PENDING && node.exclusive == &handle) node.exclusive = nullptr;
  if (level == SQLITE_LOCK_NONE && handle.lock >= SQLITE_LOCK_SHARED) --node.shared;
  handle.lock = std::min(handle.lock, level);
}

int Lock(sqlite3_file* file, int level) {
  Handle& handle = Of(file);
  const base::MutexLock lock(handle.disk->mutex);
  if (handle.disk->stopped) return SQLITE_IOERR_LOCK;
  if (handle.lock >= level) return SQLITE_OK;
  Node& node = *handle.node;
  if (level == SQLITE_LOCK_SHARED) {
    if (node.exclusive != nullptr) return SQLITE_BUSY;
    ++node.shared;
  } else if (level == SQLITE_LOCK_RESERVED) {
    if (node.reserved != nullptr) return SQLITE_BUSY;
    node.reserved = &handle;
  } else {
    if ((node.reserved != nullptr && node.reserved != &handle) ||
        (node.exclusive != nullptr && node.exclusive != &handle)) {
      return SQLITE_BUSY;
    }
    node.exclusive = &handle;
    if (node.shared > 1) {
      handle.lock = SQLITE_LOCK_PENDING;
      return SQLITE_BUSY;
    }
  }
  handle.lock = level;
  return SQLITE_OK;
}

int Unlock(sqlite3_file* file, int level) {
  Handle& handle = Of(file);
  const base::MutexLock lock(handle.disk->mutex);
  if (handle.lock > level) LowerLock(handle, level);
  return SQLITE_OK;
}

int CheckReservedLock(sqlite3_file* file, int* reserved) {
  Handle& handle = Of(file);
  const base::MutexLock lock(handle.disk->mutex);
  *reserved = handle.node->reserved != nullptr || handle.node->exclusive != nullptr ? 1 : 0;
  return SQLITE_OK;
}

// --- the WAL index
// ---------------------------------------------------------------------------------------------------

int ShmMap(sqlite3_file* file, int region, int bytes, int extend, void volatile** place) {
  Handle& handle = Of(file);
  SimulatedDisk::Impl& disk = *handle.disk;
  const base::MutexLock lock(disk.mutex);
  *place = nullptr;
  if (const int code = disk.Begin(Operation::kMap); code != SQLITE_OK) return code;
  WalIndex& index = handle.node->index;
  if (!handle.uses_index) ++index.users;
  handle.uses_index = true;
  const auto wanted = static_cast<std::size_t>(region);
  while (extend != 0 && index.regions.size() <= wanted) {
    index.regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(bytes)));
  }
  if (wanted < index.regions.size()) *place = index.regions[wanted].get();
  return SQLITE_OK;
}

bool ShmMayLock(const Handle& handle, int slot, bool exclusive) {
  const WalIndex::Slot& state = handle.node->index.slots[static_cast<std::size_t>(slot)];
  const unsigned bit = 1U << static_cast<unsigned>(slot);
  if (state.exclusive != nullptr && state.exclusive != &handle) return false;
  const int own = (handle.index_shared & bit) != 0 ? 1 : 0;
  return !exclusive || state.shared == own;
}

void ShmSet(Handle& handle, int slot, bool exclusive, bool hold) {
  WalIndex::Slot& state = handle.node->index.slots[static_cast<std::size_t>(slot)];
  const unsigned bit = 1U << static_cast<unsigned>(slot);
  unsigned& held = exclusive ? handle.index_exclusive : handle.index_shared;
  if (((held & bit) != 0) == hold) return;
  held ^= bit;
  if (exclusive) {
    state.exclusive = hold ? &handle : nullptr;
  } else {
    state.shared += hold ? 1 : -1;
  }
}

int ShmLock(sqlite3_file* file, int first, int count, int flags) {
  Handle& handle = Of(file);
  SimulatedDisk::Impl& disk = *handle.disk;
  const base::MutexLock lock(disk.mutex);
  const auto has = [flags](int flag) {
    return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
  };
  const bool exclusive = has(SQLITE_SHM_EXCLUSIVE);
  if (has(SQLITE_SHM_LOCK)) {
    if (disk.stopped) return SQLITE_IOERR_SHMLOCK;
    for (int slot = first; slot < first + count; ++slot) {
      if (!ShmMayLock(handle, slot, exclusive)) return SQLITE_BUSY;
    }
    // Slots 0, 1 and 2 are for writing, checkpointing and recovery; the others are readers' marks.
    if (exclusive && first < 3) ++disk.CountsOf(handle.role).write_locks;
  }
  for (int slot = first; slot < first + count; ++slot) ShmSet(handle, slot, exclusive, has(SQLITE_SHM_LOCK));
  return SQLITE_OK;
}

void ShmBarrier(sqlite3_file* file) {
  const base::MutexLock lock(Of(file).disk->mutex);
}

void LeaveIndex(Handle& handle) {
  if (!std::exchange(handle.uses_index, false)) return;
  for (int slot = 0; slot < SQLITE_SHM_NLOCK; ++slot) {
    ShmSet(handle, slot, true, false);
    ShmSet(handle, slot, false, false);
  }
  WalIndex& index = handle.node->index;
  // Whoever comes first after the last one left reads the log and makes the index anew.
  if (--index.users == 0) index.regions.clear();
}

int ShmUnmap(sqlite3_file* file, int delete_it) {
  Handle& handle = Of(file);
  const base::MutexLock lock(handle.disk->mutex);
  LeaveIndex(handle);
  return SQLITE_OK;
}

// --- bytes
// -----------------------------------------------------------------------------------------------------------

int Read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 offset) {
  Handle& handle = Of(file);
  SimulatedDisk::Impl& disk = *handle.disk;
  const base::MutexLock lock(disk.mutex);
  if (const int code = disk.Begin(Operation::kRead); code != SQLITE_OK) return code;
  ++disk.CountsOf(handle.role).reads;
  const std::string_view content = handle.node->file.bytes();
  const auto at = std::min(static_cast<std::size_t>(offset), content.size());
  const std::string_view found = content.substr(at, static_cast<std::size_t>(bytes));
  std::memcpy(to, found.data(), found.size());
  std::memset(static_cast<char*>(to) + found.size(), 0, static_cast<std::size_t>(bytes) - found.size());
  return found.size() == static_cast<std::size_t>(bytes) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int Write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
  Handle& handle = Of(file);
  SimulatedDisk::Impl& disk = *handle.disk;
  const base::MutexLock lock(disk.mutex);
  std::optional<SimulatedDisk::Fault> fault;
  const int code = disk.Begin(Operation::kWrite, fault);
  std::string_view content(static_cast<const char*>(from), static_cast<std::size_t>(bytes));
  if (code != SQLITE_OK) {
    if (fault != SimulatedDisk::Fault::kShortWrite) return code;
    content = content.substr(0, content.size() / 2);
  }
  ++disk.CountsOf(handle.role).writes;
  handle.node->file.Write(static_cast<std::size_t>(offset), content);
  disk.Note("write", *handle.node, static_cast<std::size_t>(offset), content);
  return code;
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  Handle& handle = Of(file);
  SimulatedDisk::Impl& disk = *handle.disk;
  const base::MutexLock lock(disk.mutex);
  if (const int code = disk.Begin(Operation::kTruncate); code != SQLITE_OK) return code;
  ++disk.CountsOf(handle.role).writes;
  handle.node->file.Truncate(static_cast<std::size_t>(size));
  disk.Note("truncate", *handle.node, static_cast<std::size_t>(size), {});
  return SQLITE_OK;
}

// A file that was made lately gets its place in the folder; for a log or a journal, os_unix.c syncs the
// folder as a whole.
void SyncEntries(Handle& handle) ANNEX_REQUIRES(handle.disk->mutex) {
  SimulatedDisk::Impl& disk = *handle.disk;
  const auto entry = disk.entries.find(handle.node->path);
  if (entry == disk.entries.end() || entry->second != handle.node) return;
  const auto synced = disk.synced_entries.find(handle.node->path);
  if (synced != disk.synced_entries.end() && synced->second == handle.node) return;
  if (handle.main_database) {
    disk.synced_entries[handle.node->path] = handle.node;
  } else {
    disk.synced_entries = disk.entries;
  }
}

int Sync(sqlite3_file* file, int flags) {
  Handle& handle = Of(file);
  SimulatedDisk::Impl& disk = *handle.disk;
  const base::MutexLock lock(disk.mutex);
  std::optional<SimulatedDisk::Fault> fault;
  if (const int code = disk.Begin(Operation::kSync, fault); code != SQLITE_OK) {
    if (fault) handle.node->file.FailSync(disk.random, disk.sector_bytes);
    return code;
  }
  ++disk.CountsOf(handle.role).syncs;
  disk.Note("sync", *handle.node, 0, {});
  if (disk.ignore_syncs) return SQLITE_OK;
  handle.node->file.Sync();
  SyncEntries(handle);
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  Handle& handle = Of(file);
  const base::MutexLock lock(handle.disk->mutex);
  if (const int code = handle.disk->Begin(Operation::kSize); code != SQLITE_OK) return code;
  *size = static_cast<sqlite3_int64>(handle.node->file.bytes().size());
  return SQLITE_OK;
}

int FileControl(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}
// As os_unix.c has it for Linux: a write leaves its surroundings alone even if the power goes.
int SectorSize(sqlite3_file*) {
  return 4096;
}
int DeviceCharacteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int Close(sqlite3_file* file) {
  const std::unique_ptr<Handle> handle(&Of(file));
  SimulatedDisk::Impl& disk = *handle->disk;
  const base::MutexLock lock(disk.mutex);
  LeaveIndex(*handle);
  LowerLock(*handle, SQLITE_LOCK_NONE);
  if (handle->delete_on_close) disk.entries.erase(handle->node->path);
  --disk.open_files;
  return SQLITE_OK;
}

const sqlite3_io_methods kMethods = {
    2,
    Close,
    Read,
    Write,
    Truncate,
    Sync,
    FileSize,
    Lock,
    Unlock,
    CheckReservedLock,
    FileControl,
    SectorSize,
    DeviceCharacteristics,
    ShmMap,
    ShmLock,
    ShmBarrier,
    ShmUnmap,
    nullptr,
    nullptr,
};

// --- the disk
// --------------------------------------------------------------------------------------------------------

SimulatedDisk::Impl& DiskOf(sqlite3_vfs* vfs) {
  return *static_cast<SimulatedDisk::Impl*>(vfs->pAppData);
}

// The log and the journal belong to the connection that has the database open.
Role RoleOf(const char* path, unsigned flags) {
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0)
    return (flags & SQLITE_OPEN_CREATE) != 0 ? Role::kWriter : Role::kReader;
  if ((flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0)
    return Of(sqlite3_database_file_object(path)).role;
  return Role::kWriter;
}

int Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int open_flags, int* out_flags) {
  file->pMethods = nullptr;
  const auto flags = static_cast<unsigned>(open_flags);
  SimulatedDisk::Impl& disk = DiskOf(vfs);
  auto handle = std::make_unique<Handle>();
  handle->role = path == nullptr ? Role::kWriter : RoleOf(path, flags);
  const base::MutexLock lock(disk.mutex);
  if (const int code = disk.Begin(Operation::kOpen); code != SQLITE_OK) return code;
  const std::string name = path == nullptr ? "temporary-" + std::to_string(disk.operations) : path;
  auto entry = disk.entries.find(name);
  if (entry == disk.entries.end()) {
    if (path != nullptr && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    entry = disk.entries.emplace(name, std::make_shared<Node>()).first;
    entry->second->path = name;
    disk.Note("create", *entry->second, 0, {});
  }
  handle->disk = &disk;
  handle->main_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  handle->node = entry->second;
  handle->delete_on_close = path == nullptr || (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  ++disk.open_files;
  reinterpret_cast<OpenFile*>(file)->handle = handle.release();
  file->pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = open_flags;
  return SQLITE_OK;
}

int Delete(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  SimulatedDisk::Impl& disk = DiskOf(vfs);
  const base::MutexLock lock(disk.mutex);
  if (const int code = disk.Begin(Operation::kDelete); code != SQLITE_OK) return code;
  const auto entry = disk.entries.find(path);
  if (entry == disk.entries.end()) return SQLITE_IOERR_DELETE_NOENT;
  disk.Note("delete", *entry->second, 0, {});
  ++disk.writer_counts.writes;
  disk.entries.erase(entry);
  if (sync_directory != 0 && !disk.ignore_syncs) disk.synced_entries.erase(path);
  return SQLITE_OK;
}

int Access(sqlite3_vfs* vfs, const char* path, int, int* result) {
  SimulatedDisk::Impl& disk = DiskOf(vfs);
  const base::MutexLock lock(disk.mutex);
  if (disk.stopped) return SQLITE_IOERR_ACCESS;
  *result = disk.entries.contains(path) ? 1 : 0;
  return SQLITE_OK;
}

int FullPathname(sqlite3_vfs*, const char* path, int bytes, char* full) {
  if (std::strlen(path) >= static_cast<std::size_t>(bytes)) return SQLITE_CANTOPEN;
  std::memcpy(full, path, std::strlen(path) + 1);
  return SQLITE_OK;
}

int Randomness(sqlite3_vfs* vfs, int bytes, char* to) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<char>(DiskOf(vfs).random.Next());
  return bytes;
}

// Time stands still on this disk: whoever waits for a lock has waited at once.
int Sleep(sqlite3_vfs*, int microseconds) {
  return microseconds;
}
int CurrentTimeInt64(sqlite3_vfs*, sqlite3_int64* milliseconds) {
  *milliseconds = 0;
  return SQLITE_OK;
}
int CurrentTime(sqlite3_vfs*, double* days) {
  *days = 0;
  return SQLITE_OK;
}
int GetLastError(sqlite3_vfs*, int, char*) {
  return 0;
}

}  // namespace

void SetUpVfs(SimulatedDisk::Impl& disk) {
  sqlite3_vfs& vfs = disk.vfs;
  vfs.iVersion = 2;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.mxPathname = kMaxPath;
  vfs.zName = disk.name.c_str();
  vfs.pAppData = &disk;
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xFullPathname = FullPathname;
  vfs.xRandomness = Randomness;
  vfs.xSleep = Sleep;
  vfs.xCurrentTime = CurrentTime;
  vfs.xGetLastError = GetLastError;
  vfs.xCurrentTimeInt64 = CurrentTimeInt64;
}

}  // namespace annex::test
