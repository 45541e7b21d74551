// Dependents: what of the whole cluster names objects as its owners that got another uid.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/source/cluster_call.h"
#include "owner_uids.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace annex::source {

class Dependents {
 public:
  Dependents(ClusterCall call, const OwnerUids& owners) : call_(std::move(call)), owners_(owners) {}

  struct Found {
    std::int64_t renamed = 0;          // objects whose ownerReferences follow their owners now
    bool again = false;                // some were changed by somebody else at the same time
    std::vector<std::string> unknown;  // resources that could not be looked at, and why
  };
  // Looks at every object of every resource that can be listed and patched. Errors: as CallCluster, for
  // discovery.
  base::Task<base::Result<Found>> Rename();

 private:
  base::Task<void> RenameIn(std::string path, Found& found);
  base::Task<base::Result<void>> RenameOne(std::string path, json::Value metadata, Found& found);

  const ClusterCall call_;
  const OwnerUids& owners_;
};

}  // namespace annex::source
