#include "annex/source/cluster_namespaces.h"

#include <utility>

namespace annex::source {
namespace {

using definition::NamespaceState;
using json::Value;

constexpr const char* kPath = "/api/v1/namespaces";
// The watch tells of a new namespace well before this is over.
constexpr std::chrono::seconds kRecentAge{30};

NamespaceState StateOf(const Value& object) {
  return json::FindPath(object, {"metadata", "deletionTimestamp"}) == nullptr ? NamespaceState::kActive
                                                                              : NamespaceState::kTerminating;
}

}  // namespace

ClusterNamespaces::ClusterNamespaces(kube::Client& client, const base::Clock& clock, base::Random& random,
                                     base::Executor& executor)
    : client_(client),
      clock_(clock),
      executor_(executor),
      reflector_(client, {.path = kPath, .field_selector = "", .metadata_only = true}, random, executor) {}

void ClusterNamespaces::Start() {
  executor_.Post([this] {
    kube::Reflector::Handlers handlers;
    handlers.on_begin = [this] {
      listing_ = true;
      listed_.clear();
    };
    handlers.on_object = [this](const Value& object, bool deleted) { OnNamespace(object, deleted); };
    handlers.on_synced = [this] { OnSynced(); };
    tasks_.Spawn(reflector_.Run(std::move(handlers)));
  });
}

void ClusterNamespaces::OnSynced() {
  listing_ = false;
  const base::MutexLock lock(mutex_);
  states_ = std::exchange(listed_, {});
  recent_.clear();
  ready_ = true;
}

void ClusterNamespaces::OnNamespace(const Value& object, bool deleted) {
  const std::string& name = json::TextAt(object, {"metadata", "name"});
  if (listing_) {
    listed_[name] = StateOf(object);
    return;
  }
  const base::MutexLock lock(mutex_);
  recent_.erase(name);
  if (deleted) {
    states_.erase(name);
  } else {
    states_[name] = StateOf(object);
  }
}

NamespaceState ClusterNamespaces::State(std::string_view name) const {
  const base::MutexLock lock(mutex_);
  if (const auto known = states_.find(name); known != states_.end()) return known->second;
  const auto recent = recent_.find(name);
  if (recent != recent_.end() && clock_.Monotonic() < recent->second.expires) return recent->second.state;
  return NamespaceState::kMissing;
}

base::Task<base::Result<void>> ClusterNamespaces::Refresh(std::string name, base::Executor& executor) {
  kube::Client::Call call;
  call.method = "GET";
  call.target = std::string(kPath) + "/" + kube::EscapeQuery(name);
  call.accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const auto answer = co_await client_.Send(std::move(call), executor);
  if (!answer) co_return base::Error(base::Reason::kInternalError, answer.error().message);
  if (answer->status == 404) co_return base::Result<void>();
  if (!answer->ok()) {
    co_return base::Error(base::Reason::kInternalError,
                          "looking for namespace " + name + ": " + answer->Message());
  }
  const auto now = clock_.Monotonic();
  const base::MutexLock lock(mutex_);
  std::erase_if(recent_, [now](const auto& entry) { return now >= entry.second.expires; });
  recent_[name] = {StateOf(answer->body), now + kRecentAge};
  co_return base::Result<void>();
}

}  // namespace annex::source
