// Standalone: a server without a cluster, all its parts put together.
#pragma once

#include "annex/auth/masters_authorizer.h"
#include "annex/auth/request_authenticator.h"
#include "annex/kube/service_resolver.h"
#include "annex/server/options.h"
#include "annex/source/standalone_namespaces.h"
#include "certificate_renewal.h"
#include "definition_folder.h"
#include "foundation.h"
#include "frontend.h"
#include "pki.h"

#include <memory>
#include <optional>
#include <string>

namespace annex::server {

class Standalone {
 public:
  // Starts everything; the server answers when it returns. Errors: as the parts have them.
  static base::Result<std::unique_ptr<Standalone>> Start(const ServeOptions& options);
  ~Standalone();
  Standalone(const Standalone&) = delete;
  Standalone& operator=(const Standalone&) = delete;

 private:
  class NamespaceHands;
  explicit Standalone(std::unique_ptr<Foundation> foundation);

  base::Result<void> SetUpIdentity();
  base::Result<void> StartFrontend();
  base::Result<void> MakeDefaultNamespace();
  // Brings the file to the administrator's certificate and the serving authority as they are now.
  base::Result<void> WriteKubeconfig();
  base::Result<void> StartRenewal();

  const std::unique_ptr<Foundation> foundation_;
  std::optional<Pki> pki_;
  auth::RequestAuthenticator authenticator_;
  auth::MastersAuthorizer authorizer_;
  kube::NoServices services_;
  std::unique_ptr<NamespaceHands> namespace_hands_;
  std::optional<source::StandaloneNamespaces> namespaces_;
  std::unique_ptr<Frontend> frontend_;
  std::unique_ptr<DefinitionFolder> folder_;
  std::string kubeconfig_;  // what the file has
  std::unique_ptr<CertificateRenewal> renewal_;
};

}  // namespace annex::server
