// GroupRelease: one try to bring all objects of a group from the store into the cluster's etcd, up to the
// moment at which both have the same and Annex refuses further writes. The way back of GroupMove.
//
//   open      the EtcdVersion of each definition
//   copy      every object that etcd does not have as it is
//   verify    every object once more, compared with what Annex has
//   catch up  what changed meanwhile, while changes go on
//   freeze    Annex refuses writes: clients are told to try again in a second
//   catch up  the rest; then the numbers of objects must be equal
//
// Nothing of it is remembered: who tries again, also after a crash, begins anew, and writes only what
// differs.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/source/adoption_check.h"
#include "annex/source/cluster_call.h"
#include "annex/source/resource_publisher.h"
#include "annex/store/store.h"
#include "etcd_version.h"
#include "object_return.h"
#include "owner_uids.h"
#include "progress_meter.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace annex::source {

class GroupRelease {
 public:
  struct Parts {
    ClusterCall call;
    store::Store& store;
    const ResourcePublisher& publisher;
    EtcdVersion& version;
    const base::Clock& clock;
    base::Executor& executor;
    base::TaskScope& tasks;
  };
  // `definitions`: the cluster's, of a group that Annex serves. `before_freeze` is called when all that takes
  // long is done.
  GroupRelease(Parts parts, DefinitionsByName definitions, ProgressMeter::Tell tell,
               std::function<base::Task<base::Result<void>>()> before_freeze);

  // After a success writes are refused. After an error they are accepted, and the group is where it was.
  base::Task<base::Result<void>> Run();
  // Writes are accepted again.
  base::Task<base::Result<void>> Thaw() { return SetAccess(store::Store::Access::kReadWrite); }
  // Instead of Run, if an earlier try had decided: only learns which uids the objects have in etcd.
  base::Task<base::Result<void>> LearnUids();

  const OwnerUids& owners() const { return owners_; }
  // After a success: since when writes are refused, and how many objects there are.
  std::chrono::steady_clock::time_point frozen_since() const { return frozen_since_; }
  ObjectReturn::Numbers numbers() const;

 private:
  base::Task<base::Result<void>> Open();
  base::Task<base::Result<void>> CopyAll();
  base::Task<base::Result<void>> CatchUpNearly();
  base::Task<base::Result<void>> FreezeAndFinish();
  // What changed of all resources, once.
  base::Task<base::Result<std::size_t>> CatchUpOnce();
  base::Task<base::Result<void>> SetAccess(store::Store::Access access);

  const Parts parts_;
  const DefinitionsByName definitions_;
  const ProgressMeter::Tell tell_;
  const std::function<base::Task<base::Result<void>>()> before_freeze_;
  OwnerUids owners_;
  std::vector<std::unique_ptr<ObjectReturn>> objects_;
  std::chrono::steady_clock::time_point frozen_since_;
};

}  // namespace annex::source
