// ApiService: the whole API as a Service.
//
//   request -> RequestInfo -> identity -> authorization -> route -> verb -> answer
//
// docs/architecture.md, "Life of a request", follows one through.
#pragma once

#include "annex/api/health.h"
#include "annex/api/message.h"
#include "annex/auth/authenticator.h"
#include "annex/auth/authorizer.h"
#include "annex/auth/user.h"
#include "annex/base/clock.h"
#include "annex/base/metrics.h"
#include "annex/base/random.h"
#include "annex/base/task.h"
#include "annex/definition/namespaces.h"
#include "annex/definition/registry.h"
#include "annex/json/value.h"
#include "annex/kube/webhook_caller.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace annex::api {

// The types beside custom resources.
struct Builtins {
  store::CollectionId definitions = 0;
  std::optional<store::CollectionId> namespaces;  // nullopt: the cluster has them
  bool served = false;  // to clients; else they are for ServeLocally alone, and the cluster serves its own
};

// All references must outlive the service.
struct ApiParts {
  store::Store& store;
  store::WatchHub& hub;
  const definition::Registry& registry;
  definition::NamespaceLookup& namespaces;
  auth::Authenticator& authenticator;
  auth::Authorizer& authorizer;
  kube::WebhookCaller& webhooks;
  const Health& health;
  const base::Clock& clock;
  base::Random& random;
  base::Metrics& metrics;
};

class ApiService final : public Service {
 public:
  ApiService(const ApiParts& parts, const Builtins& builtins);
  ~ApiService() override;

  base::Task<Response> Serve(Request request) override;

  // Serves a request of this process itself, as `user` and past authorization; all built-in types are there.
  base::Task<Response> ServeLocally(Request request, auth::User user);

  // Deletes the objects of a resource, each with its finalizers honoured, in one namespace or (namespace_name
  // empty) everywhere. The result is how many are left: objects whose finalizers somebody else has to remove.
  // For the ends of definitions and, in standalone mode, of namespaces. Runs on `executor`.
  base::Task<base::Result<std::int64_t>> DeleteObjects(std::shared_ptr<const definition::Resource> resource,
                                                       std::string namespace_name, base::Executor& executor);

  // Changes a definition or namespace for its controller, past the rules for clients: `change` edits the
  // object and returns whether there is anything to write; it is called again after a lost race. An object
  // under deletion that has no finalizers left is removed. One that does not exist is no error. REQUIRES:
  // there is such a type.
  enum class Builtin : std::uint8_t { kDefinition, kNamespace };
  base::Task<base::Result<void>> UpdateBuiltin(Builtin type, std::string name,
                                               std::function<bool(json::Value&)> change,
                                               base::Executor& executor);

  // The form in which an object of the storage version is stored, all of its metadata kept but the
  // resourceVersion: for objects that come from another server with the same definition. Errors: Invalid.
  base::Result<store::Mutation::State> StoredForm(std::shared_ptr<const definition::Resource> resource,
                                                  json::Value object);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace annex::api
