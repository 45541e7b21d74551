#include "annex/source/adoption_check.h"

#include "admission_match.h"
#include "annex/base/strings.h"
#include "annex/definition/conditions.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"

#include <iterator>
#include <set>
#include <utility>

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kEndpoints = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";

struct AdmissionList {
  const char* kind;
  const char* target;
  bool optional;  // a version of the API that the cluster may not have
};
constexpr AdmissionList kAdmissionLists[] = {
    {"ValidatingWebhookConfiguration",
     "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", false},
    {"MutatingWebhookConfiguration", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
     false},
    {"ValidatingAdmissionPolicy", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", false},
    {"MutatingAdmissionPolicy", "/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies", true},
    {"MutatingAdmissionPolicy", "/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies",
     true},
};

std::set<std::string> ServedVersions(const DefinitionsByName& definitions) {
  std::set<std::string> versions;
  for (const auto& [name, definition] : definitions) {
    for (const Value& version : json::ItemsAt(definition, {"spec", "versions"})) {
      if (json::FlagAt(version, {"served"})) versions.insert(json::TextAt(version, {"name"}));
    }
  }
  return versions;
}

}  // namespace

bool WantsAdoption(const Value& definition) {
  return json::TextAt(definition, {"metadata", "labels", kServeLabel}) == "true";
}

bool WantsRelease(const Value& definition) {
  return json::TextAt(definition, {"metadata", "labels", kServeLabel}) == "false";
}

std::vector<std::string> DefinitionObstacles(const DefinitionsByName& definitions) {
  std::vector<std::string> found;
  for (const auto& [name, definition] : definitions) {
    if (json::FindPath(definition, {"metadata", "deletionTimestamp"}) != nullptr) {
      found.push_back(base::Quote(name) + " is being deleted");
    } else if (!WantsAdoption(definition)) {
      found.push_back(base::Quote(name) + " of the same group lacks the label " + kServeLabel + "=true");
    } else if (!definition::ConditionIsTrue(definition, "Established")) {
      found.push_back(base::Quote(name) + " is not established");
    }
  }
  return found;
}

base::Task<base::Result<std::vector<std::string>>> AdmissionObstacles(kube::Client& client, std::string group,
                                                                      DefinitionsByName definitions,
                                                                      base::Executor& executor) {
  GroupResources resources{std::move(group), {}};
  for (const auto& [name, definition] : definitions)
    resources.plurals.insert(json::TextAt(definition, {"spec", "names", "plural"}));
  std::vector<std::string> found;
  for (const AdmissionList& list : kAdmissionLists) {
    std::string target = list.target;
    auto answer = co_await GetFromCluster(client, std::move(target), executor);
    if (!answer && list.optional && answer.error().reason == base::Reason::kNotFound) continue;
    if (!answer) co_return base::Error(std::move(answer).error());
    auto matching = MatchingAdmission(list.kind, *answer, resources);
    found.insert(found.end(), std::make_move_iterator(matching.begin()),
                 std::make_move_iterator(matching.end()));
  }
  co_return found;
}

base::Task<base::Result<std::vector<std::string>>> RoutingObstacles(kube::Client& client, std::string group,
                                                                    DefinitionsByName definitions,
                                                                    base::Executor& executor) {
  std::vector<std::string> found;
  for (const std::string& version : ServedVersions(definitions)) {
    std::string target = "/apis/apiregistration.k8s.io/v1/apiservices/" + version;
    target.append(".").append(group);
    auto answer = co_await GetFromCluster(client, std::move(target), executor);
    if (!answer) co_return base::Error(std::move(answer).error());
    const Value* service = json::FindPath(*answer, {"spec", "service"});
    if (service == nullptr || service->is_null()) continue;
    found.push_back("APIService " + base::Quote(json::TextAt(*answer, {"metadata", "name"})) +
                    " leads to the Service " + json::TextAt(*service, {"namespace"}) + "/" +
                    json::TextAt(*service, {"name"}));
  }
  std::string endpoints = kEndpoints;
  auto slice = co_await GetFromCluster(client, std::move(endpoints), executor);
  // Where servers are not published (--endpoint-reconciler-type=none) there is but one.
  if (!slice && slice.error().reason == base::Reason::kNotFound) co_return found;
  if (!slice) co_return base::Error(std::move(slice).error());
  std::size_t servers = 0;
  for (const Value& endpoint : json::ItemsAt(*slice, {"endpoints"}))
    servers += json::ItemsAt(endpoint, {"addresses"}).size();
  if (servers > 1) {
    found.push_back("the cluster has " + std::to_string(servers) +
                    " kube-apiservers, and only one of them can be asked whether it refuses writes");
  }
  co_return found;
}

base::Task<base::Result<std::vector<std::string>>> FindObstacles(AdoptionQuestion question, std::string group,
                                                                 DefinitionsByName definitions,
                                                                 DefinitionsByName own) {
  std::vector<std::string> found = DefinitionObstacles(definitions);
  for (auto& [name, definition] : own) {
    const auto checked = co_await question.check(std::move(definition));
    if (!checked) found.push_back(checked.error().message);
  }
  ANNEX_CO_TRY(const auto routing,
               co_await RoutingObstacles(question.client, group, definitions, question.executor));
  found.insert(found.end(), routing.begin(), routing.end());
  ANNEX_CO_TRY(const auto admission, co_await AdmissionObstacles(question.client, group,
                                                                 std::move(definitions), question.executor));
  for (const std::string& name : admission)
    found.push_back(name + " looks at objects of the group, and Annex does not call it yet");
  co_return found;
}

}  // namespace annex::source
