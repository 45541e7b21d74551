// ObjectFollower: the present objects of a collection, and then every change of them, as JSON, for a
// controller.
//
//   ObjectFollower follower(store, hub, collection, executor);
//   co_await follower.Run([&](const std::string& key, const json::Value* object) -> Task<void> {…});
//
// Thread rule: used on one executor. Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"

#include <functional>
#include <memory>
#include <string>

namespace annex::source {

class ObjectFollower {
 public:
  ObjectFollower(store::Store& store, store::WatchHub& hub, store::CollectionId collection,
                 base::Executor& executor);
  ~ObjectFollower();

  struct Handlers {
    // A round of the present state begins: what is not told in it does not exist any more.
    std::function<void()> on_begin;
    // The present state of an object, or (nullptr) its end.
    std::function<base::Task<void>(std::string key, const json::Value* object)> on_object;
    // The present state was told completely.
    std::function<base::Task<void>()> on_synced;
  };
  // Follows for ever. Errors of the store are logged and tried again.
  base::Task<void> Run(Handlers handlers);

 private:
  base::Task<base::Result<void>> TellState(const Handlers& handlers);
  base::Task<base::Result<void>> TellChanges(const Handlers& handlers);
  base::Task<void> WaitForChanges();

  store::Store& store_;
  store::WatchHub& hub_;
  const store::CollectionId collection_;
  base::Executor& executor_;
  std::unique_ptr<store::WatchHub::Watcher> watcher_;
  struct Wake;
  const std::shared_ptr<Wake> wake_;
};

}  // namespace annex::source
