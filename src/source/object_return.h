// ObjectReturn: brings the objects of one resource that the cluster has in etcd to what Annex has, and keeps
// them there, until the resource is given back.
//
//   ObjectReturn objects(parts, resource, definition);
//   co_await objects.Copy(meter);   // all objects
//   co_await objects.Verify();      // all objects again, each compared
//   co_await objects.CatchUp();     // what changed since, again and again
//   co_await objects.CompareCounts();
//
// Nothing but Annex writes to these objects in etcd (WriteGuard). What changes in the store is only noted by
// its key; the newest state of it is what is written. Whatever is interrupted begins again with Copy, which
// writes only what differs.
//
// The cluster's API gives uid, creationTimestamp, generation and deletionTimestamp itself: an object that
// etcd still has keeps its uid and creationTimestamp, another one gets new ones. What is being deleted is
// being deleted there, too.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/resource.h"
#include "annex/json/value.h"
#include "annex/source/cluster_call.h"
#include "annex/store/store.h"
#include "etcd_objects.h"
#include "owner_uids.h"
#include "progress_meter.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace annex::source {

class ObjectReturn {
 public:
  struct Parts {
    ClusterCall call;
    store::Store& store;
    OwnerUids& owners;  // of all resources of the group
    base::Executor& executor;
    base::TaskScope& tasks;  // of the executor
  };
  // REQUIRES: the EtcdVersion of `definition` is open.
  ObjectReturn(Parts parts, std::shared_ptr<const definition::Resource> resource,
               const json::Value& definition);
  ObjectReturn(const ObjectReturn&) = delete;
  ObjectReturn& operator=(const ObjectReturn&) = delete;

  // Errors of all: as EtcdObjects, and as the store has them. Expired: begin again with Copy.
  base::Task<base::Result<void>> Copy(ProgressMeter& meter);
  // Also InternalError: an object in etcd is another than it was made.
  base::Task<base::Result<void>> Verify();
  // Brings over what changed up to now; the result is how many objects that were.
  base::Task<base::Result<std::size_t>> CatchUp();
  // Also InternalError, if the numbers of objects differ. REQUIRES: nobody writes.
  base::Task<base::Result<void>> CompareCounts();
  // Only learns which uids the objects have in etcd.
  base::Task<base::Result<void>> LearnUids();

  struct Numbers {
    std::int64_t objects = 0;
    std::int64_t kept_uid = 0;
  };
  Numbers numbers() const;
  const std::shared_ptr<const definition::Resource>& resource() const { return resource_; }

 private:
  // An object as etcd shall have it.
  struct Wanted {
    json::Value object;  // without what the API gives itself
    std::string uid;
    std::string created;
    bool deleting = false;
    store::Revision revision = 0;
  };
  // What etcd has of it.
  struct There {
    EtcdObjects::Held held;
    std::string wanted_uid;      // of the object that it is the copy of
    store::Revision source = 0;  // the state that it is the copy of; 0: not known
  };

  base::Result<std::optional<Wanted>> Want(const std::string& key);
  // Notes an object of etcd; true if it is what it shall be.
  base::Result<bool> Take(const json::Value& object);
  bool Same(const Wanted& wanted, const json::Value& object) const;
  base::Result<void> NoteMissing();
  base::Task<base::Result<void>> ReadAll(bool verify);
  base::Result<void> Check(const json::Value& object);

  // Writes what was noted, 500 objects at a time.
  base::Task<base::Result<void>> Flush(ProgressMeter* meter);
  base::Task<base::Result<void>> Bring(std::string key);
  base::Task<base::Result<json::Value>> Write(std::optional<EtcdObjects::Held> held, const Wanted& wanted);
  void NoteOwners(const std::string& key, const json::Value& object);

  const Parts parts_;
  const std::shared_ptr<const definition::Resource> resource_;
  EtcdObjects etcd_;
  std::unordered_map<std::string, There> there_;                  // by key
  std::set<std::string> due_;                                     // keys to look at
  store::Revision cursor_ = 0;                                    // changes up to here are in due_, or done
  std::unordered_map<std::string, std::set<std::string>> owned_;  // keys, by the uid of an owner
};

}  // namespace annex::source
