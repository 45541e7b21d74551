// WriteGuard: lets the cluster refuse every write to the objects of a group that it has in etcd, by a
// ValidatingAdmissionPolicy.
//
// kube-apiserver asks policies only about what it serves itself. So the policy of a group freezes its objects
// while they are moved to Annex, and once the group is routed there it stays as a guard: whoever takes the
// APIService away finds the old copies read-only.
//
// Annex itself may write by the version that EtcdVersion adds.
//
// A policy takes effect some time after it is made, and nothing tells when. So it also refuses one ConfigMap
// that nobody has; a dry run of creating that is the probe.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"

#include <set>
#include <string>
#include <utility>

namespace annex::source {

class WriteGuard {
 public:
  // `probe_namespace`: where the ConfigMap of the probe would be.
  WriteGuard(kube::Client& client, std::string probe_namespace, base::Executor& executor)
      : client_(client), probe_namespace_(std::move(probe_namespace)), executor_(executor) {}

  // Makes the guard of a group, or repairs it. Errors of all: as CallCluster.
  base::Task<base::Result<void>> Raise(std::string group);
  // Whether writes are refused by now.
  base::Task<base::Result<bool>> InForce(std::string group);
  base::Task<base::Result<void>> Lower(std::string group);
  // The groups that have one.
  base::Task<base::Result<std::set<std::string>>> Groups();

 private:
  // Who Annex is to the cluster.
  base::Task<base::Result<std::string>> User();

  kube::Client& client_;
  const std::string probe_namespace_;
  base::Executor& executor_;
  std::string user_;  // empty: not asked yet
};

// Whether an error of CallCluster is that the guard of `group` refused the call.
bool IsGuardRefusal(const base::Status& error, const std::string& group);

// Whether a ValidatingAdmissionPolicy is such a guard.
bool IsWriteGuard(const json::Value& policy);

}  // namespace annex::source
