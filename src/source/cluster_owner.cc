#include "annex/source/cluster_owner.h"

#include <utility>

namespace annex::source {
namespace {

constexpr const char* kApiVersion = "rbac.authorization.k8s.io/v1";
constexpr const char* kKind = "ClusterRole";

}  // namespace

base::Task<base::Result<json::Value>> ClusterOwner::References() {
  json::Value references = json::Value::array();
  if (cluster_role_.empty()) co_return references;
  kube::Client::Call call;
  call.method = "GET";
  call.target = std::string("/apis/") + kApiVersion + "/clusterroles/" + cluster_role_;
  ANNEX_CO_TRY(const auto answer, co_await client_.Send(std::move(call), executor_));
  if (!answer.ok()) {
    const auto reason = answer.status == 404 ? base::Reason::kNotFound : base::Reason::kServiceUnavailable;
    co_return base::Error(reason, "the owner, ClusterRole " + cluster_role_ + ": " + answer.Message());
  }
  references.push_back({{"apiVersion", kApiVersion},
                        {"kind", kKind},
                        {"name", cluster_role_},
                        {"uid", json::TextAt(answer.body, {"metadata", "uid"})}});
  co_return references;
}

}  // namespace annex::source
