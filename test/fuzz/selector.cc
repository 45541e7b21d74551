// A selector, and the labels that it is asked about, with a NUL between them ("key=value" in lines).
#include "annex/base/strings.h"
#include "annex/selector/field_selector.h"
#include "annex/selector/label_selector.h"
#include "annex/selector/terms.h"
#include "fuzz.h"

#include <map>
#include <string>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annex;
  const auto [selector_text, labels] = fuzz::Split(fuzz::Text(data, size));
  static_cast<void>(selector::ParseFieldSelector(selector_text));
  const auto conditions = selector::ParseLabelSelector(selector_text);
  if (!conditions) return 0;
  std::map<std::string, std::string> terms;
  for (const std::string_view line : base::Split(labels, '\n')) {
    const auto equals = std::min(line.find('='), line.size());
    terms[selector::LabelTerm(line.substr(0, equals))] = line.substr(std::min(equals + 1, line.size()));
  }
  const selector::TermSet set(terms);
  for (const selector::TermCondition& condition : *conditions) {
    const auto value = selector::FindTerm(set.encoded(), condition.name);
    const bool matches = condition.Matches(set.encoded());
    if (condition.op == selector::Operator::kExists)
      ANNEX_CHECK(matches == value.has_value(), "a term that is there exists");
    if (condition.op == selector::Operator::kIn && !value)
      ANNEX_CHECK(!matches, "a term that is missing has no value");
  }
  return 0;
}
