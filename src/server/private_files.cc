#include "private_files.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace annex::server {
namespace {

auto Failed(const std::string& doing, const std::string& path) {
  return base::Error(base::Reason::kInternalError,
                     doing + " " + path + ": " + std::generic_category().message(errno));
}

bool WriteAll(int file, const std::string& content) {
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = write(file, content.data() + written, content.size() - written);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  return fsync(file) == 0;
}

}  // namespace

base::Result<void> WritePrivateFile(const std::string& path, const std::string& content) {
  const std::string temporary = path + ".new";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return Failed("make", temporary);
  const bool written = WriteAll(file, content);
  const bool closed = close(file) == 0;
  if (!written || !closed) return Failed("write", temporary);
  if (rename(temporary.c_str(), path.c_str()) != 0) return Failed("replace", path);
  return {};
}

base::Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const base::Reason reason = errno == ENOENT ? base::Reason::kNotFound : base::Reason::kInternalError;
    return base::Error(reason, "read " + path + ": " + std::generic_category().message(errno));
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

base::Result<void> MakePrivateDirectory(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
  return Failed("make the folder", path);
}

}  // namespace annex::server
