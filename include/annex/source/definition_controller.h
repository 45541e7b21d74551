// DefinitionController: the life of CustomResourceDefinitions (what the controllers of
// apiextensions-apiserver do: naming, establishing, finalizing).
//
// It follows the collection of definitions. For each it decides which names are accepted, sets conditions,
// serves the resource, and when the definition is deleted, ends the serving and lets the definition go; its
// objects are deleted before that or kept.
//
// Thread rule: Start is called by the owner's thread; everything else runs on `executor`.
// Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/source/controlled_objects.h"
#include "annex/source/object_follower.h"
#include "annex/source/resource_publisher.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace annex::source {

struct AcceptedNames;

class DefinitionController {
 public:
  // What becomes of the objects of a definition that is deleted: Kubernetes deletes them with it. A
  // definition that came from a file is only withdrawn with it: its objects are there again when the file is.
  // One that was adopted from the cluster takes its objects along in any case.
  enum class Objects : std::uint8_t { kDelete, kKeep };
  struct Parts {
    store::Store& store;
    store::WatchHub& hub;
    store::CollectionId collection;  // of the definitions
    ResourcePublisher& publisher;
    ControlledObjects& definitions;
    Objects objects;
    DeleteObjects delete_objects;
    const base::Clock& clock;
    base::Executor& executor;
  };
  explicit DefinitionController(Parts parts);
  ~DefinitionController();

  // Serves all definitions that the store has, then follows changes. `ready` is called on the executor once
  // the first is done.
  void Start(std::function<void()> ready);

 private:
  struct Known {
    json::Value definition;
    std::string group;
    definition::Names accepted;  // status.acceptedNames
    std::string conflict;        // of its names, as the log has it
    bool finalizing = false;     // its objects are being deleted
  };

  base::Task<void> OnSynced(std::function<void()> ready);
  base::Task<void> OnDefinition(std::string name, const json::Value* definition);
  base::Task<void> Reconcile(std::string name);
  // Behind a cluster nobody sees the conditions of a definition from a file, so the log tells what it lacks.
  void TellConflict(const std::string& name, const AcceptedNames& accepted);
  // Names that one definition gave up may be what others of its group wait for.
  base::Task<void> ReconcileWaiting(std::string group);
  base::Task<void> Finalize(std::string name);
  base::Task<void> DeleteAllObjects(std::string name);
  base::Task<void> Withdraw(std::string name);
  // What the objects of a definition go with; empty: they outlive it.
  std::string IncarnationOf(const json::Value& definition) const;

  const Parts parts_;
  ObjectFollower follower_;
  std::map<std::string, Known> known_;  // by the definition's name
  bool synced_ = false;
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::source
