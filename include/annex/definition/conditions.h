// status.conditions of a definition.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"

#include <string>
#include <string_view>

namespace annex::definition {

struct Condition {
  std::string type;
  std::string status;  // "True", "False" or "Unknown"
  std::string reason;
  std::string message;
};

// Sets or adds a condition. lastTransitionTime becomes `now` only if its status changes.
// True if anything but the time changed.
bool SetCondition(json::Value& definition, const Condition& condition, const std::string& now);

// Whether the condition `type` of a definition has the status True.
bool ConditionIsTrue(const json::Value& definition, std::string_view type);

}  // namespace annex::definition
