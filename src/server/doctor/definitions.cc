#include "definitions.h"

#include "annex/base/strings.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"
#include "annex/source/definition_facts.h"
#include "group_definitions.h"

#include <map>
#include <string_view>
#include <utility>

namespace annex::server::doctor {
namespace {

using json::Value;

// One refuses writes to old copies, one lets the garbage collector wait while a group goes back.
constexpr std::string_view kGuardSuffixes[] = {".adopted.annex.dev", ".owners.annex.dev"};

// The group that a policy of Annex is about; empty for any other.
std::string GuardedGroup(const std::string& policy) {
  for (const std::string_view suffix : kGuardSuffixes) {
    if (policy.ends_with(suffix)) return policy.substr(0, policy.size() - suffix.size());
  }
  return "";
}

// In pages: a definition may have a megabyte.
base::Task<base::Result<std::vector<Value>>> ReadLabelled(Visit& visit) {
  std::vector<Value> definitions;
  std::string next;
  do {
    std::string target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=50&labelSelector=" +
                         kube::EscapeQuery(source::kServeLabel);
    if (!next.empty()) target += "&continue=" + kube::EscapeQuery(next);
    ANNEX_CO_TRY(const Value page,
                 co_await source::GetFromCluster(visit.client, std::move(target), visit.executor));
    for (const Value& item : json::ItemsAt(page, {"items"})) definitions.push_back(item);
    next = json::TextAt(page, {"metadata", "continue"});
  } while (!next.empty());
  co_return definitions;
}

// What is to be said of one definition that asks to be moved, and is not, or not wholly, well.
void JudgeAsking(const Value& definition, const ConditionState& state, Findings& findings) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const std::string group = source::GroupOf(name);
  const bool to_annex = source::WantsAdoption(definition);
  const std::string move = to_annex ? "adoption" : "release";
  if (!state.present) {
    findings.Warn("adoption", name + " asks for " + move + ", and no Annex took it up",
                  "see that Annex runs with --adopt, and what it logs");
  } else if (state.reason == "Blocked") {
    findings.Warn("adoption", name + " asks for " + move + ", and something is in the way: " + state.message,
                  to_annex ? "annex adopt " + group + " --dry-run says whether it still is"
                           : "Annex serves on, and looks again every 30 seconds");
  } else if (state.reason == "Failed") {
    findings.Fail("adoption", "the " + move + " of " + name + " fails: " + state.message,
                  "Annex tries on; see its log and its rights");
  } else if (state.reason == "PolicySkipped") {
    findings.Warn("adoption", name + ": " + state.message,
                  "take the webhook or policy away, or move the group back with annex release " + group);
  }
}

void JudgeServedWithout(const Installation& installation, const DefinitionsSeen& seen, Findings& findings) {
  if (seen.served.empty()) return;
  const std::string groups = base::Join({seen.served.begin(), seen.served.end()}, ", ");
  if (!installation.found) {
    findings.Fail("adoption",
                  "the objects of " + groups +
                      " are in Annex, which is not installed: the cluster shows old "
                      "copies of them, which are read-only",
                  "install Annex again, with the same volume; to remove it, move them back first with annex "
                  "release");
  } else if (installation.has_pod && !installation.adopts) {
    findings.Fail("adoption",
                  "Annex serves " + groups +
                      ", but was started without --adopt: changes of their definitions "
                      "do not reach it",
                  "kubectl apply -k manifests/adopt");
  }
}

}  // namespace

void JudgeAdoptions(const std::vector<Value>& definitions, const Installation& installation,
                    DefinitionsSeen& seen, Findings& findings) {
  std::size_t served = 0;
  for (const Value& definition : definitions) {
    const std::string& name = json::TextAt(definition, {"metadata", "name"});
    const ConditionState state = ReadCondition(definition, source::kAdoptedCondition);
    const bool asks = source::WantsAdoption(definition);
    if (asks) seen.asking.insert(source::GroupOf(name));
    if (state.is_true) {
      seen.served.insert(source::GroupOf(name));
      ++served;
    }
    if (asks || state.is_true) JudgeAsking(definition, state, findings);
  }
  if (served > 0)
    findings.Ok("adoption", "Annex serves " + std::to_string(served) + " of the cluster's own definitions");
  JudgeServedWithout(installation, seen, findings);
}

void JudgeGuards(const Value& policies, const DefinitionsSeen& seen, Findings& findings) {
  for (const Value& policy : json::ItemsAt(policies, {"items"})) {
    const std::string& name = json::TextAt(policy, {"metadata", "name"});
    const std::string group = GuardedGroup(name);
    if (group.empty() || seen.served.contains(group) || seen.asking.contains(group)) continue;
    findings.Warn("guards", "a policy of Annex refuses writes for " + group + ", which Annex does not serve",
                  "if no Annex runs any more: kubectl delete validatingadmissionpolicybinding,"
                  "validatingadmissionpolicy " +
                      name);
  }
}

void JudgeHidden(const DefinitionsSeen& seen, const Routing& routing, Findings& findings) {
  std::map<std::string, std::vector<std::string>> hidden;
  for (const std::string& name : seen.names) {
    const std::string group = source::GroupOf(name);
    if (routing.LeadsToAnnex(group) && !seen.served.contains(group)) hidden[group].push_back(name);
  }
  for (const auto& [group, names] : hidden) {
    if (seen.asking.contains(group)) continue;
    findings.Warn(
        "conflicts",
        "Annex serves the group " + group +
            ", and the cluster has definitions of it that nobody sees: " + base::Join(names, ", "),
        "delete the ones that are not meant: Annex's from its files, or the cluster's with kubectl");
  }
}

base::Task<DefinitionsSeen> ExamineDefinitions(Visit& visit, Installation installation, Routing routing) {
  DefinitionsSeen seen;
  auto names = co_await ListDefinitionNames(visit.client, visit.executor);
  if (!names) {
    visit.findings.CannotSee("definitions", names.error());
    co_return seen;
  }
  seen.names = *std::move(names);
  const auto labelled = co_await ReadLabelled(visit);
  if (labelled) JudgeAdoptions(*labelled, installation, seen, visit.findings);
  JudgeHidden(seen, routing, visit.findings);
  std::string path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?labelSelector=" +
                     kube::EscapeQuery(std::string(source::kManagedByLabel) + "=" + source::kManagedByAnnex);
  const auto policies = co_await source::GetFromCluster(visit.client, std::move(path), visit.executor);
  if (policies) {
    JudgeGuards(*policies, seen, visit.findings);
  } else {
    visit.findings.CannotSee("guards", policies.error());
  }
  co_return seen;
}

}  // namespace annex::server::doctor
