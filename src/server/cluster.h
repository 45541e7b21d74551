// Cluster: a server behind a cluster's kube-apiserver, all its parts put together.
//
// Who asks and what they may do is decided with the cluster (delegated authentication and authorization);
// namespaces are the cluster's; definitions come from files or are the cluster's own; the cluster's
// APIService objects are kept at what is served.
#pragma once

#include "annex/auth/access_reviewer.h"
#include "annex/auth/cluster_authentication.h"
#include "annex/auth/request_authenticator.h"
#include "annex/auth/token_reviewer.h"
#include "annex/kube/client.h"
#include "annex/kube/reachability.h"
#include "annex/kube/service_resolver.h"
#include "annex/server/options.h"
#include "annex/source/api_service_registrar.h"
#include "annex/source/cluster_definitions.h"
#include "annex/source/cluster_namespaces.h"
#include "annex/source/cluster_owner.h"
#include "ca_secret.h"
#include "certificate_renewal.h"
#include "definition_folder.h"
#include "foundation.h"
#include "frontend.h"
#include "own_definitions.h"
#include "pki.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace annex::server {

class Cluster {
 public:
  // Starts everything. It listens when it returns; it is ready once the cluster has told who may ask.
  // Errors: as the parts have them. A cluster that cannot be reached is none: it is tried for as long as it
  // takes.
  static base::Result<std::unique_ptr<Cluster>> Start(const ServeOptions& options);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

 private:
  Cluster(std::unique_ptr<Foundation> foundation, std::unique_ptr<kube::Client> client);

  void AddHealthChecks();
  base::Result<void> StartFrontend();
  // Returns when the cluster has told who may ask, and its namespaces, or not for a while.
  void AwaitLearning() const;
  std::vector<std::string> ServingNames() const;
  base::Result<void> StartFolder();
  base::Result<void> StartRegistrar();
  void StartAdoption();
  // What kube-apiserver verifies the serving certificate with.
  base::Result<std::string> CaBundle() const;
  void StartCaSecret();
  base::Result<void> StartRenewal();
  // Brings what is served with, and what the cluster verifies it with, to what the files say.
  base::Result<void> Renew();

  const std::unique_ptr<Foundation> foundation_;
  const std::unique_ptr<kube::Client> client_;
  kube::Reachability reachability_;
  std::optional<Pki> pki_;
  auth::TokenReviewer tokens_;
  auth::RequestAuthenticator authenticator_;
  auth::ClusterAuthentication authentication_;
  auth::AccessReviewer authorizer_;
  kube::ClusterServices services_;
  source::ClusterNamespaces namespaces_;
  std::unique_ptr<Frontend> frontend_;
  std::unique_ptr<DefinitionFolder> folder_;
  source::ClusterOwner owner_;
  std::optional<source::ApiServiceRegistrar> registrar_;
  std::optional<CaSecret> ca_secret_;
  std::optional<OwnDefinitions> own_definitions_;
  std::optional<source::ClusterDefinitions> adoption_;
  std::unique_ptr<CertificateRenewal> renewal_;
};

}  // namespace annex::server
