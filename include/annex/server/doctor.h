// `annex doctor`: what an Annex in a cluster lacks, and what of the cluster would be worth moving to it.
//
// It only reads, and asks kube-apiserver what Annex's account may do. On a large cluster it stays cheap:
// lists come in pages, or only their first page with the number of the rest; the definitions of custom
// resources are read in full only where they are needed.
//
// Thread rule: a free function; called by the only thread, as it blocks signals.
#pragma once

#include "annex/base/result.h"
#include "annex/server/cluster_access.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace annex::server {

struct DoctorOptions {
  ClusterAccess access;
  // The Service of Annex, as `annex serve` has it. Empty: in a pod its own namespace, else annex-system.
  std::string service_namespace;
  std::string service_name = "annex";
  enum class Format : std::uint8_t { kText, kJson };
  Format format = Format::kText;
};

// Writes what it finds. True if nothing of it is an error. Errors: Invalid (the kubeconfig cannot be used),
// Timeout (interrupted).
base::Result<bool> Doctor(const DoctorOptions& options, std::ostream& out);

}  // namespace annex::server
