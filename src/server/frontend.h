// Frontend: what serves requests in every mode: the API over the resources of the definitions in the store,
// and the HTTP server.
//
// Definitions are objects of the store in every mode. Standalone, clients write them; behind a cluster they
// come from files, clients do not see them, and the objects of a definition that is withdrawn stay.
#pragma once

#include "annex/api/api_service.h"
#include "annex/auth/authenticator.h"
#include "annex/auth/authorizer.h"
#include "annex/definition/namespaces.h"
#include "annex/http/server.h"
#include "annex/kube/webhook_client.h"
#include "annex/source/controlled_objects.h"
#include "annex/source/definition_controller.h"
#include "annex/source/resource_publisher.h"
#include "foundation.h"
#include "local_client.h"
#include "pki.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace annex::server {

class Frontend {
 public:
  // All references must outlive the Frontend.
  struct Parts {
    Foundation& foundation;
    definition::NamespaceLookup& namespaces;
    auth::Authenticator& authenticator;
    auth::Authorizer& authorizer;
    kube::ServiceResolver& services;
    std::optional<store::CollectionId> namespace_collection;  // standalone
    bool serve_builtins = false;
    source::DefinitionController::Objects objects = source::DefinitionController::Objects::kDelete;
  };
  // Serves the definitions of the store, to Listen's and to local clients. Errors: InternalError (the store).
  static base::Result<std::unique_ptr<Frontend>> Start(const Parts& parts);
  ~Frontend();

  // Binds, with the certificate of the options or one of `pki`, which must outlive the Frontend, for `names`;
  // clients wait until Serve. Errors: as http::Server::Bind.
  base::Result<void> Listen(const Pki& pki, std::vector<std::string> names);
  // Shows the certificate that is right now to connections that begin from now on. Called by one thread at a
  // time. Errors: NotFound, InternalError, Invalid (it cannot be used; the present one stays).
  // REQUIRES: it listens.
  base::Result<void> RenewIdentity();
  // The port; REQUIRES: it listens.
  std::uint16_t port() const { return http_->port(); }
  // Takes requests from now on. REQUIRES: it listens.
  void Serve() { http_->Serve(); }
  // Takes no more requests, and ends those under way.
  void StopListening();

  api::ApiService& api() { return api_; }
  source::ResourcePublisher& publisher() { return publisher_; }
  LocalClient& local() { return local_; }

 private:
  class DefinitionHands;
  Frontend(const Parts& parts, store::CollectionId definitions);
  base::Result<http::Identity> LoadIdentity() const;

  Foundation& foundation_;
  kube::WebhookClient webhooks_;
  api::ApiService api_;
  source::ResourcePublisher publisher_;
  const std::unique_ptr<DefinitionHands> definition_hands_;
  source::DefinitionController definitions_;
  base::TaskScope local_tasks_;
  LocalClient local_;
  const Pki* pki_ = nullptr;  // this and the next two: set by Listen
  std::vector<std::string> serving_names_;
  http::Identity identity_;  // what http_ shows
  std::unique_ptr<http::Server> http_;
};

// The folder of the certificate that is served: the operator's, or the Pki's.
std::string CertificateFolder(const ServeOptions& options, const Pki& pki);
// How a client on this machine reaches a server that listens on `address`, which may stand for all addresses.
std::string LocalAddress(const std::string& address);
// The names and addresses that a serving certificate is for in any case.
std::vector<std::string> LocalNames(const ServeOptions& options);

}  // namespace annex::server
