#include "test_files.h"

#include "annex/base/check.h"

#include <fstream>
#include <sstream>

namespace annex::test {

std::string TestFile(const std::string& path) {
  return ANNEX_TEST_FOLDER "/" + path;
}

std::string ReadTestFile(const std::string& path) {
  const std::ifstream file(TestFile(path), std::ios::binary);
  ANNEX_CHECK(file.good(), "the file is in test/");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace annex::test
