// DirectoryLock: makes sure that one process at a time uses a data directory.
//
// Two processes on one database would be two writers, which the store's promises (and, with old versions of
// SQLite, the file itself) do not survive.
#pragma once

#include "annex/base/result.h"

#include <functional>
#include <string>

namespace annex::store::sqlite {

class DirectoryLock {
 public:
  // Makes the directory if it is missing and locks it until destruction (flock on annex.lock; the kernel
  // frees it when the process ends, however it ends). While another process holds it, `try_again` (may be
  // empty) is asked after each try. Errors: InternalError, naming the process that holds it.
  static base::Result<DirectoryLock> Take(const std::string& directory,
                                          const std::function<bool()>& try_again);

  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace annex::store::sqlite
