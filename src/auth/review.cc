#include "review.h"

#include "annex/kube/backoff.h"

#include <utility>

namespace annex::auth {
namespace {

constexpr kube::Backoff::Options kBackoff{std::chrono::milliseconds(500), 1.5, 0.2, std::chrono::seconds(30)};
constexpr int kTries = 5;

bool MayPass(const base::Result<kube::Answer>& answer) {
  return !answer || answer->status == 429 || answer->status >= 500;
}

std::string ErrorOf(const base::Result<kube::Answer>& answer) {
  if (!answer) return answer.error().message;
  return "kube-apiserver answered " + std::to_string(answer->status) + ": " + answer->Message();
}

}  // namespace

base::Task<base::Result<json::Value>> Review(kube::Client& client, std::string path, json::Value review,
                                             base::Random& random, base::Executor& executor) {
  kube::Client::Call call;
  call.method = "POST";
  call.target = std::move(path);
  call.body = std::move(review);
  kube::Backoff backoff(kBackoff);
  auto answer = co_await client.Send(call, executor);
  for (int tried = 1; tried < kTries && MayPass(answer); ++tried) {
    co_await base::Sleep(executor, backoff.Next(random));
    answer = co_await client.Send(call, executor);
  }
  if (!answer || !answer->ok()) {
    co_return base::Error(base::Reason::kInternalError, call.target + ": " + ErrorOf(answer));
  }
  const json::Value* status = json::Find(answer->body, "status");
  if (status == nullptr || !status->is_object()) {
    co_return base::Error(base::Reason::kInternalError, call.target + ": the answer has no status");
  }
  co_return *status;
}

}  // namespace annex::auth
