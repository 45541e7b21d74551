#include "annex/source/cluster_call.h"

#include <utility>

namespace annex::source {
namespace {

base::Reason ReasonOf(int status) {
  switch (status) {
    case 403:
      return base::Reason::kForbidden;
    case 404:
      return base::Reason::kNotFound;
    case 409:
      return base::Reason::kConflict;
    case 410:
      return base::Reason::kExpired;
    case 400:
    case 422:
      return base::Reason::kInvalid;
    default:
      return base::Reason::kServiceUnavailable;
  }
}

}  // namespace

base::Task<base::Result<json::Value>> CallCluster(kube::Client& client, kube::Client::Call call,
                                                  base::Executor& executor) {
  const std::string what = call.method + " " + call.target.substr(0, call.target.find('?'));
  auto answer = co_await client.Send(std::move(call), executor);
  if (!answer) co_return base::Error(answer.error().reason, what + ": " + answer.error().message);
  if (!answer->ok()) co_return base::Error(ReasonOf(answer->status), what + ": " + answer->Message());
  co_return std::move(answer->body);
}

base::Task<base::Result<json::Value>> GetFromCluster(kube::Client& client, std::string target,
                                                     base::Executor& executor) {
  kube::Client::Call call;
  call.method = "GET";
  call.target = std::move(target);
  co_return co_await CallCluster(client, std::move(call), executor);
}

base::Task<base::Result<json::Value>> ApplyToCluster(kube::Client& client, std::string path,
                                                     json::Value object, base::Executor& executor,
                                                     std::string manager) {
  kube::Client::Call call;
  call.method = "PATCH";
  call.target = std::move(path) + "?force=true&fieldManager=" + manager;
  call.content_type = "application/apply-patch+yaml";
  call.body = std::move(object);
  co_return co_await CallCluster(client, std::move(call), executor);
}

base::Task<base::Result<void>> DeleteFromCluster(kube::Client& client, std::string path,
                                                 base::Executor& executor) {
  kube::Client::Call call;
  call.method = "DELETE";
  call.target = std::move(path);
  const auto deleted = co_await CallCluster(client, std::move(call), executor);
  if (!deleted && deleted.error().reason != base::Reason::kNotFound) co_return base::Error(deleted.error());
  co_return base::Result<void>();
}

}  // namespace annex::source
