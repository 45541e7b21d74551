// DefaultPlace: where in an object a default value of its schema stands. What a default must be, and what is
// left of it, depends on the object around it
// (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/surroundingobject.go).
//
// Thread rule: a value type. Ownership: the names of fields stay the caller's.
#pragma once

#include "annex/json/value.h"

#include <optional>
#include <string_view>
#include <vector>

namespace annex::schema {

class DefaultPlace {
 public:
  // The name of a field; nullopt stands for the item of a list.
  using Step = std::optional<std::string_view>;
  static constexpr Step kItem = std::nullopt;

  void Enter(Step step) { steps_.push_back(step); }
  // REQUIRES: a step that was entered.
  void Leave() { steps_.pop_back(); }

  // A value in which `value` stands at this place, and nothing else does: {"spec": {"items": [value]}}.
  json::Value Around(json::Value value) const;

  // What stands at this place of such a value; nullptr if something has taken it away.
  json::Value* Find(json::Value& around) const;

 private:
  std::vector<Step> steps_;  // from the outside in
};

}  // namespace annex::schema
