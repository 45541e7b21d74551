#include "cluster_session.h"

namespace annex::server {

base::Result<std::unique_ptr<ClusterSession>> ClusterSession::Open(const ClusterAccess& access) {
  std::unique_ptr<ClusterSession> session(new ClusterSession());
  ANNEX_TRY(session->config_, kube::FindConfig(access.kubeconfig, access.context));
  ANNEX_TRY(session->client_, kube::Client::Make(session->config_));
  return session;
}

ClusterSession::~ClusterSession() {
  // No task goes on after this, so none takes notice of the calls that are broken off.
  thread_.Stop();
  if (client_) client_->Stop();
}

}  // namespace annex::server
