#include "directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace annex::store::sqlite {
namespace {

auto Failed(const std::string& what) {
  return base::Error(base::Reason::kInternalError, what + ": " + std::strerror(errno));
}

// The process id that the holder wrote, for the message; "unknown" if it did not get so far.
std::string HolderOf(int file) {
  std::array<char, 32> text{};
  const auto length = pread(file, text.data(), text.size() - 1, 0);
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "unknown";
}

}  // namespace

base::Result<DirectoryLock> DirectoryLock::Take(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) {
    std::filesystem::create_directories(directory, error);
    if (error) return base::Error(base::Reason::kInternalError, "make the data directory " + directory + ": " + error.message());
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  const std::string path = directory + "/annex.lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return Failed("open " + path);
  DirectoryLock lock(file);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Failed("lock " + path);
    return base::Error(base::Reason::kInternalError,
                       "the data directory " + directory + " is in use by another annex process (pid " + HolderOf(file) +
                           "); stop it or give this one another --data-dir");
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
