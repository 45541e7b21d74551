#include "annex/source/cluster_owner.h"

#include "annex/source/cluster_call.h"

#include <utility>

namespace annex::source {
namespace {

constexpr const char* kApiVersion = "rbac.authorization.k8s.io/v1";
constexpr const char* kKind = "ClusterRole";

}  // namespace

base::Task<base::Result<json::Value>> ClusterOwner::References() {
  json::Value references = json::Value::array();
  if (cluster_role_.empty()) co_return references;
  std::string target = std::string("/apis/") + kApiVersion + "/clusterroles/" + cluster_role_;
  ANNEX_CO_TRY(const json::Value role, co_await GetFromCluster(client_, std::move(target), executor_));
  references.push_back({{"apiVersion", kApiVersion},
                        {"kind", kKind},
                        {"name", cluster_role_},
                        {"uid", json::TextAt(role, {"metadata", "uid"})}});
  co_return references;
}

}  // namespace annex::source
