// GroupRouting: who answers the requests for a group, the cluster from etcd or Annex, and how clients are
// brought to notice that it changed.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/source/adoption_check.h"
#include "annex/source/cluster_call.h"

#include <cstdint>
#include <string>
#include <utility>

namespace annex::source {

class GroupRouting {
 public:
  GroupRouting(ClusterCall call, const base::Clock& clock, base::Executor& executor)
      : call_(std::move(call)), clock_(clock), executor_(executor) {}

  // Returns when all resources of the definitions are answered from there. Errors: Timeout.
  enum class From : std::uint8_t { kEtcd, kAnnex };
  base::Task<base::Result<void>> Await(From from, DefinitionsByName definitions);

  // Ends the watches of a definition's objects that hang at kube-apiserver's own storage. Errors: as
  // CallCluster.
  base::Task<base::Result<void>> EndWatches(std::string definition);

 private:
  base::Task<base::Result<bool>> Answers(From from, std::string path);

  const ClusterCall call_;
  const base::Clock& clock_;
  base::Executor& executor_;
};

}  // namespace annex::source
