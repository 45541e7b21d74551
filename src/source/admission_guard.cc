#include "admission_guard.h"

#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kApi = "/apis/admissionregistration.k8s.io/v1/";
constexpr const char* kGroupAnnotation = "annex.dev/group";
constexpr std::chrono::milliseconds kProbeInterval{20};
constexpr std::chrono::seconds kProbePatience{20};

}  // namespace

std::string AdmissionGuard::PathOf(const char* resource, const std::string& group) const {
  return std::string(kApi) + resource + "/" + NameOf(group);
}

Value AdmissionGuard::MetadataOf(const std::string& group) const {
  return {{"name", NameOf(group)},
          {"labels", {{kManagedByLabel, kManagedByAnnex}}},
          {"annotations", {{kGroupAnnotation, group}}}};
}

Value AdmissionGuard::PolicyOf(const std::string& group, Rules rules) const {
  const Value probe = {{"apiGroups", {""}},
                       {"apiVersions", {"v1"}},
                       {"operations", {"CREATE"}},
                       {"resources", {"configmaps"}},
                       {"resourceNames", {NameOf(group)}}};
  rules.resources.push_back(probe);
  const std::string is_probe = "request.name == '" + NameOf(group) + "'";
  for (Value& condition : rules.conditions) {
    std::string expression = is_probe;
    expression.append(" || (").append(json::TextAt(condition, {"expression"})).append(")");
    condition["expression"] = std::move(expression);
  }
  const std::string expression = "!(" + is_probe + ") && (" + rules.allowed + ")";
  Value policy = {{"apiVersion", "admissionregistration.k8s.io/v1"},
                  {"kind", "ValidatingAdmissionPolicy"},
                  {"metadata", MetadataOf(group)}};
  Value& spec = policy["spec"];
  spec["failurePolicy"] = "Fail";
  spec["matchConstraints"]["resourceRules"] = std::move(rules.resources);
  if (!rules.conditions.empty()) spec["matchConditions"] = std::move(rules.conditions);
  spec["validations"] = Value::array({{{"expression", expression}, {"message", rules.message}}});
  return policy;
}

base::Task<base::Result<void>> AdmissionGuard::Raise(std::string group, Rules rules) {
  Value policy = PolicyOf(group, std::move(rules));
  std::string path = PathOf("validatingadmissionpolicies", group);
  ANNEX_CO_RETURN_IF_ERROR(co_await ApplyToCluster(client_, std::move(path), std::move(policy), executor_));
  Value binding = {{"apiVersion", "admissionregistration.k8s.io/v1"},
                   {"kind", "ValidatingAdmissionPolicyBinding"},
                   {"metadata", MetadataOf(group)},
                   {"spec", {{"policyName", NameOf(group)}, {"validationActions", {"Deny"}}}}};
  path = PathOf("validatingadmissionpolicybindings", group);
  ANNEX_CO_RETURN_IF_ERROR(co_await ApplyToCluster(client_, std::move(path), std::move(binding), executor_));
  co_return base::Result<void>();
}

base::Task<base::Result<bool>> AdmissionGuard::InForce(std::string group) {
  kube::Client::Call call;
  call.method = "POST";
  call.target = "/api/v1/namespaces/" + probe_namespace_ + "/configmaps?dryRun=All";
  call.body = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", NameOf(group)}}}};
  auto created = co_await CallCluster(client_, std::move(call), executor_);
  if (created) co_return false;
  if (Refused(created.error(), group)) co_return true;
  co_return base::Error(std::move(created).error());
}

base::Task<base::Result<void>> AdmissionGuard::Await(std::string group, Effect effect,
                                                     const base::Clock& clock) {
  const auto begin = clock.Monotonic();
  while (true) {
    ANNEX_CO_TRY(const bool in_force, co_await InForce(group));
    if (in_force == (effect == Effect::kRefuses)) co_return base::Result<void>();
    if (clock.Monotonic() - begin > kProbePatience) {
      co_return base::Error(base::Reason::kTimeout, "the policy " + NameOf(group) + " does not take effect");
    }
    co_await base::Sleep(executor_, kProbeInterval);
  }
}

// The binding first: what is bound to a policy that is gone might be refused.
base::Task<base::Result<void>> AdmissionGuard::Lower(std::string group) {
  for (const char* resource : {"validatingadmissionpolicybindings", "validatingadmissionpolicies"}) {
    std::string path = PathOf(resource, group);
    ANNEX_CO_RETURN_IF_ERROR(co_await DeleteFromCluster(client_, std::move(path), executor_));
  }
  co_return base::Result<void>();
}

base::Task<base::Result<std::set<std::string>>> AdmissionGuard::Groups() {
  std::string target = std::string(kApi) + "validatingadmissionpolicies";
  ANNEX_CO_TRY(const Value list, co_await GetFromCluster(client_, std::move(target), executor_));
  std::set<std::string> groups;
  for (const Value& policy : json::ItemsAt(list, {"items"})) {
    const std::string& group = json::TextAt(policy, {"metadata", "annotations", kGroupAnnotation});
    if (IsAdmissionGuard(policy) && json::TextAt(policy, {"metadata", "name"}) == NameOf(group))
      groups.insert(group);
  }
  co_return groups;
}

bool AdmissionGuard::Refused(const base::Status& error, const std::string& group) const {
  return error.message.find(NameOf(group) + "' with binding") != std::string::npos;
}

bool IsAdmissionGuard(const Value& policy) {
  return json::TextAt(policy, {"metadata", "labels", kManagedByLabel}) == kManagedByAnnex &&
         !json::TextAt(policy, {"metadata", "annotations", kGroupAnnotation}).empty();
}

}  // namespace annex::source
