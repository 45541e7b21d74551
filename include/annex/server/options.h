// ServeOptions: what `annex serve` was asked to do. Complete fills in what follows from the rest, Validate
// says what cannot be.
#pragma once

#include "annex/base/log.h"
#include "annex/base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace annex::server {

struct ServeOptions {
  bool standalone = false;
  std::string data_dir;
  // How long another process may take to leave the data directory.
  std::chrono::seconds data_dir_wait{0};
  std::string listen;  // empty: 127.0.0.1:8443 standalone, 0.0.0.0:8443 behind a cluster
  std::string definitions_dir;

  // Adopt the cluster's definitions that ask for it (source::ClusterDefinitions).
  bool adopt = false;

  // Behind a cluster. Without a kubeconfig, the service account of the pod that Annex runs in.
  std::string kubeconfig;
  std::string service_namespace;
  std::string service_name = "annex";
  std::int64_t service_port = 443;
  // A ClusterRole that owns the objects that Annex makes in the cluster: they go when it is deleted. May be
  // empty.
  std::string owner_cluster_role;

  // A Secret in service_namespace that keeps the authority of Annex's own serving certificate. May be empty.
  std::string ca_secret;

  // The certificate to serve with instead of Annex's own.
  std::string tls_cert_file;
  std::string tls_private_key_file;
  // Further names and addresses that Annex's own serving certificate is valid for.
  std::vector<std::string> tls_sans;

  std::chrono::seconds history_age{600};
  std::int64_t history_mib = 1024;
  std::int64_t max_request_body_kib = 3072;
  std::int64_t max_connections = 10'000;
  std::int64_t threads = 0;
  std::chrono::seconds shutdown_grace{5};

  base::LogFormat log_format = base::LogFormat::kText;
  base::LogLevel log_level = base::LogLevel::kInfo;

  // Asked while another process has the data directory: waits a little, and says whether to try again.
  std::function<bool()> data_dir_in_use;

  // Made by Complete from `listen`.
  std::string listen_address;
  std::uint16_t listen_port = 0;
};

// Errors: Invalid, naming the flag and the remedy.
base::Result<void> Complete(ServeOptions& options);
base::Result<void> Validate(const ServeOptions& options);

}  // namespace annex::server
