// CollectorGuard: keeps the cluster's garbage collector from deleting what belongs to objects of a group
// while these go back to the cluster. Some of them have another uid there, and until their dependents know
// it, the collector would take the owners for gone. It tries again by itself, with longer and longer waits.
//
// Thread rule: used on one executor.
#pragma once

#include "admission_guard.h"

namespace annex::source {

class CollectorGuard {
 public:
  // `probe_namespace`: see AdmissionGuard.
  CollectorGuard(kube::Client& client, std::string probe_namespace, base::Executor& executor)
      : guard_(client, ".owners.annex.dev", std::move(probe_namespace), executor) {}

  // Returns when it is in force. Errors of both: as AdmissionGuard.
  base::Task<base::Result<void>> Raise(std::string group, const base::Clock& clock);
  base::Task<base::Result<void>> Lower(std::string group) { return guard_.Lower(std::move(group)); }
  base::Task<base::Result<std::set<std::string>>> Groups() { return guard_.Groups(); }

 private:
  AdmissionGuard guard_;
};

}  // namespace annex::source
