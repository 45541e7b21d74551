#include "directory_lock.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace annex::store::sqlite {
namespace {

auto Failed(const std::string& what) {
  return base::Error(base::Reason::kInternalError, what + ": " + std::generic_category().message(errno));
}

// The process id that the holder wrote, for the message; "unknown" if it did not get so far.
std::string HolderOf(int file) {
  std::array<char, 32> text{};
  const auto length = pread(file, text.data(), text.size() - 1, 0);
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "unknown";
}

// Makes the names in a directory survive a loss of power.
base::Result<void> SyncDirectory(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return Failed("open " + path);
  // Some file systems have nothing to sync for a directory, and say so.
  const bool synced = fsync(file) == 0 || errno == EINVAL;
  const auto failed = Failed("sync " + path);
  close(file);
  if (!synced) return failed;
  return {};
}

// With all that it lies in. What SQLite syncs later is of no use in a directory that is gone.
base::Result<void> MakeDirectory(const std::filesystem::path& directory) {
  int made = mkdir(directory.c_str(), S_IRWXU);
  if (made != 0 && errno == ENOENT && directory.has_parent_path()) {
    ANNEX_RETURN_IF_ERROR(MakeDirectory(directory.parent_path()));
    made = mkdir(directory.c_str(), S_IRWXU);
  }
  if (made != 0 && errno == EEXIST) return {};
  if (made != 0) return Failed("make the data directory " + directory.string());
  return SyncDirectory(directory.has_parent_path() ? directory.parent_path().string() : ".");
}

}  // namespace

base::Result<DirectoryLock> DirectoryLock::Take(const std::string& directory,
                                                const std::function<bool()>& try_again) {
  ANNEX_RETURN_IF_ERROR(MakeDirectory(directory));
  const std::string path = directory + "/annex.lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return Failed("open " + path);
  DirectoryLock lock(file);
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Failed("lock " + path);
    if (try_again && try_again()) continue;
    return base::Error(base::Reason::kInternalError,
                       "the data directory " + directory + " is in use by another annex process (pid " +
                           HolderOf(file) + "); stop it or give this one another --data-dir");
  }
  const std::string pid = std::to_string(getpid());
  if (ftruncate(file, 0) != 0 || pwrite(file, pid.data(), pid.size(), 0) < 0) return Failed("write " + path);
  return lock;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}
DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace annex::store::sqlite
