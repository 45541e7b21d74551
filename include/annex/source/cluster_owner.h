// ClusterOwner: the ClusterRole that owns what Annex makes in the cluster. When it is deleted, as an
// uninstallation does, the cluster's garbage collector deletes what it owns.
//
// It is a ClusterRole, not the namespace that Annex runs in: kube-apiserver finishes the deletion of a
// namespace only when all groups can be discovered, and those that Annex served cannot, as long as their
// APIServices are there.
//
// Thread rule: thread-safe. Lifetime: the client and the executor must outlive its tasks.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"

#include <string>

namespace annex::source {

class ClusterOwner {
 public:
  // `cluster_role` may be empty: nothing owns what is made.
  ClusterOwner(kube::Client& client, std::string cluster_role, base::Executor& executor)
      : client_(client), cluster_role_(std::move(cluster_role)), executor_(executor) {}

  // What metadata.ownerReferences shall be, asked anew each time: a role that was deleted and made again is
  // another owner. Errors: as CallCluster; NotFound: the role is gone, so nothing more shall be made.
  base::Task<base::Result<json::Value>> References();

 private:
  kube::Client& client_;
  const std::string cluster_role_;
  base::Executor& executor_;
};

}  // namespace annex::source
