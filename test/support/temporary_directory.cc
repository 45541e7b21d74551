#include "temporary_directory.h"

#include "annex/base/check.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace annex::test {

TemporaryDirectory::TemporaryDirectory() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base == nullptr ? "/tmp" : base) + "/annex-test-XXXXXX";
  ANNEX_CHECK(mkdtemp(path_.data()) != nullptr, "a test needs a temporary folder");
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace annex::test
