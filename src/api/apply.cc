#include "apply.h"

#include "access.h"
#include "apply_document.h"
#include "create.h"
#include "field_management.h"
#include "guaranteed_update.h"
#include "object_checks.h"
#include "presenter.h"
#include "stored_form.h"

#include <utility>

namespace annex::api {
namespace {

using json::Value;

// One apply, which may be tried on several states of the object.
struct Application {
  const ApplyDocument document;
  const WriteOptions options;
  const ownership::FieldManager::Writer writer;
};

base::Status UidMismatch(const Context& context, const std::string& uid) {
  return Conflict(
      context.resource(), context.info.name,
      "uid mismatch: the provided object specified uid " + uid + ", and no existing object was found");
}

// `live` (an object without UID: there is none) with what is applied. Errors: as FieldManager::Apply.
base::Result<Value> ApplyTo(Context& context, const Application& application,
                            const ownership::Versions& versions, Value live) {
  const Value live_managed = TakeManagedFields(live);
  const bool exists = !json::TextAt(live, {"metadata", "uid"}).empty();
  const ownership::FieldManager manager = FieldManagerFor(context, versions, context.subresource);
  ANNEX_TRY(auto applied, manager.Apply(live, live_managed, application.document.object(), application.writer,
                                        application.options.force));
  ANNEX_RETURN_IF_ERROR(application.document.Complain(context, application.options.field_validation));
  Value object = std::move(applied.object);
  if (applied.changed) ANNEX_RETURN_IF_ERROR(context.strategy->CompleteApplied(object));
  SetManagedFields(object, std::move(applied.managed_fields));
  const std::string& uid = json::TextAt(object, {"metadata", "uid"});
  if (!exists && !uid.empty()) return base::Error(UidMismatch(context, uid));
  ANNEX_RETURN_IF_ERROR(EnsureNamespace(context, object));
  ANNEX_RETURN_IF_ERROR(CheckNameMatches(context, object));
  DedupOwnerReferences(context, object);
  return object;
}

// The object that the apply makes where there is none. Errors: as any create's.
base::Task<base::Result<Value>> MakeObject(Context& context, const Application& application) {
  // There are no owners yet whose versions could differ.
  const ownership::Versions& versions = context.strategy->versions();
  ANNEX_CO_TRY(Value object, ApplyTo(context, application, versions, context.strategy->NewObject()));
  ANNEX_CO_RETURN_IF_ERROR(CheckNamespaceLifecycle(context, context.info.name, true));
  ANNEX_CO_RETURN_IF_ERROR(context.strategy->CheckCreatable(context.info.name));
  WipeSystemFields(object);
  object["metadata"].erase("resourceVersion");  // it has nothing to fit to
  FillSystemFields(context, object);
  ANNEX_CO_RETURN_IF_ERROR(ValidateNew(context, object, application.options.dry_run));
  ANNEX_CO_RETURN_IF_ERROR(co_await CheckAllowed(context, "create"));
  co_return object;
}

// Creates the object; nullopt if somebody was faster.
base::Task<base::Result<std::optional<Updated>>> CreateApplied(Context& context,
                                                               const Application& application) {
  ANNEX_CO_TRY(Value object, co_await MakeObject(context, application));
  if (application.options.dry_run) {
    ANNEX_CO_TRY(object, co_await StoreAndReadBack(*context.strategy, std::move(object), context.executor()));
    co_return Updated{nullptr, std::move(object)};
  }
  store::Mutation mutation;
  mutation.collection = context.strategy->collection();
  ANNEX_CO_TRY(mutation.key, context.Key());
  ANNEX_CO_TRY(mutation.next,
               co_await MakeBounded(*context.strategy, std::move(object), Owners::kKept, context.executor()));
  const auto committed = co_await Commit(context, std::move(mutation));
  if (committed) co_return Updated{committed->object, std::nullopt};
  if (committed.error().reason == base::Reason::kConflict) co_return std::optional<Updated>();
  if (committed.error().reason == base::Reason::kNotFound)
    co_return base::Error(NotFound(context.resource(), context.info.name));
  co_return base::Error(committed.error());
}

base::Task<base::Result<Updated>> UpdateApplied(Context& context, const Application& application) {
  UpdatePlan plan;
  plan.make = [&](const Value& existing, const ownership::Versions& versions) {
    return ApplyTo(context, application, versions, existing);
  };
  plan.dry_run = application.options.dry_run;
  plan.subresource = context.subresource;
  co_return co_await GuaranteedUpdate(context, std::move(plan));
}

}  // namespace

base::Task<VerbResult> Apply(Context& context) {
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  ANNEX_CO_TRY(const WriteOptions options, ReadApplyOptions(context.query));
  ANNEX_CO_TRY(const IncludeObject include, ReadIncludeObject(context.query, format.form));
  ANNEX_CO_TRY(const std::string key, context.Key());
  if (context.subresource != Subresource::kNone) {
    // Only whole objects are created.
    ANNEX_CO_TRY(const auto seen, context.parts.store.Load(context.strategy->collection(), key));
    if (!seen) co_return base::Error(NotFound(context.resource(), context.info.name));
  }
  ANNEX_CO_TRY(ApplyDocument document, ApplyDocument::Read(context.request.body));
  const Application application{std::move(document), options, WriterOf(context, options.field_manager)};
  const Presenter presenter(context.strategy, format, include, context.parts.clock);
  while (true) {
    ANNEX_CO_TRY(const auto seen, context.parts.store.Load(context.strategy->collection(), key));
    if (!seen && context.subresource != Subresource::kNone)
      co_return base::Error(NotFound(context.resource(), context.info.name));
    if (!seen) {
      ANNEX_CO_TRY(auto created, co_await CreateApplied(context, application));
      if (!created) continue;
      ANNEX_CO_TRY(Response response, co_await UpdatedResponse(context, presenter, *std::move(created)));
      response.status = 201;
      co_return response;
    }
    auto updated = co_await UpdateApplied(context, application);
    if (updated) co_return co_await UpdatedResponse(context, presenter, *std::move(updated));
    if (updated.error().reason != base::Reason::kNotFound) co_return base::Error(updated.error());
    // If it was deleted meanwhile, it is made again.
    ANNEX_CO_TRY(const auto still, context.parts.store.Load(context.strategy->collection(), key));
    if (still) co_return base::Error(updated.error());
  }
}

}  // namespace annex::api
