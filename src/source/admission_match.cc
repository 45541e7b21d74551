#include "admission_match.h"

#include "admission_guard.h"
#include "annex/base/strings.h"

#include <algorithm>

namespace annex::source {
namespace {

using json::Value;

bool GroupMatches(const Value& rule, const std::string& group) {
  const auto& groups = json::ItemsAt(rule, {"apiGroups"});
  return std::any_of(groups.begin(), groups.end(),
                     [&group](const Value& item) { return item == "*" || item == group; });
}

// "widgets", "widgets/status", "*", "*/*", "*/scale": a rule for a subresource counts for its resource.
bool ResourceMatches(const Value& rule, const std::set<std::string>& plurals) {
  const auto& resources = json::ItemsAt(rule, {"resources"});
  return std::any_of(resources.begin(), resources.end(), [&plurals](const Value& item) {
    if (!item.is_string()) return false;
    const auto& text = item.get_ref<const std::string&>();
    const std::string resource = text.substr(0, text.find('/'));
    return resource == "*" || plurals.contains(resource);
  });
}

}  // namespace

bool AnyRuleMatches(const Value& rules, const GroupResources& resources) {
  if (!rules.is_array()) return false;
  return std::any_of(rules.begin(), rules.end(), [&resources](const Value& rule) {
    return GroupMatches(rule, resources.group) && ResourceMatches(rule, resources.plurals);
  });
}

std::vector<std::string> MatchingAdmission(const std::string& kind, const Value& list,
                                           const GroupResources& resources) {
  std::vector<std::string> found;
  for (const Value& item : json::ItemsAt(list, {"items"})) {
    if (IsAdmissionGuard(item)) continue;
    const std::string name = kind + " " + base::Quote(json::TextAt(item, {"metadata", "name"}));
    const Value* policy_rules = json::FindPath(item, {"spec", "matchConstraints", "resourceRules"});
    if (policy_rules != nullptr && AnyRuleMatches(*policy_rules, resources)) found.push_back(name);
    for (const Value& webhook : json::ItemsAt(item, {"webhooks"})) {
      const Value* rules = json::Find(webhook, "rules");
      if (rules == nullptr || !AnyRuleMatches(*rules, resources)) continue;
      found.push_back(name + ", webhook " + base::Quote(json::TextAt(webhook, {"name"})));
    }
  }
  return found;
}

}  // namespace annex::source
