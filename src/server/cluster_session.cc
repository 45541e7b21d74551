#include "cluster_session.h"

#include "annex/base/strings.h"

namespace annex::server {
namespace {

base::Result<kube::Config> ConfigOf(const ClusterAccess& access) {
  if (access.server.empty()) return kube::FindConfig(access.kubeconfig, access.context);
  kube::Config config;
  config.server = access.server;
  while (config.server.ends_with('/')) config.server.pop_back();
  if (config.server.starts_with("http://") || config.server.starts_with("https://")) return config;
  return base::Error(base::Reason::kInvalid,
                     "--server: " + base::Quote(access.server) + " is no http(s) URL");
}

}  // namespace

base::Result<std::unique_ptr<ClusterSession>> ClusterSession::Open(const ClusterAccess& access) {
  std::unique_ptr<ClusterSession> session(new ClusterSession());
  ANNEX_TRY(session->config_, ConfigOf(access));
  ANNEX_TRY(session->client_, kube::Client::Make(session->config_));
  return session;
}

ClusterSession::~ClusterSession() {
  // No task goes on after this, so none takes notice of the calls that are broken off.
  thread_.Stop();
  if (client_) client_->Stop();
}

}  // namespace annex::server
