#include "annex/selector/field_selector.h"

#include "annex/base/strings.h"
#include "support/table.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::selector {

TEST_CASE("field selectors mean what they mean to Kubernetes, or fail with its words", "[selector][fields]") {
  const auto rows = test::ReadTable("field_selectors.tsv");
  CHECK(rows.size() > 250);
  for (const auto& row : rows) {
    INFO("selector: " << base::Quote(row.at(0)));
    const auto parsed = ParseFieldSelector(row[0]);
    if (row.at(1) == "error") {
      CHECK((parsed ? "parsed" : parsed.error().message) == row.at(2));
      if (!parsed) CHECK(parsed.error().reason == base::Reason::kBadRequest);
      continue;
    }
    if (!parsed) FAIL_CHECK(parsed.error().message);
    std::vector<std::string> meanings;
    for (const FieldRequirement& requirement : parsed.value_or(std::vector<FieldRequirement>())) {
      meanings.push_back(requirement.field + (requirement.equal ? "=" : "!=") + requirement.value);
    }
    CHECK(base::Join(meanings, "; ") == row.at(2));
  }
}

}  // namespace annex::selector
