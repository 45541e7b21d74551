#include "router.h"

#include "custom_resource_strategy.h"
#include "definition_strategy.h"
#include "namespace_strategy.h"

namespace annex::api {
namespace {

// Whether the path's form fits the resource: a cluster-scoped one never stands below a namespace, a
// namespaced one always does, except in lists and watches of all namespaces.
bool ScopeFits(const RequestInfo& info, bool namespaced) {
  if (!namespaced) return !info.namespace_in_path;
  return info.namespace_in_path || (info.parts == 1 && (info.verb == "list" || info.verb == "watch"));
}

}  // namespace

StrategyPtr Router::FindBuiltin(const RequestInfo& info) const {
  if (!serve_builtins_ || info.version != "v1" || info.namespace_in_path || info.parts > 3) return nullptr;
  if (info.group == "apiextensions.k8s.io" && info.resource == "customresourcedefinitions") {
    return std::make_shared<DefinitionStrategy>(builtins_.definitions);
  }
  if (builtins_.namespaces && info.group.empty() && info.resource == "namespaces") {
    return std::make_shared<NamespaceStrategy>(*builtins_.namespaces);
  }
  return nullptr;
}

base::Result<StrategyPtr> Router::FindStrategy(const RequestInfo& info) const {
  if (auto builtin = FindBuiltin(info)) return builtin;
  const auto snapshot = registry_.Current();
  const auto* served = snapshot->Find(info.group, info.version, info.resource);
  if (served == nullptr || !ScopeFits(info, served->resource->namespaced())) return StrategyPtr();
  const auto& webhook = served->resource->webhook();
  if (webhook && webhook->unusable) {
    return base::Error(InternalError("error resolving resource"));
  }
  return std::make_shared<CustomResourceStrategy>(served->resource, *served->version, converter_);
}

base::Task<VerbResult> Router::Dispatch(Context& context) const {
  const RequestInfo& info = context.info;
  for (std::string& warning : context.strategy->RequestWarnings()) context.Warn(std::move(warning));
  // As in kube-apiserver, what stands behind the subresource of a custom resource means nothing.
  if (info.parts >= 3) co_return co_await DispatchSubresource(context);
  if (info.verb == "watch") co_return co_await Watch(context);
  if (info.verb == "list") co_return co_await List(context);
  if (info.verb == "get") co_return co_await Get(context);
  if (info.verb == "create") co_return co_await Create(context);
  const bool named = info.parts == 2;
  if (!named && (info.verb == "update" || info.verb == "patch"))
    co_return base::Error(BadRequest("name must be provided"));
  if (info.verb == "update") co_return co_await Update(context);
  if (info.verb == "patch") co_return co_await Patch(context);
  if (info.verb == "delete") co_return co_await Delete(context);
  if (info.verb == "deletecollection") co_return co_await DeleteCollection(context);
  co_return base::Error(MethodNotSupported(context.resource(), info.verb));
}

base::Task<VerbResult> Router::DispatchSubresource(Context& context) const {
  const RequestInfo& info = context.info;
  const bool status = info.subresource == "status" && context.strategy->HasStatus();
  const bool scale = info.subresource == "scale" && context.strategy->scale() != nullptr;
  if (!status && !scale) co_return base::Error(NotFound(context.resource(), info.name));
  context.subresource = status ? Subresource::kStatus : Subresource::kScale;
  if (info.verb == "get" && status) co_return co_await Get(context);
  if (info.verb == "get") co_return co_await GetScale(context);
  if (info.verb == "update" && status) co_return co_await Update(context);
  if (info.verb == "update") co_return co_await UpdateScale(context);
  if (info.verb == "patch" && status) co_return co_await Patch(context);
  if (info.verb == "patch") co_return co_await PatchScale(context);
  co_return base::Error(MethodNotSupported(context.resource(), info.verb));
}

}  // namespace annex::api
