// Router: from a RequestInfo to the resource and verb that serve it.
#pragma once

#include "annex/api/api_service.h"
#include "annex/base/task.h"
#include "annex/conversion/webhook_converter.h"
#include "context.h"
#include "verbs.h"

#include <optional>
#include <variant>

namespace annex::api {

class Router {
 public:
  // `serve_builtins`: whether the types beside custom resources have paths here.
  Router(const definition::Registry& registry, conversion::WebhookConverter& converter,
         const Builtins& builtins, bool serve_builtins)
      : registry_(registry), converter_(converter), builtins_(builtins), serve_builtins_(serve_builtins) {}

  // The strategy of the request's resource; nullptr if nothing is served at this path (404 as text). Errors:
  // InternalError (a definition that cannot be served as it is).
  base::Result<StrategyPtr> FindStrategy(const RequestInfo& info) const;

  // Carries the request out. REQUIRES: context.strategy is what FindStrategy gave.
  base::Task<VerbResult> Dispatch(Context& context) const;

 private:
  StrategyPtr FindBuiltin(const RequestInfo& info) const;
  base::Task<VerbResult> DispatchSubresource(Context& context) const;

  const definition::Registry& registry_;
  conversion::WebhookConverter& converter_;
  const Builtins builtins_;
  const bool serve_builtins_;
};

}  // namespace annex::api
