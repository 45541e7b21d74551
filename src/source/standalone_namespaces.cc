#include "annex/source/standalone_namespaces.h"

#include "annex/base/log.h"
#include "annex/json/read.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

using definition::NamespaceState;
using json::Value;

// How often a namespace whose objects wait for their finalizers looks whether they are gone.
constexpr std::chrono::milliseconds kEmptyPoll{200};

NamespaceState StateOf(const Value& object) {
  return json::FindPath(object, {"metadata", "deletionTimestamp"}) == nullptr ? NamespaceState::kActive
                                                                              : NamespaceState::kTerminating;
}

}  // namespace

StandaloneNamespaces::StandaloneNamespaces(Parts parts)
    : parts_(parts), follower_(parts_.store, parts_.hub, parts_.collection, parts_.executor) {}

StandaloneNamespaces::~StandaloneNamespaces() = default;

void StandaloneNamespaces::Start(ControlledObjects& namespaces, DeleteObjects delete_objects,
                                 std::function<void()> ready) {
  namespaces_ = &namespaces;
  delete_objects_ = std::move(delete_objects);
  auto handlers = std::make_shared<ObjectFollower::Handlers>();
  handlers->on_begin = [this] {
    const base::MutexLock lock(mutex_);
    states_.clear();
  };
  handlers->on_object = [this](std::string name, const Value* object) {
    return OnNamespace(std::move(name), object);
  };
  handlers->on_synced = [this, ready = std::move(ready)]() mutable {
    return OnSynced(std::exchange(ready, nullptr));
  };
  parts_.executor.Post([this, handlers] { tasks_.Spawn(follower_.Run(std::move(*handlers))); });
}

NamespaceState StandaloneNamespaces::State(std::string_view name) const {
  {
    const base::MutexLock lock(mutex_);
    if (const auto known = states_.find(name); known != states_.end()) return known->second;
  }
  // It may have been made a moment ago: the store knows.
  NamespaceState state = NamespaceState::kMissing;
  const auto look = [&state](const store::Row& row) {
    std::string text;
    store::AppendBody(text, row.body, row.revision_at, row.revision);
    if (const auto object = json::Parse(text)) state = StateOf(*object);
  };
  const auto found = parts_.store.Get(parts_.collection, name, look);
  return found ? state : NamespaceState::kMissing;
}

base::Task<base::Result<void>> StandaloneNamespaces::Refresh(std::string name, base::Executor& executor) {
  co_return base::Result<void>();  // State has looked already
}

base::Task<void> StandaloneNamespaces::OnSynced(std::function<void()> ready) {
  if (ready) ready();
  co_return;
}

base::Task<void> StandaloneNamespaces::OnNamespace(std::string name, const Value* object) {
  {
    const base::MutexLock lock(mutex_);
    if (object == nullptr) {
      states_.erase(name);
    } else {
      states_[name] = StateOf(*object);
    }
  }
  const bool deleting = object != nullptr && StateOf(*object) == NamespaceState::kTerminating;
  const bool emptied = object == nullptr || json::ItemsAt(*object, {"spec", "finalizers"}).empty();
  if (deleting && !emptied && emptying_.insert(name).second) tasks_.Spawn(Empty(std::move(name)));
  co_return;
}

base::Task<void> StandaloneNamespaces::Empty(std::string name) {
  while (true) {
    std::int64_t left = 0;
    const auto snapshot = parts_.registry.Current();
    for (const auto& resource : snapshot->resources()) {
      if (!resource->namespaced()) continue;
      auto deleted = co_await delete_objects_(resource, name, parts_.executor);
      if (!deleted)
        base::LogError("Emptying a namespace failed",
                       {{"namespace", name}, {"error", deleted.error().message}});
      left += deleted ? *deleted : 1;
    }
    if (left == 0) break;
    co_await base::Sleep(parts_.executor, kEmptyPoll);
  }
  const auto finish = [](Value& object) {
    object["spec"].erase("finalizers");
    return true;
  };
  auto updated = co_await namespaces_->Update(name, finish, parts_.executor);
  if (!updated)
    base::LogError("Letting a namespace go failed",
                   {{"namespace", name}, {"error", updated.error().message}});
  emptying_.erase(name);
}

}  // namespace annex::source
