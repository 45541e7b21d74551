// What a verb works with: the server's parts, and one request on its way.
#pragma once

#include "annex/api/message.h"
#include "annex/auth/authorizer.h"
#include "annex/auth/user.h"
#include "annex/base/clock.h"
#include "annex/base/random.h"
#include "annex/definition/namespaces.h"
#include "annex/definition/registry.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"
#include "query_parameters.h"
#include "request_info.h"
#include "strategy.h"

#include <string>
#include <utility>
#include <vector>

namespace annex::api {

class SharedConversions;

// References to parts that outlive every request.
struct Parts {
  store::Store& store;
  store::WatchHub& hub;
  const definition::Registry& registry;
  definition::NamespaceLookup& namespaces;
  SharedConversions& conversions;
  const base::Clock& clock;
  base::Random& random;
  auth::Authorizer& authorizer;
};

// One request. Lives in the coroutine that serves it.
struct Context {
  Parts& parts;
  Request request;
  QueryParameters query;
  RequestInfo info;
  auth::User user;
  StrategyPtr strategy;
  Subresource subresource = Subresource::kNone;
  // Become Warning headers, each once, in this order.
  std::vector<std::string> warnings = {};

  base::Executor& executor() const { return *request.executor; }
  GroupResource resource() const { return strategy->resource(); }
  // The store's key of the object that the URL names. Errors: BadRequest, if nothing can have that name.
  base::Result<std::string> Key() const;
  void Warn(std::string warning) {
    for (const std::string& known : warnings) {
      if (known == warning) return;
    }
    warnings.push_back(std::move(warning));
  }
};

using VerbResult = base::Result<Response>;

// An answer whose body is complete.
inline Response BodyResponse(int status, std::string_view content_type, std::string body) {
  Response response;
  response.status = status;
  response.headers.Add("content-type", std::string(content_type));
  response.body = std::move(body);
  return response;
}

}  // namespace annex::api
