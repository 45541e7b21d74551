#include "guaranteed_update.h"

#include "annex/base/strings.h"
#include "annex/ownership/managed_fields.h"
#include "annex/schema/object_meta.h"
#include "field_management.h"
#include "field_versions.h"
#include "object_checks.h"
#include "stored_form.h"

#include <memory>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

// The revision that the new state claims to follow. Errors: as kube-apiserver has them.
base::Result<void> CheckResourceVersion(const Context& context, Value& object, store::Revision existing) {
  Value& metadata = object["metadata"];
  const std::string& text = json::TextAt(metadata, {"resourceVersion"});
  std::uint64_t claimed = 0;
  if (!text.empty()) {
    const auto parsed = base::ParseUint64(text);
    if (!parsed) return base::Error(Unspecified(ParseUintProblem(text)));
    claimed = *parsed;
  }
  if (claimed == 0 && context.strategy->AllowsUnconditionalUpdate()) {
    metadata["resourceVersion"] = std::to_string(existing);
    return {};
  }
  if (claimed == 0) {
    // The kind in this message really is the plural.
    const json::FieldErrors errors = {json::InvalidError(json::FieldPath("metadata.resourceVersion"), 0,
                                                         "must be specified for an update")};
    return base::Error(
        Invalid(context.strategy->group(), context.strategy->plural(), context.info.name, errors));
  }
  if (claimed != static_cast<std::uint64_t>(existing))
    return base::Error(ObjectModified(context.resource(), context.info.name));
  return {};
}

// What a client cannot change comes from the present state.
void RestoreSystemFields(Value& object, const Value& existing) {
  Value& metadata = object["metadata"];
  const Value& old_metadata = *json::Find(existing, "metadata");
  if (json::TextAt(metadata, {"uid"}).empty()) metadata["uid"] = json::TextAt(old_metadata, {"uid"});
  for (const char* field : {"creationTimestamp", "deletionTimestamp"}) {
    if (const Value* old = json::Find(old_metadata, field); old != nullptr) metadata[field] = *old;
  }
  const Value* grace = json::Find(old_metadata, "deletionGracePeriodSeconds");
  if (grace != nullptr && json::Find(metadata, "deletionGracePeriodSeconds") == nullptr) {
    metadata["deletionGracePeriodSeconds"] = *grace;
  }
}

base::Result<void> PrepareAndValidate(Context& context, Value& object, const Value& existing,
                                      Subresource subresource) {
  const Strategy& strategy = *context.strategy;
  ANNEX_RETURN_IF_ERROR(EnsureNamespace(context, object));
  if (const Value* generation = json::FindPath(existing, {"metadata", "generation"})) {
    object["metadata"]["generation"] = *generation;
  } else {
    object["metadata"].erase("generation");
  }
  strategy.PrepareForUpdate(object, existing, subresource);
  RestoreSystemFields(object, existing);

  const Value& metadata = *json::Find(object, "metadata");
  schema::ObjectMetaRules rules;
  rules.namespaced = strategy.namespaced();
  rules.name_check = [](std::string_view name, bool) { return base::CheckPathSegment(name); };
  json::FieldErrors errors = schema::ValidateObjectMeta(metadata, rules, json::FieldPath("metadata"));
  json::Append(errors, schema::ValidateObjectMetaUpdate(metadata, *json::Find(existing, "metadata"),
                                                        json::FieldPath("metadata")));
  json::Append(errors, strategy.ValidateUpdate(object, existing, subresource));
  if (!errors.empty()) {
    // An object that claims to be of another type is called that.
    const std::string& api_version = json::TextAt(object, {"apiVersion"});
    const auto slash = api_version.find('/');
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    return base::Error(Invalid(group, json::TextAt(object, {"kind"}), context.info.name, errors));
  }
  for (std::string& warning : strategy.WarningsFor(object, &existing)) context.Warn(std::move(warning));
  return {};
}

// An object under deletion goes once nothing has to happen before.
bool DeletesNow(const Strategy& strategy, const Value& object, const Value& existing) {
  const Value* grace = json::FindPath(existing, {"metadata", "deletionGracePeriodSeconds"});
  const bool under_deletion = json::FindPath(existing, {"metadata", "deletionTimestamp"}) != nullptr;
  return under_deletion && (grace == nullptr || *grace == 0) && !strategy.HasPendingFinalizers(object);
}

// One try: what is to be committed, or the outcome if nothing is.
struct Attempt {
  std::optional<Updated> done;
  store::Mutation mutation;
  std::optional<Value> deleted;  // the last state, if the mutation deletes
};

