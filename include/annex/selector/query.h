// Query: a label selector and a field selector reduced to conditions on an object's key and TermSet. All must
// hold.
//
// Thread rule: a value type; Matches is const and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annex::selector {

enum class Operator : std::uint8_t {
  kIn,     // the term exists and has one of the values
  kNotIn,  // the term does not exist or has none of the values
  kExists,
  kNotExists,
  kGreater,  // the term exists and is an integer greater than the one value
  kLess,
};

// A condition on one term.
struct TermCondition {
  std::string name;  // LabelTerm or FieldTerm
  Operator op = Operator::kIn;
  std::vector<std::string> values;  // sorted

  // Whether an index on (name, value) answers it.
  bool Indexable() const { return op == Operator::kIn; }
  bool Matches(std::string_view encoded_terms) const;
};

// A condition on the key: metadata.name or metadata.namespace.
struct KeyCondition {
  enum class Part : std::uint8_t { kName, kNamespace };
  Part part = Part::kName;
  bool equal = true;  // else: differs
  std::string value;
};

// Whether all conditions on the key hold. `key` is "NAMESPACE/NAME", or "NAME" for a cluster-scoped object.
bool KeysMatch(const std::vector<KeyCondition>& conditions, std::string_view key);

struct Query {
  std::vector<TermCondition> terms;
  std::vector<KeyCondition> keys;

  bool Empty() const { return terms.empty() && keys.empty(); }
  bool Matches(std::string_view key, std::string_view encoded_terms) const;
};

}  // namespace annex::selector
