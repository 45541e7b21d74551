#include "annex/api/api_service.h"

#include "access.h"
#include "annex/base/check.h"
#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/conversion/webhook_converter.h"
#include "annex/schema/go_duration.h"
#include "answer.h"
#include "builtin_routes.h"
#include "context.h"
#include "control_object.h"
#include "custom_resource_strategy.h"
#include "definition_strategy.h"
#include "deletions.h"
#include "namespace_strategy.h"
#include "non_resource.h"
#include "request_metrics.h"
#include "router.h"
#include "shared_conversions.h"
#include "status_text.h"

#include <algorithm>
#include <utility>

namespace annex::api {
namespace {

// A path segment that says what went wrong is short; what clients sent is not repeated at any length.
constexpr std::size_t kLoggedTarget = 512;

// How long a request may take, which a watch says otherwise. Nothing here takes as long as clients allow for,
// but a value that is no duration is refused.
base::Result<void> CheckTimeout(const Context& context) {
  const std::string& timeout = context.query.Get("timeout");
  if (timeout.empty() || context.info.verb == "watch" || context.info.verb == "proxy") return {};
  const auto duration = schema::CheckGoDuration(timeout);
  if (duration) return {};
  return base::Error(BadRequest("invalid timeout specified in the request URL - " + duration.error()));
}

// A path that ends where the words of a watch begin.
Response NoRequestInfo(std::string_view path) {
  const std::string text(path);
  Response response = TextResponse(
      500, "Internal Server Error: " + base::Quote(text) +
               ": failed to create RequestInfo: unable to determine kind and namespace from url, " + text +
               "\n");
  return response;
}

// Below this, an answer is not worth the time (k8s.io/apiserver/pkg/endpoints/handlers/responsewriters).
constexpr std::size_t kMinCompressed = 128UL * 1024;

// Large objects and lists, for clients that name gzip and say nothing more of it. Events of a watch are sent
// one by one.
bool MayCompress(const Context& context, const Response& response) {
  if (!context.strategy || context.info.verb == "watch") return false;
  if (!response.stream && response.body.size() <= kMinCompressed) return false;
  const auto codings = base::Split(context.request.headers.First("accept-encoding"), ',');
  return std::any_of(codings.begin(), codings.end(),
                     [](std::string_view coding) { return base::TrimSpace(coding) == "gzip"; });
}

// Acting for somebody else needs a right that nothing here checks yet; ignoring the wish would run the
// request with more rights.
bool AsksForImpersonation(const base::Headers& headers) {
  for (const base::Header& header : headers) {
    if (header.name.starts_with("impersonate-")) return true;
  }
  return false;
}

}  // namespace

class ApiService::Implementation {
 public:
  Implementation(const ApiParts& parts, const Builtins& builtins)
      : converter_({parts.webhooks, parts.random, parts.clock, parts.metrics}),
        parts_{parts.store,  parts.hub,   parts.registry, parts.namespaces,
               conversions_, parts.clock, parts.random,   parts.authorizer},
        authenticator_(parts.authenticator),
        metrics_(parts.metrics),
        builtins_(builtins),
        router_(parts.registry, converter_, builtins, builtins.served),
        local_router_(parts.registry, converter_, builtins, true),
        non_resource_(builtins.served, parts.registry, parts.health, parts.clock, parts.metrics) {}

  // `local`: who it is, if the request comes from this process itself.
  base::Task<Response> Serve(Request request, std::optional<auth::User> local) {
    const auto begin = parts_.clock.Monotonic();
    const RequestMetrics::UnderWay under_way = metrics_.Begin(request.method);
    const auto question = request.target.find('?');
    Context context{parts_, std::move(request), {}, {}, {}, nullptr};
    const std::string_view target = context.request.target;
    context.query =
        QueryParameters(question == std::string::npos ? std::string_view() : target.substr(question + 1));
    std::string audit_id(context.request.headers.First("audit-id"));
    if (audit_id.empty() || audit_id.size() > 64) audit_id = parts_.random.Uuid();

    auto answered = co_await Answer(context, target.substr(0, question), std::move(local));
    Response response = answered ? *std::move(answered)
                                 : ErrorResponse(context.request.headers, context.query, answered.error());
    AddWarnings(response, context.warnings);
    response.headers.Add("audit-id", std::move(audit_id));
    // kube-apiserver knows what an answer is of before it says that none may be kept.
    if (!context.info.incomplete && !response.headers.Has("cache-control"))
      response.headers.Add("cache-control", "no-cache, private");
    const auto duration = parts_.clock.Monotonic() - begin;
    metrics_.Count({context.info, context.query, context.strategy != nullptr, response.status, duration,
                    response.body.size()});
    LogServed(context, response, duration);
    response.gzip = MayCompress(context, response);
    co_return response;
  }

  base::Task<base::Result<std::int64_t>> DeleteObjects(std::shared_ptr<const definition::Resource> resource,
                                                       std::string namespace_name, base::Executor& executor) {
    const definition::Version& storage = resource->storage_version();
    StrategyPtr strategy = std::make_shared<CustomResourceStrategy>(resource, storage, converter_);
    std::string prefix = namespace_name.empty() ? "" : namespace_name + "/";
    co_return co_await DeleteAll(parts_, std::move(strategy), std::move(prefix), executor);
  }

