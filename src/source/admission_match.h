// Which admission webhooks and policies of a cluster look at the objects of a group.
//
// Annex calls neither yet, so their kinds are not adopted: skipping somebody's policy silently would be the
// worst that could happen. What may exclude an object by its labels, its namespace or an expression counts as
// if it excluded none.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"

#include <set>
#include <string>
#include <vector>

namespace annex::source {

struct GroupResources {
  std::string group;
  std::set<std::string> plurals;
};

// Whether `rules` (webhooks[].rules, or matchConstraints.resourceRules) has one for any of the resources.
bool AnyRuleMatches(const json::Value& rules, const GroupResources& resources);

// Those of a list of ValidatingWebhookConfigurations, MutatingWebhookConfigurations,
// ValidatingAdmissionPolicies or MutatingAdmissionPolicies that look at them, as texts for people. Annex's
// own guards are left out.
std::vector<std::string> MatchingAdmission(const std::string& kind, const json::Value& list,
                                           const GroupResources& resources);

}  // namespace annex::source
