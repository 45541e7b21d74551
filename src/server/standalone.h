// Standalone: a server without a cluster, all its parts put together.
//
// Threads: the I/O threads of the HTTP server; "store", which writes; "control", on which the controllers of definitions and
// namespaces run. Order of the end: HTTP stops taking requests and finishes those under way; control stops; store stops; then
// everything is destroyed in the reverse order of its making.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "annex/api/api_service.h"
#include "annex/auth/masters_authorizer.h"
#include "annex/auth/request_authenticator.h"
#include "annex/base/clock.h"
#include "annex/base/metrics.h"
#include "annex/base/random.h"
#include "annex/base/serial_thread.h"
#include "annex/http/server.h"
#include "annex/server/options.h"
#include "annex/source/standalone_definitions.h"
#include "annex/source/standalone_namespaces.h"
#include "annex/store/sqlite.h"
#include "annex/store/watch_hub.h"
#include "local_client.h"
#include "pki.h"

namespace annex::server {

class Standalone {
 public:
  // Starts everything; the server answers when it returns. Errors: as the parts have them.
  static base::Result<std::unique_ptr<Standalone>> Start(const ServeOptions& options);
  ~Standalone();
  Standalone(const Standalone&) = delete;
  Standalone& operator=(const Standalone&) = delete;

  std::uint16_t port() const { return http_->port(); }
  // Applies the definitions in the options' folder again.
  base::Result<void> ApplyDefinitionFiles();

 private:
  class Hands;
  explicit Standalone(const ServeOptions& options);

  base::Result<void> OpenStore();
  base::Result<void> SetUpIdentity();
  base::Result<void> StartControllers();
  base::Result<void> MakeDefaultNamespace();
  base::Result<void> StartHttp();
  base::Result<void> WriteKubeconfig();
  base::Result<void> ApplyDefinition(const json::Value& definition);

  const ServeOptions options_;
  base::SystemClock clock_;
  base::SystemRandom random_;
  base::Metrics metrics_;
  base::SerialThread store_thread_{"store"};
  base::SerialThread control_thread_{"control"};
  store::WatchHub hub_;
  std::unique_ptr<store::Store> store_;
  definition::Registry registry_;
  api::Health health_;
  api::BuiltinCollections collections_;
  std::optional<Pki> pki_;
  std::optional<auth::CertificateAndKey> admin_;
  auth::RequestAuthenticator authenticator_;
  auth::MastersAuthorizer authorizer_;
  std::optional<source::StandaloneNamespaces> namespaces_;
  std::unique_ptr<api::ApiService> api_;
  std::unique_ptr<Hands> definition_hands_;
  std::unique_ptr<Hands> namespace_hands_;
  std::optional<source::ResourcePublisher> publisher_;
  std::optional<source::StandaloneDefinitions> definitions_;
  base::TaskScope local_tasks_;
  std::optional<LocalClient> local_;
  std::unique_ptr<http::Server> http_;
};

}  // namespace annex::server
