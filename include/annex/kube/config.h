// Config: how to reach and be known to a kube-apiserver: from a kubeconfig file, or as the service account of
// the pod.
//
// Thread rule: a value type.
#pragma once

#include "annex/base/result.h"

#include <string>

namespace annex::kube {

struct Config {
  std::string server;                 // "https://10.0.0.1:6443", without a path
  std::string certificate_authority;  // PEM; empty: the system's
  bool insecure_skip_tls_verify = false;

  // Who we are: a certificate, a token, or a file with a token that is read again as it is renewed.
  std::string client_certificate;  // PEM
  std::string client_key;          // PEM, a secret
  std::string token;               // a secret
  std::string token_file;

  std::string namespace_name;  // of the context or the pod; may be empty
  bool in_pod = false;         // this is the service account of the pod that we run in
};

// A context of a kubeconfig file (k8s.io/client-go/tools/clientcmd/api/v1), the current one if none is named.
// Names of files in it are relative to its folder. Errors: Invalid, naming the file, the field and, where
// there is one, the remedy.
base::Result<Config> LoadKubeconfig(const std::string& path, const std::string& context = "");

// The service account that Kubernetes mounts into every pod. Errors: Invalid (not in a pod).
base::Result<Config> InClusterConfig();

// The cluster that kubectl would talk to: of `kubeconfig`; if that is empty, of $KUBECONFIG; if that is, too,
// of ~/.kube/config; and if there is no such file, that of the pod. Errors: Invalid, as above, and if
// $KUBECONFIG names several files, which are not merged.
base::Result<Config> FindConfig(const std::string& kubeconfig, const std::string& context);

// Reads a whole file. Errors: Invalid, naming the file.
base::Result<std::string> ReadConfigFile(const std::string& path);

}  // namespace annex::kube
