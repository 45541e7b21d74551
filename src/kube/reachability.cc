#include "annex/kube/reachability.h"

#include "annex/base/log.h"

#include <chrono>
#include <utility>

namespace annex::kube {
namespace {

constexpr std::chrono::seconds kPeriod{5};
// Small, and everybody may ask for it (ClusterRole system:public-info-viewer).
constexpr const char* kQuestion = "/version";

}  // namespace

void Reachability::Start() {
  executor_.Post([this] { tasks_.Spawn(Run()); });
}

base::Result<void> Reachability::State() const {
  const base::MutexLock lock(mutex_);
  return state_;
}

base::Task<void> Reachability::Run() {
  while (true) {
    Client::Call call;
    call.method = "GET";
    call.target = kQuestion;
    const auto answer = co_await client_.Send(std::move(call), executor_);
    // Whatever it answers: a refusal is an answer, too.
    Note(answer ? base::Result<void>() : base::Error(answer.error()));
    co_await base::Sleep(executor_, kPeriod);
  }
}

void Reachability::Note(base::Result<void> outcome) {
  const bool answered_before = State().has_value();
  if (answered_before && !outcome)
    base::LogWarning("kube-apiserver does not answer", {{"error", outcome.error().message}});
  if (!answered_before && outcome) base::LogInfo("kube-apiserver answers again");
  const base::MutexLock lock(mutex_);
  state_ = std::move(outcome);
}

}  // namespace annex::kube
