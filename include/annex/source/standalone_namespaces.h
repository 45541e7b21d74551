// StandaloneNamespaces: the life of namespaces in standalone mode: answers whether they are there, and
// empties those that are being deleted (what kube-controller-manager's namespace controller does in a
// cluster).
//
// Thread rule: State is thread-safe; Start is called by the owner's thread; everything else runs on
// `executor`. Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/mutex.h"
#include "annex/base/task.h"
#include "annex/definition/namespaces.h"
#include "annex/definition/registry.h"
#include "annex/source/controlled_objects.h"
#include "annex/source/object_follower.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace annex::source {

class StandaloneNamespaces final : public definition::NamespaceLookup {
 public:
  struct Parts {
    store::Store& store;
    store::WatchHub& hub;
    store::CollectionId collection;  // of the namespaces
    const definition::Registry& registry;
    base::Executor& executor;
  };
  explicit StandaloneNamespaces(Parts parts);
  ~StandaloneNamespaces() override;

  // The controller's hands. Given here and not to the constructor, because who has them needs this look-up
  // first.
  void Start(ControlledObjects& namespaces, DeleteObjects delete_objects, std::function<void()> ready);

  definition::NamespaceState State(std::string_view name) const override;
  base::Task<base::Result<void>> Refresh(std::string name, base::Executor& executor) override;

 private:
  base::Task<void> OnSynced(std::function<void()> ready);
  base::Task<void> OnNamespace(std::string name, const json::Value* object);
  base::Task<void> Empty(std::string name);

  const Parts parts_;
  ObjectFollower follower_;
  ControlledObjects* namespaces_ = nullptr;
  DeleteObjects delete_objects_;
  std::set<std::string> emptying_;

  mutable base::Mutex mutex_;
  std::map<std::string, definition::NamespaceState, std::less<>> states_ ANNEX_GUARDED_BY(mutex_);
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::source
