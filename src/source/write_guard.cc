#include "write_guard.h"

#include "annex/json/write.h"
#include "annex/source/cluster_call.h"
#include "etcd_version.h"

namespace annex::source {
namespace {

using json::Value;

// A text in CEL.
std::string Quoted(const std::string& text) {
  return json::ToJson(Value(text));
}

}  // namespace

bool IsGuardRefusal(const base::Status& error, const std::string& group) {
  return error.message.find(group + kWriteGuardSuffix + "' with binding") != std::string::npos;
}

base::Task<base::Result<void>> WriteGuard::Raise(std::string group) {
  ANNEX_CO_TRY(const std::string user, co_await User());
  AdmissionGuard::Rules rules;
  rules.resources.push_back({{"apiGroups", {group}},
                             {"apiVersions", {"*"}},
                             {"operations", {"CREATE", "UPDATE", "DELETE"}},
                             {"resources", {"*/*"}}});
  rules.allowed = "request.requestResource.version == " + Quoted(kEtcdVersion) +
                  " && request.userInfo.username == " + Quoted(user);
  rules.message =
      "objects of " + group + " are moved to Annex or served by it; this copy is read-only. Try again";
  co_return co_await guard_.Raise(std::move(group), std::move(rules));
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

}  // namespace annex::source
