#include "annex/server/options.h"

#include "annex/base/strings.h"

#include <filesystem>

namespace annex::server {
namespace {

auto Wrong(std::string message) {
  return base::Error(base::Reason::kInvalid, std::move(message));
}

// "ADDRESS:PORT", "[IPv6]:PORT" or ":PORT".
base::Result<void> SplitListen(ServeOptions& options) {
  const auto colon = options.listen.rfind(':');
  const auto port =
      colon == std::string::npos ? std::nullopt : base::ParseUint64(options.listen.substr(colon + 1));
  if (!port || *port > 65535) {
    return Wrong("--listen: " + base::Quote(options.listen) +
                 " is not ADDRESS:PORT; for example --listen 127.0.0.1:8443");
  }
  options.listen_port = static_cast<std::uint16_t>(*port);
  options.listen_address = options.listen.substr(0, colon);
  if (options.listen_address.starts_with('[') && options.listen_address.ends_with(']')) {
    options.listen_address = options.listen_address.substr(1, options.listen_address.size() - 2);
  }
  if (options.listen_address.empty()) options.listen_address = "0.0.0.0";
  return {};
}

}  // namespace

base::Result<void> Complete(ServeOptions& options) {
  if (options.listen.empty()) options.listen = options.standalone ? "127.0.0.1:8443" : "0.0.0.0:8443";
  return SplitListen(options);
}

base::Result<void> Validate(const ServeOptions& options) {
  if (options.data_dir.empty())
    return Wrong("--data-dir is missing: name a folder that Annex may keep its data in");
  if (options.standalone && !options.kubeconfig.empty()) {
    return Wrong("--standalone and --kubeconfig exclude each other: standalone mode uses no cluster");
  }
  if (options.standalone && options.adopt) {
    return Wrong("--standalone and --adopt exclude each other: standalone mode uses no cluster");
  }
  if (!options.standalone && !options.adopt && options.definitions_dir.empty()) {
    return Wrong(
        "--definitions is missing: name the folder of the CustomResourceDefinitions to serve (or give "
        "--adopt, "
        "or run --standalone)");
  }
  if (!options.definitions_dir.empty() && !std::filesystem::is_directory(options.definitions_dir)) {
    return Wrong("--definitions: there is no folder " + options.definitions_dir);
  }
  if (options.tls_cert_file.empty() != options.tls_private_key_file.empty()) {
    return Wrong("--tls-cert-file and --tls-private-key-file go together: give both or none");
  }
  if (!options.ca_secret.empty() && (options.standalone || !options.tls_cert_file.empty())) {
    return Wrong(
        "--ca-secret keeps the authority of the certificate that Annex makes behind a cluster: it excludes "
        "--standalone and --tls-cert-file");
  }
  if (options.history_age.count() < 1) return Wrong("--history-age must be at least 1s");
  if (options.history_mib < 1) return Wrong("--history-mib must be at least 1");
  if (options.max_request_body_kib < 1) return Wrong("--max-request-body-kib must be at least 1");
  return {};
}

}  // namespace annex::server
