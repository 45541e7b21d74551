#include "rights.h"

#include "annex/base/strings.h"
#include "annex/source/cluster_call.h"

#include <utility>

namespace annex::server::doctor {
namespace {

using json::Value;

constexpr const char* kAdmission = "admissionregistration.k8s.io";
constexpr const char* kExtensions = "apiextensions.k8s.io";
constexpr const char* kReviews = "/apis/authorization.k8s.io/v1/";

const std::vector<std::string> kRead = {"get", "list", "watch"};

std::string RightText(const Right& right, const std::string& verb) {
  std::string text = verb + " " + right.resource;
  if (!right.subresource.empty()) text += "/" + right.subresource;
  if (!right.group.empty()) text += "." + right.group;
  if (!right.name.empty()) text += " " + base::Quote(right.name);
  if (!right.namespace_name.empty()) text += " in " + right.namespace_name;
  return text;
}

Value AttributesOf(const Right& right, const std::string& verb) {
  return {{"verb", verb},
          {"group", right.group},
          {"resource", right.resource},
          {"subresource", right.subresource},
          {"namespace", right.namespace_name},
          {"name", right.name}};
}

// Beside Annex we are it; from elsewhere we ask about it.
Value ReviewOf(const Visit& visit, const Installation& installation, Value attributes) {
  Value spec = {{"resourceAttributes", std::move(attributes)}};
  if (!visit.in_pod) {
    const std::string accounts = "system:serviceaccounts";
    spec["user"] = "system:serviceaccount:" + visit.service_namespace + ":" + installation.service_account;
    spec["groups"] = {accounts, accounts + ":" + visit.service_namespace, "system:authenticated"};
  }
  return {{"apiVersion", "authorization.k8s.io/v1"},
          {"kind", visit.in_pod ? "SelfSubjectAccessReview" : "SubjectAccessReview"},
          {"spec", std::move(spec)}};
}

// The rights that are missing, in words.
base::Task<base::Result<std::vector<std::string>>> FindMissing(Visit& visit, Installation installation,
                                                               std::vector<Right> rights) {
  std::vector<std::string> missing;
  for (const Right& right : rights) {
    for (const std::string& verb : right.verbs) {
      kube::Client::Call call;
      call.method = "POST";
      call.target =
          std::string(kReviews) + (visit.in_pod ? "selfsubjectaccessreviews" : "subjectaccessreviews");
      call.body = ReviewOf(visit, installation, AttributesOf(right, verb));
      ANNEX_CO_TRY(const Value review,
                   co_await source::CallCluster(visit.client, std::move(call), visit.executor));
      if (!json::FlagAt(review, {"status", "allowed"})) missing.push_back(RightText(right, verb));
    }
  }
  co_return missing;
}

// A set of rights, what it is for, and what to say if some are missing.
struct RightSet {
  std::vector<Right> rights;
  std::string purpose;
  std::string remedy;
  Level missing = Level::kError;
};

base::Task<void> ExamineSet(Visit& visit, Installation installation, RightSet set) {
  const std::string account = visit.service_namespace + "/" + installation.service_account;
  const auto missing = co_await FindMissing(visit, std::move(installation), std::move(set.rights));
  if (!missing) co_return visit.findings.CannotSee("rights", missing.error());
  if (missing->empty()) {
    co_return visit.findings.Ok("rights",
                                "the service account " + account + " has the rights to " + set.purpose);
  }
  std::string message = "the service account " + account + " lacks rights to " + set.purpose + ": ";
  message += base::Join(*missing, ", ");
  if (set.missing == Level::kError) {
    visit.findings.Fail("rights", std::move(message), std::move(set.remedy));
  } else {
    visit.findings.Warn("rights", std::move(message), std::move(set.remedy));
  }
}

}  // namespace

std::vector<Right> RightsToServe(const Installation& installation, const std::string& service_namespace) {
  std::vector<Right> rights = {
      {{"create"}, "authentication.k8s.io", "tokenreviews"},
      {{"create"}, "authorization.k8s.io", "subjectaccessreviews"},
      {kRead, "", "configmaps", "", "kube-system", "extension-apiserver-authentication"},
      {kRead, "", "namespaces"},
      {{"get"}, "", "services"},
      {{"get", "list", "watch", "create", "update", "delete"}, "apiregistration.k8s.io", "apiservices"},
  };
  if (!installation.owner_cluster_role.empty()) {
    rights.push_back(
        {{"get"}, "rbac.authorization.k8s.io", "clusterroles", "", "", installation.owner_cluster_role});
  }
  if (!installation.ca_secret.empty()) {
    rights.push_back({{"create"}, "", "secrets", "", service_namespace});
    rights.push_back(
        {{"get", "list", "watch", "update"}, "", "secrets", "", service_namespace, installation.ca_secret});
  }
  return rights;
}

std::vector<Right> RightsToAdopt(const std::set<std::string>& groups, const std::string& service_namespace) {
  const std::vector<std::string> guard = {"list", "create", "patch", "delete"};
  std::vector<Right> rights = {
      {{"get", "list", "watch", "patch"}, kExtensions, "customresourcedefinitions"},
      {{"patch"}, kExtensions, "customresourcedefinitions", "status"},
      {{"list"}, kAdmission, "validatingwebhookconfigurations"},
      {{"list"}, kAdmission, "mutatingwebhookconfigurations"},
      {{"list"}, kAdmission, "mutatingadmissionpolicies"},
      {guard, kAdmission, "validatingadmissionpolicies"},
      {{"create", "patch", "delete"}, kAdmission, "validatingadmissionpolicybindings"},
      {{"get"}, "discovery.k8s.io", "endpointslices", "", "default", "kubernetes"},
      {{"create"}, "", "events", "", "default"},
      {{"create"}, "", "configmaps", "", service_namespace},
  };
  for (const std::string& group : groups) rights.push_back({kRead, group, "*"});
  return rights;
}

std::vector<Right> RightsToChange(const std::set<std::string>& groups) {
  std::vector<Right> rights;
  rights.reserve(groups.size());
  for (const std::string& group : groups)
    rights.push_back({{"create", "update", "patch", "delete"}, group, "*"});
  return rights;
}

base::Task<void> ExamineRights(Visit& visit, Installation installation, std::set<std::string> groups) {
  if (!installation.found) co_return;
  std::vector<RightSet> sets;
  sets.push_back({RightsToServe(installation, visit.service_namespace), "serve",
                  "apply manifests/base/rights.yaml again"});
  const std::string remedy =
      "apply manifests/adopt/rights.yaml, and for the objects of a group make a ClusterRole with the label "
      "rbac.annex.dev/aggregate-to-adopt=true";
  if (installation.adopts || !groups.empty())
    sets.push_back({RightsToAdopt(groups, visit.service_namespace), "adopt", remedy});
  if (!groups.empty())
    sets.push_back(
        {RightsToChange(groups), "purge old copies and give groups back", remedy, Level::kWarning});
  for (RightSet& set : sets) {
    Installation asked = installation;
    co_await ExamineSet(visit, std::move(asked), std::move(set));
  }
}

}  // namespace annex::server::doctor
