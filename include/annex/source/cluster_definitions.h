// ClusterDefinitions: adopts the cluster's own CustomResourceDefinitions that carry the label
// annex.dev/serve=true, and keeps Annex's copies of adopted ones at what the cluster has.
//
// The unit is a group, because the cluster routes requests by group and version and all versions of a kind
// share their objects. What is true of a group can be read off at any time, so that a start finds its way
// after a crash in any step:
//
//   Annex has no adopted definition of it   the objects in etcd count; whatever lies in the store is a copy
//                                           to begin with, and a guard that is left over is lowered
//   Annex has one                           the objects in the store count, for ever; what is missing is
//                                           made good: further definitions, the guard, the routing
//
// So the creation of the first definition, after the copy was verified and while writes are refused, is the
// moment in which a group changes hands. docs/architecture.md, "Life of an adoption", follows one through.
//
// A definition that the cluster deletes takes its objects along. Without its label it stays adopted. The
// label annex.dev/serve=false on all definitions of a group gives it back; kReleaseAnnotation on Annex's own
// definitions says how far that is, and "Life of a release" follows one through.
//
// Thread rule: Start is called by the owner's thread; everything else runs on `executor`.
// Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/random.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/kube/reflector.h"
#include "annex/source/api_service_registrar.h"
#include "annex/source/cluster_call.h"
#include "annex/source/local_definitions.h"
#include "annex/source/resource_publisher.h"
#include "annex/store/store.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace annex::source {

class AdoptionReport;
class CollectorGuard;
class EtcdVersion;
class GroupRelease;
class GroupRouting;
class OldCopies;
class WriteGuard;

class ClusterDefinitions {
 public:
  struct Parts {
    kube::Client& client;
    store::Store& store;
    ResourcePublisher& publisher;
    ApiServiceRegistrar& registrar;
    LocalDefinitions& definitions;
    StoredForm stored_form;
    const base::Clock& clock;
    base::Random& random;
    base::Executor& executor;  // the publisher's
  };
  // `probe_namespace`: see WriteGuard.
  ClusterDefinitions(Parts parts, const std::string& probe_namespace);
  ~ClusterDefinitions();

  void Start();

 private:
  using Definitions = std::map<std::string, json::Value>;  // by name
  struct Group {
    Definitions definitions;       // the cluster's
    std::set<std::string> opened;  // those that have an EtcdVersion
    bool working = false;
    bool again = false;
  };

  base::Task<void> Begin();
  // Reads what the cluster and Annex itself have of earlier adoptions.
  base::Task<base::Result<void>> ReadState();
  base::Task<base::Result<void>> ReadOwnDefinitions();
  base::Task<void> LookAgain();

  void OnDefinition(const json::Value& definition, bool deleted);
  static void NoteOpened(Group& group, const json::Value& definition, bool deleted);
  void OnSynced();
  void Wake(const std::string& name);
  base::Task<void> Work(std::string name);

  base::Task<base::Result<void>> Reconcile(std::string group);
  // Takes away what the cluster deleted. True if something of the group is still on its way out.
  base::Task<base::Result<bool>> RemoveDeleted(std::string group);
  // Nothing of the group is or shall be adopted.
  base::Task<base::Result<void>> Leave(std::string group);
  base::Task<base::Result<void>> Adopt(std::string group);
  base::Task<base::Result<std::vector<std::string>>> Obstacles(std::string group);
  // Annex has the objects: sees to definitions, guard and routing. `blocked`: why something that was asked
  // for is not done; may be empty.
  base::Task<base::Result<void>> Serve(std::string group, std::string blocked);
  // Errors: Conflict, if the cluster's definitions are not those that `own` was made from any more.
  base::Task<base::Result<void>> Confirm(std::string group, Definitions own);
  base::Task<base::Result<void>> ApplyDefinitions(std::string group, Definitions wanted);
  // Lets requests be routed to Annex, and returns when they are.
  base::Task<base::Result<void>> AwaitAnnex(std::string group);
  base::Task<base::Result<void>> EndOldWatches(std::string group);
  base::Task<base::Result<void>> TellServed(std::string group, std::string message);
  base::Task<void> Tell(std::string group, bool adopted, std::string reason, std::string message);

  // --- the way back (cluster_definitions_release.cc)
  base::Task<base::Result<void>> ServeOrRelease(std::string group);
  // Why a group that Annex serves cannot be given back; empty: nothing is in the way.
  base::Task<base::Result<std::string>> ReleaseObstacle(std::string group);
  GroupRelease ReleaseOf(const std::string& group);
  base::Task<base::Result<void>> Release(std::string group);
  // Annex serves its definitions without restriction, and the guards are as they shall be meanwhile.
  base::Task<base::Result<void>> Restore(std::string group);
  // Etcd may be written again, and the garbage collector waits.
  base::Task<base::Result<void>> Unlock(std::string group);
  // The last step before writes are refused: also, clients forget the revisions that they know.
  base::Task<base::Result<void>> PrepareFreeze(std::string group);
  // Writes kReleaseAnnotation to all of Annex's definitions of a group.
  base::Task<base::Result<void>> Mark(std::string group, const char* step);
  // The cluster has the objects.
  base::Task<base::Result<void>> ResumeRelease(std::string group);
  base::Task<base::Result<void>> FinishRelease(std::string group, GroupRelease& release);
  base::Task<base::Result<std::string>> BringClients(std::string group, const GroupRelease& release);
  base::Task<base::Result<void>> EndWatchesTwice(std::string group);
  base::Task<base::Result<void>> RemoveOwn(std::string group);
  bool IsDecided(const std::string& group) const;

  // The group's definitions that the cluster has and is not deleting.
  Definitions Present(const std::string& group) const;
  bool IsMoved(const std::string& group) const;
  // What is remembered of a definition.
  json::Value KeptForm(const json::Value& definition) const;
  // A definition as Annex shall have it, and all of a group's.
  json::Value OwnForm(const json::Value& definition) const;
  Definitions OwnForms(const std::string& group) const;

  const Parts parts_;
  const std::unique_ptr<WriteGuard> guard_;
  const std::unique_ptr<CollectorGuard> collector_guard_;
  const std::unique_ptr<AdoptionReport> report_;
  const ClusterCall call_;
  const std::unique_ptr<GroupRouting> routing_;
  const std::unique_ptr<EtcdVersion> etcd_version_;
  const std::unique_ptr<OldCopies> old_copies_;
  kube::Reflector reflector_;
  std::string cluster_;  // the uid of the namespace kube-system
  std::map<std::string, Group> groups_;
  Definitions listed_;  // what the round under way has told so far
  bool synced_ = false;
  std::map<std::string, json::Value> own_;      // Annex's adopted definitions of this cluster, by name
  std::map<std::string, json::Value> applied_;  // what own_ was made from
  std::set<std::string> guarded_;               // groups whose guard was found at the start, or raised
  std::set<std::string> collector_guarded_;     // the same of the other guard
  base::TaskScope tasks_;                       // last: they use all of the above
};

}  // namespace annex::source
