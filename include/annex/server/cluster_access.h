// ClusterAccess: the cluster that a command works on, and as whom, in kubectl's terms.
//
// Thread rule: a value type.
#pragma once

#include <string>

namespace annex::server {

struct ClusterAccess {
  std::string kubeconfig;  // empty: $KUBECONFIG, ~/.kube/config, or the pod's service account
  std::string context;     // of the kubeconfig; empty: its current one
  // A URL, such as that of `kubectl proxy`, that asks for no credentials; then the others do not matter.
  std::string server;
};

}  // namespace annex::server
