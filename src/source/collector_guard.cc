#include "collector_guard.h"

namespace annex::source {
namespace {

// Who the collector is: kube-controller-manager itself, or its account (--use-service-account-credentials).
constexpr const char* kByCollector =
    "request.userInfo.username in ['system:kube-controller-manager', "
    "'system:serviceaccount:kube-system:generic-garbage-collector']";

}  // namespace

base::Task<base::Result<void>> CollectorGuard::Raise(std::string group, const base::Clock& clock) {
  AdmissionGuard::Rules rules;
  rules.resources.push_back({{"apiGroups", {"*"}},
                             {"apiVersions", {"*"}},
                             {"operations", {"UPDATE", "DELETE"}},
                             {"resources", {"*"}}});
  rules.conditions.push_back({{"name", "by-garbage-collector"}, {"expression", kByCollector}});
  rules.allowed =
      "!has(oldObject.metadata.ownerReferences) || "
      "!oldObject.metadata.ownerReferences.exists(owner, owner.apiVersion.startsWith('" +
      group + "/'))";
  rules.message =
      "objects of " + group + " are on their way to the cluster, and what they own waits. Try again";
  std::string of_group = group;
  ANNEX_CO_RETURN_IF_ERROR(co_await guard_.Raise(std::move(of_group), std::move(rules)));
  co_return co_await guard_.Await(std::move(group), AdmissionGuard::Effect::kRefuses, clock);
}

}  // namespace annex::source