  base::Result<store::Mutation::State> StoredForm(std::shared_ptr<const definition::Resource> resource,
                                                  json::Value object) {
    const definition::Version& storage = resource->storage_version();
    return CustomResourceStrategy(std::move(resource), storage, converter_).ToStored(std::move(object));
  }

  base::Task<base::Result<void>> UpdateBuiltin(Builtin type, std::string name,
                                               std::function<bool(json::Value&)> change,
                                               base::Executor& executor) {
    StrategyPtr strategy;
    if (type == Builtin::kDefinition) {
      strategy = std::make_shared<DefinitionStrategy>(builtins_.definitions);
    } else {
      ANNEX_CHECK(builtins_.namespaces.has_value(), "the cluster's namespaces are not ours to change");
      strategy = std::make_shared<NamespaceStrategy>(*builtins_.namespaces);
    }
    co_return co_await ControlObject(parts_, std::move(strategy), std::move(name), std::move(change),
                                     executor);
  }

 private:
  base::Task<VerbResult> Answer(Context& context, std::string_view path, std::optional<auth::User> local) {
    ANNEX_CO_TRY(context.info, ParseRequestInfo(context.request.method, path, context.query));
    if (context.info.incomplete) co_return NoRequestInfo(path);
    ANNEX_CO_RETURN_IF_ERROR(CheckTimeout(context));
    if (AsksForImpersonation(context.request.headers)) {
      co_return base::Error(BadRequest("impersonation headers are not supported by this server"));
    }
    const Router& router = local ? local_router_ : router_;
    if (local) {
      context.user = *std::move(local);
    } else {
      ANNEX_CO_RETURN_IF_ERROR(co_await CheckAccess(context));
      if (builtins_.served) {
        ANNEX_CO_RETURN_IF_ERROR(
            CheckBuiltinRoute(context.request.method, context.info, context.request.headers));
      }
    }
    if (context.request.body_too_large)
      co_return base::Error(RequestEntityTooLarge(context.request.body_limit));
    if (!context.info.resource_request) {
      ANNEX_CO_TRY(auto response, non_resource_.Serve(context.request, context.info, context.query));
      co_return response ? *std::move(response) : PageNotFound();
    }
    ANNEX_CO_TRY(context.strategy, router.FindStrategy(context.info));
    if (!context.strategy) co_return PageNotFound();
    ANNEX_CO_RETURN_IF_ERROR(co_await LearnNamespace(context));
    co_return co_await router.Dispatch(context);
  }

  // A namespace that an object is written in may have been made a moment ago.
  base::Task<base::Result<void>> LearnNamespace(const Context& context) {
    const std::string& name = context.info.namespace_name;
    const std::string& verb = context.info.verb;
    const bool writes = verb == "create" || verb == "update" || verb == "patch";
    if (!writes || !context.strategy->namespaced()) co_return base::Result<void>();
    if (parts_.namespaces.State(name) != definition::NamespaceState::kMissing) co_return base::Result<void>();
    co_return co_await parts_.namespaces.Refresh(name, context.executor());
  }

  // Who is it, and may they?
  base::Task<base::Result<void>> CheckAccess(Context& context) {
    const auth::Credentials credentials{context.request.headers, *context.request.peer, context.executor()};
    ANNEX_CO_TRY(context.user, co_await authenticator_.Authenticate(credentials));
    co_return co_await CheckAllowed(context, context.info.verb);
  }

  static void LogServed(const Context& context, const Response& response,
                        std::chrono::steady_clock::duration duration) {
    const bool failed = response.status >= 500;
    if (!failed && !base::LogEnabled(base::LogLevel::kDebug)) return;
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
    base::Log(failed ? base::LogLevel::kWarning : base::LogLevel::kDebug, "Served",
              {{"method", context.request.method},
               {"target", context.request.target.substr(0, kLoggedTarget)},
               {"user", context.user.name},
               {"client", context.request.remote_address},
               {"code", response.status},
               {"micros", static_cast<std::int64_t>(micros)}});
  }

  conversion::WebhookConverter converter_;
  SharedConversions conversions_;
  Parts parts_;
  auth::Authenticator& authenticator_;
  RequestMetrics metrics_;
  const Builtins builtins_;
  const Router router_;
  const Router local_router_;
  NonResource non_resource_;
};

ApiService::ApiService(const ApiParts& parts, const Builtins& builtins)
    : implementation_(std::make_unique<Implementation>(parts, builtins)) {}
ApiService::~ApiService() = default;

base::Task<Response> ApiService::Serve(Request request) {
  return implementation_->Serve(std::move(request), std::nullopt);
}

base::Task<Response> ApiService::ServeLocally(Request request, auth::User user) {
  return implementation_->Serve(std::move(request), std::move(user));
}

base::Result<store::Mutation::State> ApiService::StoredForm(
    std::shared_ptr<const definition::Resource> resource, json::Value object) {
  return implementation_->StoredForm(std::move(resource), std::move(object));
}

base::Task<base::Result<std::int64_t>> ApiService::DeleteObjects(
    std::shared_ptr<const definition::Resource> resource, std::string namespace_name,
    base::Executor& executor) {
  return implementation_->DeleteObjects(std::move(resource), std::move(namespace_name), executor);
}

base::Task<base::Result<void>> ApiService::UpdateBuiltin(Builtin type, std::string name,
                                                         std::function<bool(json::Value&)> change,
                                                         base::Executor& executor) {
  return implementation_->UpdateBuiltin(type, std::move(name), std::move(change), executor);
}

}  // namespace annex::api