// The wished state with its owners. `rewritten`: as for TrackUpdate.
base::Task<base::Result<Value>> MakeAndTrack(Context& context, const UpdatePlan& plan, Value& existing,
                                             bool rewritten) {
  FieldVersions versions(*context.strategy);
  while (true) {
    auto object = plan.make(existing, versions);
    if (object && !(*object)["metadata"].is_object()) (*object)["metadata"] = Value::object();
    if (object && plan.writer)
      TrackUpdate(context, versions, existing, *object, *plan.writer, plan.subresource, rewritten);
    if (!versions.Missing()) co_return object;
    ANNEX_CO_RETURN_IF_ERROR(co_await versions.Fetch(context.executor()));
  }
}

base::Task<base::Result<Attempt>> TryUpdate(Context& context, const UpdatePlan& plan) {
  const Strategy& strategy = *context.strategy;
  Attempt attempt;
  attempt.mutation.collection = strategy.collection();
  ANNEX_CO_TRY(attempt.mutation.key, context.Key());
  ANNEX_CO_TRY(store::ObjectPtr seen,
               context.parts.store.Load(attempt.mutation.collection, attempt.mutation.key));
  if (!seen) co_return base::Error(NotFound(context.resource(), context.info.name));
  ANNEX_CO_TRY(Value existing, co_await ReadObject(strategy, seen, context.executor()));
  const bool rewritten = strategy.ServesAsStored(seen->format);
  ANNEX_CO_TRY(Value object, co_await MakeAndTrack(context, plan, existing, rewritten));

  const std::string& existing_uid = json::TextAt(existing, {"metadata", "uid"});
  if (!plan.uid.empty() && plan.uid != existing_uid) {
    co_return base::Error(
        UidPrecondition(context.resource(), attempt.mutation.key, context.info.name, plan.uid, existing_uid));
  }
  ANNEX_CO_RETURN_IF_ERROR(CheckResourceVersion(context, object, seen->revision));
  ANNEX_CO_RETURN_IF_ERROR(CheckNamespaceLifecycle(context, context.info.name, false));
  ANNEX_CO_RETURN_IF_ERROR(PrepareAndValidate(context, object, existing, plan.subresource));
  ownership::IgnoreTimesOfNoChange(object, existing);

  attempt.mutation.seen = seen;
  const bool deletes = DeletesNow(strategy, object, existing);
  if (plan.dry_run) {
    ANNEX_CO_TRY(object, co_await StoreAndReadBack(strategy, std::move(object), context.executor()));
    attempt.done = Updated{nullptr, std::move(object)};
    co_return attempt;
  }
  if (deletes) {
    attempt.deleted = std::move(object);
    co_return attempt;
  }
  const Owners owners = plan.writer ? Owners::kDroppedIfTooLarge : Owners::kKept;
  ANNEX_CO_TRY(store::Mutation::State next,
               co_await MakeBounded(strategy, std::move(object), owners, context.executor()));
  if (next.body.bytes == seen->body.bytes) {
    attempt.done = Updated{std::move(seen), std::nullopt};
    co_return attempt;
  }
  attempt.mutation.next = std::move(next);
  co_return attempt;
}

}  // namespace

base::Await<base::Result<store::Committed>> Commit(Context& context, store::Mutation mutation) {
  // std::function must be copyable, the mutation is moved once.
  auto shared = std::make_shared<store::Mutation>(std::move(mutation));
  store::Store& store = context.parts.store;
  return {context.executor(), [shared, &store](base::Await<base::Result<store::Committed>>::Done done) {
            store.Commit(std::move(*shared), std::move(done));
          }};
}

base::Task<base::Result<Updated>> GuaranteedUpdate(Context& context, UpdatePlan plan) {
  while (true) {
    ANNEX_CO_TRY(Attempt attempt, co_await TryUpdate(context, plan));
    if (attempt.done) co_return *std::move(attempt.done);
    auto committed = co_await Commit(context, std::move(attempt.mutation));
    // The answer shows the object as it would have been, with the resourceVersion that it had.
    if (committed && attempt.deleted) co_return Updated{nullptr, std::move(attempt.deleted)};
    if (committed) co_return Updated{committed->object, std::nullopt};
    if (committed.error().reason == base::Reason::kNotFound) {
      co_return base::Error(NotFound(context.resource(), context.info.name));
    }
    // A lost race: once more from the state that won. A client's own resourceVersion no longer fits then.
    if (committed.error().reason != base::Reason::kConflict) co_return base::Error(committed.error());
  }
}

base::Task<VerbResult> UpdatedResponse(Context& context, const Presenter& presenter, Updated updated) {
  if (updated.stored) co_return co_await ObjectResponse(context, presenter, 200, std::move(updated.stored));
  ANNEX_CO_TRY(std::string body, presenter.Document(*updated.object));
  co_return BodyResponse(200, presenter.format().ContentType(), std::move(body));
}

}  // namespace annex::api
