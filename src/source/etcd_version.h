// EtcdVersion: a further version of a definition, by which its objects in etcd stay within Annex's reach
// while requests for all other versions are routed to Annex.
//
// kube-apiserver routes requests by group and version, and all versions of a kind share their objects. Those
// of a version that Annex does not serve it answers itself, from etcd. This one is served but not stored, its
// schema lets everything through, and it has no subresources: so a write is neither pruned, defaulted nor
// judged, and brings the status along. Its name sorts behind those of all other versions, so that it is
// nobody's preferred one.
//
// It needs the conversion strategy None: a webhook knows nothing of it. It is there only as long as it is
// needed; Annex never serves it, and reads definitions without it.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/source/cluster_call.h"

#include <string>
#include <utility>

namespace annex::source {

inline constexpr const char* kEtcdVersion = "zz-annex-etcd";

// Whether a definition of the cluster has it.
bool HasEtcdVersion(const json::Value& definition);
json::Value WithoutEtcdVersion(json::Value definition);

class EtcdVersion {
 public:
  EtcdVersion(ClusterCall call, const base::Clock& clock, base::Executor& executor)
      : call_(std::move(call)), clock_(clock), executor_(executor) {}

  // Adds it, if it is not there yet. Returns when the objects can be written by it: kube-apiserver serves it,
  // and the group's guard lets Annex through. Errors: as CallCluster; Timeout.
  base::Task<base::Result<void>> Open(json::Value definition);
  // Takes it away, if it is there. Errors: as CallCluster; Conflict (somebody changed the definition
  // meanwhile).
  base::Task<base::Result<void>> Close(std::string name);

 private:
  // Whether a write would be accepted by now.
  base::Task<base::Result<bool>> Probe(const json::Value& definition);

  const ClusterCall call_;
  const base::Clock& clock_;
  base::Executor& executor_;
};

}  // namespace annex::source
