#include "write_guard.h"

#include "annex/json/write.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"
#include "etcd_version.h"

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kApi = "/apis/admissionregistration.k8s.io/v1/";
constexpr const char* kGroupAnnotation = "annex.dev/group";

std::string NameOf(const std::string& group) {
  return group + ".adopted.annex.dev";
}

std::string PathOf(const char* resource, const std::string& group) {
  return std::string(kApi) + resource + "/" + NameOf(group);
}

Value MetadataOf(const std::string& group) {
  return {{"name", NameOf(group)},
          {"labels", {{kManagedByLabel, kManagedByAnnex}}},
          {"annotations", {{kGroupAnnotation, group}}}};
}

// The text of a user's name in CEL.
std::string CelText(const std::string& text) {
  return json::ToJson(Value(text));
}

Value PolicyOf(const std::string& group, const std::string& user) {
  const Value objects = {{"apiGroups", {group}},
                         {"apiVersions", {"*"}},
                         {"operations", {"CREATE", "UPDATE", "DELETE"}},
                         {"resources", {"*/*"}}};
  const Value probe = {{"apiGroups", {""}},
                       {"apiVersions", {"v1"}},
                       {"operations", {"CREATE"}},
                       {"resources", {"configmaps"}},
                       {"resourceNames", {NameOf(group)}}};
  const std::string message =
      "objects of " + group + " are moved to Annex or served by it; this copy is read-only. Try again";
  const std::string by_annex = "request.requestResource.version == " + CelText(kEtcdVersion) +
                               " && request.userInfo.username == " + CelText(user);
  return {{"apiVersion", "admissionregistration.k8s.io/v1"},
          {"kind", "ValidatingAdmissionPolicy"},
          {"metadata", MetadataOf(group)},
          {"spec",
           {{"failurePolicy", "Fail"},
            {"matchConstraints", {{"resourceRules", Value::array({objects, probe})}}},
            {"validations", Value::array({{{"expression", by_annex}, {"message", message}}})}}}};
}

Value BindingOf(const std::string& group) {
  return {{"apiVersion", "admissionregistration.k8s.io/v1"},
          {"kind", "ValidatingAdmissionPolicyBinding"},
          {"metadata", MetadataOf(group)},
          {"spec", {{"policyName", NameOf(group)}, {"validationActions", {"Deny"}}}}};
}

}  // namespace

bool IsGuardRefusal(const base::Status& error, const std::string& group) {
  return error.message.find(NameOf(group) + "' with binding") != std::string::npos;
}

bool IsWriteGuard(const Value& policy) {
  return json::TextAt(policy, {"metadata", "labels", kManagedByLabel}) == kManagedByAnnex &&
         !json::TextAt(policy, {"metadata", "annotations", kGroupAnnotation}).empty();
}

base::Task<base::Result<void>> WriteGuard::Raise(std::string group) {
  ANNEX_CO_TRY(const std::string user, co_await User());
  Value policy = PolicyOf(group, user);
  std::string path = PathOf("validatingadmissionpolicies", group);
  ANNEX_CO_RETURN_IF_ERROR(co_await ApplyToCluster(client_, std::move(path), std::move(policy), executor_));
  Value binding = BindingOf(group);
  path = PathOf("validatingadmissionpolicybindings", group);
  ANNEX_CO_RETURN_IF_ERROR(co_await ApplyToCluster(client_, std::move(path), std::move(binding), executor_));
  co_return base::Result<void>();
}

base::Task<base::Result<std::string>> WriteGuard::User() {
  if (!user_.empty()) co_return user_;
  kube::Client::Call call;
  call.method = "POST";
  call.target = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  call.body = {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}};
  ANNEX_CO_TRY(const Value review, co_await CallCluster(client_, std::move(call), executor_));
  user_ = json::TextAt(review, {"status", "userInfo", "username"});
  co_return user_;
}

base::Task<base::Result<bool>> WriteGuard::InForce(std::string group) {
  kube::Client::Call call;
  call.method = "POST";
  call.target = "/api/v1/namespaces/" + probe_namespace_ + "/configmaps?dryRun=All";
  call.body = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", NameOf(group)}}}};
  auto created = co_await CallCluster(client_, std::move(call), executor_);
  if (created) co_return false;
  if (IsGuardRefusal(created.error(), group)) co_return true;
  co_return base::Error(std::move(created).error());
}

// The binding first: what is bound to a policy that is gone might be refused.
base::Task<base::Result<void>> WriteGuard::Lower(std::string group) {
  for (const char* resource : {"validatingadmissionpolicybindings", "validatingadmissionpolicies"}) {
    std::string path = PathOf(resource, group);
    ANNEX_CO_RETURN_IF_ERROR(co_await DeleteFromCluster(client_, std::move(path), executor_));
  }
  co_return base::Result<void>();
}

base::Task<base::Result<std::set<std::string>>> WriteGuard::Groups() {
  std::string target = std::string(kApi) + "validatingadmissionpolicies";
  ANNEX_CO_TRY(const Value list, co_await GetFromCluster(client_, std::move(target), executor_));
  std::set<std::string> groups;
  for (const Value& policy : json::ItemsAt(list, {"items"})) {
    if (IsWriteGuard(policy))
      groups.insert(json::TextAt(policy, {"metadata", "annotations", kGroupAnnotation}));
  }
  co_return groups;
}

}  // namespace annex::source
