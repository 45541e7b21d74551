#include "annex/selector/query.h"

#include "annex/base/strings.h"
#include "annex/selector/terms.h"

#include <algorithm>

namespace annex::selector {
namespace {

bool Holds(std::string_view value, const std::vector<std::string>& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Both sides must be integers, else the condition does not hold.
bool Compares(Operator op, std::string_view value, const std::vector<std::string>& values) {
  const auto left = base::ParseInt64(value);
  const auto right = values.size() == 1 ? base::ParseInt64(values[0]) : std::nullopt;
  if (!left || !right) return false;
  return op == Operator::kGreater ? *left > *right : *left < *right;
}

bool KeyMatches(const KeyCondition& condition, std::string_view key) {
  const auto slash = key.find('/');
  const bool namespaced = slash != std::string_view::npos;
  const std::string_view part = condition.part == KeyCondition::Part::kNamespace
                                    ? (namespaced ? key.substr(0, slash) : std::string_view())
                                    : (namespaced ? key.substr(slash + 1) : key);
  return (part == condition.value) == condition.equal;
}

}  // namespace

bool TermCondition::Matches(std::string_view encoded_terms) const {
  const auto value = FindTerm(encoded_terms, name);
  switch (op) {
    case Operator::kIn:
      return value && Holds(*value, values);
    case Operator::kNotIn:
      return !value || !Holds(*value, values);
    case Operator::kExists:
      return value.has_value();
    case Operator::kNotExists:
      return !value;
    case Operator::kGreater:
    case Operator::kLess:
      return value && Compares(op, *value, values);
  }
  return false;
}

bool KeysMatch(const std::vector<KeyCondition>& conditions, std::string_view key) {
  return std::all_of(conditions.begin(), conditions.end(),
                     [key](const KeyCondition& condition) { return KeyMatches(condition, key); });
}

bool Query::Matches(std::string_view key, std::string_view encoded_terms) const {
  return KeysMatch(keys, key) && std::all_of(terms.begin(), terms.end(), [&](const TermCondition& condition) {
           return condition.Matches(encoded_terms);
         });
}

}  // namespace annex::selector
