// ClusterNamespaces: the namespaces of the cluster that Annex serves behind.
//
// Thread rule: State, Refresh and Ready are thread-safe; Start is called by the owner's thread; everything
// else runs on `executor`. Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/mutex.h"
#include "annex/base/random.h"
#include "annex/base/task.h"
#include "annex/definition/namespaces.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/kube/reflector.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace annex::source {

class ClusterNamespaces final : public definition::NamespaceLookup {
 public:
  ClusterNamespaces(kube::Client& client, const base::Clock& clock, base::Random& random,
                    base::Executor& executor);

  void Start();
  // Whether all namespaces were read once.
  bool Ready() const { return ready_; }

  definition::NamespaceState State(std::string_view name) const override;
  base::Task<base::Result<void>> Refresh(std::string name, base::Executor& executor) override;

 private:
  using States = std::map<std::string, definition::NamespaceState, std::less<>>;
  struct Recent {
    definition::NamespaceState state;
    std::chrono::steady_clock::time_point expires;
  };
  void OnNamespace(const json::Value& object, bool deleted);
  void OnSynced();

  kube::Client& client_;
  const base::Clock& clock_;
  base::Executor& executor_;
  kube::Reflector reflector_;
  bool listing_ = false;
  States listed_;  // what the round under way has told so far
  std::atomic<bool> ready_ = false;

  mutable base::Mutex mutex_;
  States states_ ANNEX_GUARDED_BY(mutex_);
  // Found by Refresh, and not told by the watch yet.
  std::map<std::string, Recent, std::less<>> recent_ ANNEX_GUARDED_BY(mutex_);
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::source
