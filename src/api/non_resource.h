// Paths that are no resources: discovery, OpenAPI, version, health, metrics.
#pragma once

#include "annex/api/health.h"
#include "annex/api/message.h"
#include "annex/base/clock.h"
#include "annex/base/metrics.h"
#include "annex/definition/registry.h"
#include "discovery.h"
#include "negotiation.h"
#include "openapi.h"
#include "query_parameters.h"
#include "request_info.h"

#include <optional>

namespace annex::api {

class NonResource {
 public:
  NonResource(bool builtins, const definition::Registry& registry, const Health& health,
              const base::Clock& clock, base::Metrics& metrics)
      : registry_(registry),
        health_(health),
        clock_(clock),
        metrics_(metrics),
        discovery_(builtins),
        openapi_(builtins) {}

  // The answer; nullopt if there is no such path. Errors: MethodNotAllowed, NotAcceptable.
  base::Result<std::optional<Response>> Serve(const Request& request, const RequestInfo& info,
                                              const QueryParameters& query);

 private:
  std::optional<Response> ServeDiscovery(const Request& request, const RequestInfo& info,
                                         const QueryParameters& query);
  Response ServeAggregated(const Request& request, const definition::Snapshot& snapshot, bool core,
                           const OutputFormat& format);
  Response ServeHealth(std::string_view endpoint, std::string_view one, const QueryParameters& query) const;

  const definition::Registry& registry_;
  const Health& health_;
  const base::Clock& clock_;
  base::Metrics& metrics_;
  Discovery discovery_;
  OpenApi openapi_;
};

}  // namespace annex::api
