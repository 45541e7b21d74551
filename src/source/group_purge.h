// GroupPurge: removes the objects of an adopted group that were left in etcd.
//
// They are deleted by the version that EtcdVersion adds, their finalizers taken off: the objects live on at
// Annex, with their finalizers, and nobody who looks at them there sees anything of it. Whatever interrupts
// it, who runs it again goes on.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/source/adoption_check.h"
#include "annex/source/cluster_call.h"
#include "etcd_objects.h"
#include "etcd_version.h"
#include "progress_meter.h"

#include <cstdint>
#include <string>

namespace annex::source {

class GroupPurge {
 public:
  struct Parts {
    ClusterCall call;
    EtcdVersion& version;
    const base::Clock& clock;
    base::Executor& executor;
    base::TaskScope& tasks;
  };
  GroupPurge(Parts parts, DefinitionsByName definitions, ProgressMeter::Tell tell);

  // REQUIRES: requests for the group are routed to Annex. The result is how many objects were removed.
  // Errors: as EtcdVersion and EtcdObjects; InternalError (somebody makes new ones).
  base::Task<base::Result<std::int64_t>> Run();

 private:
  base::Task<base::Result<std::int64_t>> CountAll();
  base::Task<base::Result<void>> Empty(EtcdObjects objects, ProgressMeter& meter);
  base::Task<base::Result<void>> RemoveListed(EtcdObjects& objects, ProgressMeter& meter);

  const Parts parts_;
  const DefinitionsByName definitions_;
  const ProgressMeter::Tell tell_;
};

// What keeps the objects that a group has in etcd from being written by a version of their own, in words for
// people; empty: nothing. It names another way to remove them.
std::string EtcdVersionObstacle(const DefinitionsByName& definitions);

}  // namespace annex::source
