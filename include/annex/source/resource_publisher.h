// ResourcePublisher: turns definitions into served resources: opens their collections, compiles them,
// publishes the registry's snapshot, ends the watches of what changed, and brings the store's index up to
// date.
//
// Thread rule: used on one executor (its owner's); the registry that it publishes to is thread-safe.
// Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/registry.h"
#include "annex/json/value.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace annex::source {

class ResourcePublisher {
 public:
  ResourcePublisher(store::Store& store, store::WatchHub& hub, definition::Registry& registry,
                    base::Executor& executor);

  struct Options {
    definition::Names names;
    bool terminating = false;
    bool established = true;
    // Its objects are about to be served elsewhere: they are not to be listed and watched any more, and then
    // not to be written.
    bool leaving = false;
    bool read_only = false;
    // Names the collection beside the resource: objects of a definition that was deleted and made again are
    // not shown. Empty: the objects outlive their definition, and belong to the next of its name.
    std::string incarnation;
  };
  // Compiles a definition and opens the collection that Publish will serve it from, but does not serve it:
  // for filling the collection first. Errors: as Publish.
  base::Task<base::Result<std::shared_ptr<const definition::Resource>>> Prepare(json::Value definition,
                                                                                Options options);
  // Serves a definition, or serves it anew after a change. One that did not change is left alone.
  // Errors: Invalid (it does not compile), InternalError (the store). What was served before is then served
  // on.
  base::Task<base::Result<void>> Publish(json::Value definition, Options options);

  // Serves a definition no more. Objects that had an incarnation go too.
  base::Task<base::Result<void>> Withdraw(std::string name);

  // The resource of a definition; nullptr if it is not served.
  std::shared_ptr<const definition::Resource> Find(const std::string& name) const;
  // All that are served, by the names of their definitions.
  const std::map<std::string, std::shared_ptr<const definition::Resource>>& resources() const {
    return resources_;
  }

  // For each group a text that differs whenever its definitions do.
  std::map<std::string, std::string> Fingerprints() const;

  // Called after each change of what is served, on the executor. Given once, before the first change.
  void OnChange(std::function<void()> listener) { on_change_ = std::move(listener); }

  // While set, changes do not reach the registry: for publishing many definitions at once at start.
  void Hold() { held_ = true; }
  void Release();

 private:
  void PublishSnapshot();
  base::Task<base::Result<store::CollectionInfo>> OpenCollection(std::string name);
  base::Task<base::Result<void>> SetAccess(store::CollectionId collection, store::Store::Access access);
  // Gives every object of the collection the terms of `resource`, once nobody writes with those of `old` any
  // more.
  base::Task<void> Reindex(std::shared_ptr<const definition::Resource> resource,
                           std::weak_ptr<const definition::Resource> old);
  base::Task<base::Result<void>> ReindexObjects(const definition::Resource& resource);

  store::Store& store_;
  store::WatchHub& hub_;
  definition::Registry& registry_;
  base::Executor& executor_;
  std::map<std::string, std::shared_ptr<const definition::Resource>> resources_;
  struct Published {
    std::uint64_t essence = 0;  // a hash of what it was made from, to see that nothing changed
    bool has_incarnation = false;
    bool read_only = false;
  };
  std::map<std::string, Published> published_;
  bool held_ = false;
  std::function<void()> on_change_;
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::source
