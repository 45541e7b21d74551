// ObjectCopy: brings a collection of the store to the objects of one resource that the cluster has in etcd,
// and keeps it there, until the resource is moved.
//
//   auto copy = std::make_shared<ObjectCopy>(parts, resource);
//   co_await copy->Copy(meter); // all objects
//   co_await copy->Verify();    // all objects again, each compared with what is stored
//   copy->Follow();             // changes, from now on
//   co_await copy->CatchUp();   // until the moment of this call is reached
//   copy->StopFollowing();
//
// How it knows that it missed nothing: watches that last three seconds, a new one twice a second. Shortly
// before its end each is told by a bookmark how far the server has come; all changes up to there came before
// the bookmark, on the same connection. So CatchUp takes a second or two, however many objects there are.
// Whatever is interrupted begins again with Copy, which writes only what differs.
//
// Thread rule: used on one executor. Ownership: shared with its watches, which end within three seconds.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/resource.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/source/local_definitions.h"
#include "annex/store/store.h"
#include "progress_meter.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace annex::source {

class ObjectCopy : public std::enable_shared_from_this<ObjectCopy> {
 public:
  struct Parts {
    kube::Client& client;
    store::Store& store;
    StoredForm stored_form;
    const base::Clock& clock;
    base::Executor& executor;
    base::TaskScope& tasks;  // of the executor; the watches run there
  };
  // `resource` is not served yet: nobody else writes to its collection.
  ObjectCopy(Parts parts, std::shared_ptr<const definition::Resource> resource);

  // Errors of all: as CallCluster, and as the store has them. Expired: begin again with Copy.
  base::Task<base::Result<void>> Copy(ProgressMeter& meter);
  // Also InternalError: an object is stored in another form than the cluster shows it.
  base::Task<base::Result<void>> Verify();
  void Follow();
  void StopFollowing() { following_ = false; }
  // REQUIRES: it follows. Errors: also Timeout.
  base::Task<base::Result<void>> CatchUp();

  struct Head {
    std::int64_t revision = 0;  // etcd's
    std::int64_t objects = 0;
  };
  // The newest revision of the cluster, and how many objects it has.
  base::Task<base::Result<Head>> ReadHead();
  // Errors: InternalError, if the collection has another number of objects than the cluster.
  base::Task<base::Result<void>> CompareCounts();

  const std::shared_ptr<const definition::Resource>& resource() const { return resource_; }

 private:
  // What is known of an object: its newest revision in the cluster, which may be that of its deletion.
  struct Known {
    std::int64_t revision = 0;
    bool exists = false;
  };
  enum class Purpose : std::uint8_t { kCopy, kVerify };

  base::Task<base::Result<void>> ReadAll(Purpose purpose, ProgressMeter* meter);
  base::Result<void> TakeListed(const json::Value& object, Purpose purpose,
                                std::unordered_set<std::string>& present);
  base::Result<void> Compare(const std::string& key, const json::Value& object);
  // Notes that what the store has and a list did not show is to be removed.
  base::Result<void> RemoveOthers(const std::unordered_set<std::string>& present);
  void TakeChange(const json::Value& object, bool exists);
  // Writes what was noted.
  base::Task<base::Result<void>> Flush();
  base::Result<std::vector<store::Mutation>> TakePending();

  static base::Task<void> KeepFollowing(std::shared_ptr<ObjectCopy> self);
  static base::Task<void> WatchTail(std::shared_ptr<ObjectCopy> self);
  base::Result<void> TakeEvent(const json::Value& event);

  std::string KeyOf(const json::Value& object) const;

  const Parts parts_;
  const std::shared_ptr<const definition::Resource> resource_;
  const std::string path_;
  std::unordered_map<std::string, Known> known_;               // by key
  std::map<std::string, std::optional<json::Value>> pending_;  // newest states to write; nullopt: gone
  std::int64_t progress_ = 0;  // every change up to this revision of the cluster is known
  bool following_ = false;
  std::optional<base::Status> failure_;
};

}  // namespace annex::source
