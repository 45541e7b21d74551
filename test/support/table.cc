#include "table.h"

#include "annex/base/check.h"
#include "annex/base/strings.h"
#include "test_files.h"

#include <cstdlib>
#include <fstream>

namespace annex::test {
namespace {

std::string Unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) != "\\x") {
      bytes += text[i];
      continue;
    }
    bytes += static_cast<char>(std::strtol(std::string(text.substr(i + 2, 2)).c_str(), nullptr, 16));
    i += 3;
  }
  return bytes;
}

}  // namespace

std::vector<std::vector<std::string>> ReadTable(const std::string& name) {
  std::ifstream file(TestFile("unit/testdata/" + name));
  ANNEX_CHECK(file.good(), "the table is in test/unit/testdata");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string_view column : base::Split(line, '\t')) row.push_back(Unescape(column));
  }
  return rows;
}

}  // namespace annex::test
