// Names and quoting as upstream's code decides them (test/unit/testdata/generate.go).
#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "support/table.h"

#include <functional>
#include <map>
#include <string>

#include <catch2/catch.hpp>

namespace annex::base {

TEST_CASE("names are judged in kube-apiserver's words", "[base][upstream]") {
  const std::map<std::string, std::function<NameProblems(std::string_view)>> checks = {
      {"subdomain", CheckDns1123Subdomain}, {"label", CheckDns1123Label}, {"label1035", CheckDns1035Label},
      {"qualified", CheckQualifiedName},    {"value", CheckLabelValue},   {"segment", CheckPathSegment},
  };
  const auto rows = test::ReadTable("names.tsv");
  REQUIRE(rows.size() > 1000);
  for (const auto& row : rows) {
    INFO(row[0] << " " << Quote(row[1]));
    CHECK(Join(checks.at(row[0])(row[1]), " & ") == row[2]);
  }
}

TEST_CASE("text is quoted as Go's %q does it", "[base][upstream]") {
  const auto rows = test::ReadTable("quotes.tsv");
  REQUIRE(rows.size() > 1000);
  for (const auto& row : rows) CHECK(Quote(row[0]) == row[1]);
}

}  // namespace annex::base
