#include "annex/selector/label_selector.h"

#include "annex/base/strings.h"
#include "annex/selector/terms.h"
#include "support/table.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::selector {
namespace {

// "app in (a|b)", as the table has it.
std::string Meaning(const TermCondition& condition) {
  const char* op = "";
  switch (condition.op) {
    case Operator::kIn:
      op = "in";
      break;
    case Operator::kNotIn:
      op = "notin";
      break;
    case Operator::kExists:
      op = "exists";
      break;
    case Operator::kNotExists:
      op = "!";
      break;
    case Operator::kGreater:
      op = "gt";
      break;
    case Operator::kLess:
      op = "lt";
      break;
  }
  return condition.name.substr(1) + " " + op + " (" + base::Join(condition.values, "|") + ")";
}

}  // namespace

TEST_CASE("label selectors mean what they mean to Kubernetes, or fail with its words", "[selector][labels]") {
  const auto rows = test::ReadTable("label_selectors.tsv");
  CHECK(rows.size() > 500);
  for (const auto& row : rows) {
    INFO("selector: " << base::Quote(row.at(0)));
    const auto parsed = ParseLabelSelector(row[0]);
    if (row.at(1) == "error") {
      CHECK((parsed ? "parsed" : parsed.error().message) == row.at(2));
      if (!parsed) CHECK(parsed.error().reason == base::Reason::kBadRequest);
      continue;
    }
    std::vector<std::string> meanings;
    if (!parsed) FAIL_CHECK(parsed.error().message);
    for (const TermCondition& condition : parsed.value_or(std::vector<TermCondition>())) {
      CHECK(condition.name.starts_with('L'));
      CHECK(std::is_sorted(condition.values.begin(), condition.values.end()));
      meanings.push_back(Meaning(condition));
    }
    std::sort(meanings.begin(), meanings.end());
    CHECK(base::Join(meanings, "; ") == row.at(2));
  }
}

TEST_CASE("label selectors select what Kubernetes' select", "[selector][labels]") {
  const auto rows = test::ReadTable("label_matches.tsv");
  CHECK(rows.size() > 300);
  for (const auto& row : rows) {
    INFO(row.at(0) << " on " << row.at(1));
    std::map<std::string, std::string> terms;
    for (const std::string_view label : base::Split(row[1], ',')) {
      const auto equals = label.find('=');
      if (equals != std::string_view::npos)
        terms[LabelTerm(label.substr(0, equals))] = label.substr(equals + 1);
    }
    const auto conditions = ParseLabelSelector(row[0]);
    REQUIRE(conditions);
    const Query query{*conditions, {}};
    CHECK(query.Matches("ns/a", TermSet(terms).encoded()) == (row.at(2) == "true"));
  }
}

}  // namespace annex::selector
