// WriteGuard: lets the cluster refuse every write to the objects of a group that it has in etcd.
//
// kube-apiserver asks policies only about what it serves itself. So the guard of a group freezes its objects
// while they are moved to Annex, and once the group is routed there it stays: whoever takes the APIService
// away finds the old copies read-only. Annex itself may write by the version that EtcdVersion adds.
//
// Thread rule: used on one executor.
#pragma once

#include "admission_guard.h"

namespace annex::source {

inline constexpr const char* kWriteGuardSuffix = ".adopted.annex.dev";

class WriteGuard {
 public:
  // `probe_namespace`: see AdmissionGuard.
  WriteGuard(kube::Client& client, std::string probe_namespace, base::Executor& executor)
      : client_(client),
        executor_(executor),
        guard_(client, kWriteGuardSuffix, std::move(probe_namespace), executor) {}

  // All as AdmissionGuard has them.
  base::Task<base::Result<void>> Raise(std::string group);
  base::Task<base::Result<bool>> InForce(std::string group) { return guard_.InForce(std::move(group)); }
  base::Task<base::Result<void>> Lower(std::string group) { return guard_.Lower(std::move(group)); }
  base::Task<base::Result<std::set<std::string>>> Groups() { return guard_.Groups(); }
  // Returns when writes to etcd are refused no more.
  base::Task<base::Result<void>> AwaitLifted(std::string group, const base::Clock& clock) {
    return guard_.Await(std::move(group), AdmissionGuard::Effect::kLifted, clock);
  }

 private:
  // Who Annex is to the cluster.
  base::Task<base::Result<std::string>> User();

  kube::Client& client_;
  base::Executor& executor_;
  AdmissionGuard guard_;
  std::string user_;  // empty: not asked yet
};

// Whether an error of CallCluster is that the guard of `group` refused the call.
bool IsGuardRefusal(const base::Status& error, const std::string& group);

}  // namespace annex::source
