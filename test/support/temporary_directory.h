// TemporaryDirectory: a fresh folder that goes away, with all that is in it, at the end of its scope.
//
// Thread rule: one thread.
#pragma once

#include <string>

namespace annex::test {

class TemporaryDirectory {
 public:
  // Under $TMPDIR or /tmp. A test that cannot have a folder ends.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace annex::test
