// Validator: everything that is wrong with a value, in kube-openapi's order and words.
//
// Used only for values that Fits has refused: on the way to an error nothing needs to be fast, only linear.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/node.h"
#include "correlated.h"
#include "failures.h"
#include "path.h"

#include <cstdint>

namespace annex::schema {

class Validator {
 public:
  explicit Validator(Failures& failures) : failures_(failures) {}

  // Adds what is wrong with `value`. With `correlated` (the value and what it was before; may be nullptr) the
  // failures of unchanged parts are dropped. Returns the match count: how many checks there were that passed
  // or failed further below. Among the branches of anyOf and oneOf the one with the highest count is thought
  // to be the one that was meant.
  std::int64_t Validate(const Node& node, const json::Value& value, const PathFrame& at,
                        Correlated* correlated);

 private:
  std::int64_t ValidateAll(const Node& node, const json::Value& value, const PathFrame& at,
                           Correlated* correlated);
  std::int64_t ValidateNull(const Node& node, const PathFrame& at);
  std::int64_t ValidateType(const Node& node, const json::Value& value, const PathFrame& at);
  void ValidateText(const Validations& rules, const json::Value& value, const PathFrame& at);
  void ValidateNumber(const Validations& rules, const json::Value& value, const PathFrame& at);
  std::int64_t ValidateArray(const Node& node, const json::Value& value, const PathFrame& at,
                             Correlated* correlated);
  std::int64_t ValidateObject(const Node& node, const json::Value& value, const PathFrame& at,
                              Correlated* correlated);
  std::int64_t ValidateAdditional(const Node& node, const json::Value::object_t& members, const PathFrame& at,
                                  Correlated* correlated);

  // validator_branches.cc
  std::int64_t ValidateBranches(const Node& node, const json::Value& value, const PathFrame& at);
  std::int64_t ValidateAnyOf(const Node& node, const json::Value& value, const PathFrame& at);
  std::int64_t ValidateOneOf(const Node& node, const json::Value& value, const PathFrame& at);
  std::int64_t ValidateAllOf(const Node& node, const json::Value& value, const PathFrame& at);

  Failures& failures_;
};

// Everything that is wrong with a value that Fits has refused. `field` is where it stands in the object: ""
// for the object itself, "status".
json::FieldErrors Explain(const Node& node, const json::Value& value, std::string_view field,
                          Correlated* correlated);

}  // namespace annex::schema
