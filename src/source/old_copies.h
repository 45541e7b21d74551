// OldCopies: does what the annotation annex.dev/purge=old-copies on all definitions of an adopted group asks
// for, and tells how far it is by the condition annex.dev/OldCopiesPurged.
//
// Thread rule: used on one executor.
#pragma once

#include "adoption_report.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/source/adoption_check.h"
#include "etcd_version.h"
#include "group_purge.h"

#include <set>
#include <string>
#include <utility>

namespace annex::source {

class OldCopies {
 public:
  OldCopies(GroupPurge::Parts parts, AdoptionReport& report) : parts_(std::move(parts)), report_(report) {}

  // `definitions`: all of an adopted group that is routed to Annex, as the cluster has them but for the
  // EtcdVersion; `opened`: those that have one. Errors: as GroupPurge; they were told.
  base::Task<base::Result<void>> Reconcile(DefinitionsByName definitions, std::set<std::string> opened);
  // The objects in etcd are no old copies any more: their group was given back.
  base::Task<void> Returned(DefinitionsByName definitions);

 private:
  base::Task<base::Result<void>> Purge(DefinitionsByName definitions);
  bool Purged(const DefinitionsByName& definitions) const;
  base::Task<void> Tell(const DefinitionsByName& definitions, bool purged, std::string reason,
                        std::string message);

  const GroupPurge::Parts parts_;
  AdoptionReport& report_;
};

}  // namespace annex::source
