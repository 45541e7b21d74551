// The approval that definitions in the groups of the Kubernetes community need (KEP-1111,
// k8s.io/apiextensions-apiserver/pkg/apihelpers).
//
// Thread rule: free functions.
#pragma once

#include "annex/definition/conditions.h"
#include "annex/json/value.h"

#include <cstdint>
#include <optional>
#include <string>

namespace annex::definition {

inline constexpr const char* kApprovalAnnotation = "api-approved.kubernetes.io";

struct Approval {
  enum class State : std::uint8_t { kMissing, kInvalid, kBypassed, kApproved };
  State state = State::kMissing;
  std::string message;
};

// What the annotation says; nullopt if the definition's group is not one of the community's.
std::optional<Approval> ApprovalOf(const json::Value& definition);

// The condition KubernetesAPIApprovalPolicyConformant that shows it.
Condition ConditionOf(const Approval& approval);

}  // namespace annex::definition
