// `annex adopt`, `annex release` and `annex purge`: asks the Annex of a cluster to take a group over from
// etcd, to give it back, or to remove what etcd still has of it, and follows what comes of it.
//
// A command asks by a label or an annotation on the cluster's definitions, as kubectl could, and is told by
// their conditions; it does nothing itself. So it may end at any time, and be started again to follow on.
//
// Thread rule: a free function; called by the only thread, as it blocks signals.
#pragma once

#include "annex/base/result.h"
#include "annex/server/cluster_access.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace annex::server {

enum class Handover : std::uint8_t { kAdopt, kRelease, kPurge };

struct HandOverOptions {
  Handover what = Handover::kAdopt;
  std::string group;  // "example.com" or "example.com/v1"
  ClusterAccess access;
  std::chrono::seconds timeout{3600};  // how long to follow
  bool dry_run = false;                // only say what would be done, and what is in the way
  bool terminal = false;               // the output is one
  // Asked before something that cannot be undone.
  std::function<bool(const std::string& question)> confirm;
};

// Writes to `out` what there is to move, each step, and what came of it. Errors: Invalid, if the command line
// or the kubeconfig cannot be used; any other: it did not happen, or nobody knows yet; the message says what
// to do about it.
base::Result<void> HandOver(const HandOverOptions& options, std::ostream& out);

}  // namespace annex::server
