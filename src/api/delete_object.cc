#include "delete_object.h"

#include "annex/base/clock.h"
#include "guaranteed_update.h"
#include "member_text.h"
#include "stored_form.h"

#include <algorithm>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

constexpr const char* kOrphan = "orphan";
constexpr const char* kForeground = "foregroundDeletion";

bool HasFinalizer(const Value& object, const char* name) {
  const auto& finalizers = json::ItemsAt(object, {"metadata", "finalizers"});
  return std::find(finalizers.begin(), finalizers.end(), Value(name)) != finalizers.end();
}

// Which of the garbage collector's finalizers the object gets: the request decides, else what it has already.
struct Dependents {
  bool orphan = false;
  bool delete_first = false;
};
Dependents DependentsPolicy(const Value& object, const DeleteOptions& options) {
  if (options.orphan_dependents) return {*options.orphan_dependents, false};
  switch (options.propagation) {
    case Propagation::kOrphan:
      return {true, false};
    case Propagation::kForeground:
      return {false, true};
    case Propagation::kBackground:
      return {false, false};
    case Propagation::kUnset:
      break;
  }
  for (const Value& finalizer : json::ItemsAt(object, {"metadata", "finalizers"})) {
    if (finalizer == kOrphan) return {true, false};
    if (finalizer == kForeground) return {false, true};
  }
  return {};
}

void SetFinalizers(Value& object, const DeleteOptions& options) {
  const Dependents policy = DependentsPolicy(object, options);
  if (policy.orphan == HasFinalizer(object, kOrphan) &&
      policy.delete_first == HasFinalizer(object, kForeground))
    return;
  Value::array_t finalizers;
  for (const Value& finalizer : json::ItemsAt(object, {"metadata", "finalizers"})) {
    if (finalizer != kOrphan && finalizer != kForeground) finalizers.push_back(finalizer);
  }
  if (policy.orphan) finalizers.emplace_back(kOrphan);
  if (policy.delete_first) finalizers.emplace_back(kForeground);
  if (finalizers.empty()) {
    object["metadata"].erase("finalizers");
  } else {
    object["metadata"]["finalizers"] = std::move(finalizers);
  }
}

void MarkDeleting(const Context& context, Value& object) {
  const std::string now = base::Rfc3339(context.parts.clock.Now());
  Value& metadata = object["metadata"];
  const bool begins = json::Find(metadata, "deletionTimestamp") == nullptr;
  const bool itself = begins && context.strategy->BeginsDeletionItself();
  if (begins) {
    const std::int64_t generation = json::IntegerAt(metadata, {"generation"});
    if (generation > 0 && !itself) metadata["generation"] = generation + 1;
    metadata["deletionTimestamp"] = now;
  }
  if (!itself) metadata["deletionGracePeriodSeconds"] = 0;
  if (begins) context.strategy->BeginDeletion(object, now);
}

base::Result<void> CheckPreconditions(const Context& context, const std::string& name, const Value& object,
                                      const DeleteOptions& options) {
  const GroupResource kind{context.strategy->group(), context.strategy->kind()};
  const auto mismatch = [&](const char* what, const std::string& wanted, const std::string& found,
                            const char* might) {
    if (context.strategy->BeginsDeletionItself()) {
      const std::string name_of = what;
      return base::Error(Conflict(context.resource(), name,
                                  "Precondition failed: " + name_of + " in precondition: " + wanted + ", " +
                                      name_of + " in object meta: " + found));
    }
    return base::Error(Conflict(kind, name,
                                std::string("the ") + what + " in the precondition (" + wanted +
                                    ") does not match the " + what + " in record (" + found +
                                    "). The object might have been " + might));
  };
  const std::string& uid = json::TextAt(object, {"metadata", "uid"});
  if (options.uid && *options.uid != uid)
    return mismatch("UID", *options.uid, uid, "deleted and then recreated");
  const std::string& version = json::TextAt(object, {"metadata", "resourceVersion"});
  if (options.resource_version && *options.resource_version != version) {
    return mismatch("ResourceVersion", *options.resource_version, version, "modified");
  }
  return {};
}

struct Attempt {
  store::Mutation mutation;
  Deleted outcome;
  bool commits = true;
};

std::string NameInKey(const std::string& key) {
  const auto slash = key.find('/');
  return slash == std::string::npos ? key : key.substr(slash + 1);
}

// Whether the deletion asks nothing of the object and the object nothing of the deletion: no precondition, no
// finalizer that either has or adds, no time of grace.
bool GoesAtOnce(const Strategy& strategy, const store::Object& object, const DeleteOptions& options) {
  if (strategy.builtin() || strategy.DeletesGracefully() || options.uid || options.resource_version)
    return false;
  if (options.orphan_dependents.value_or(false)) return false;
  if (options.propagation != Propagation::kUnset && options.propagation != Propagation::kBackground)
    return false;
  const std::string_view body = object.body.bytes;
  const auto metadata = FindMemberText(body, "metadata");
  if (!metadata) return false;
  const std::string_view text = body.substr(metadata->begin, metadata->end - metadata->begin);
  return !FindMemberText(text, "finalizers") && !FindMemberText(text, "deletionTimestamp");
}

base::Task<base::Result<Attempt>> TryDelete(Context& context, const std::string& key,
                                            const DeleteOptions& options, LastState last_state) {
  const Strategy& strategy = *context.strategy;
  const std::string name = NameInKey(key);
  ANNEX_CO_RETURN_IF_ERROR(strategy.CheckDeletable(name));
  Attempt attempt;
  attempt.mutation.collection = strategy.collection();
  attempt.mutation.key = key;
  ANNEX_CO_TRY(attempt.mutation.seen,
               context.parts.store.Load(attempt.mutation.collection, attempt.mutation.key));
  if (!attempt.mutation.seen) co_return base::Error(NotFound(context.resource(), name));
  if (last_state == LastState::kUnwanted && GoesAtOnce(strategy, *attempt.mutation.seen, options)) {
    attempt.outcome.gone = true;
    attempt.commits = !options.dry_run;
    co_return attempt;
  }
  ANNEX_CO_TRY(Value object, co_await ReadObject(strategy, attempt.mutation.seen, context.executor()));
  ANNEX_CO_RETURN_IF_ERROR(CheckPreconditions(context, name, object, options));
  attempt.outcome.uid = json::TextAt(object, {"metadata", "uid"});
  const bool under_deletion = json::FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
  if (under_deletion || !strategy.BeginsDeletionItself()) SetFinalizers(object, options);
  const bool stays =
      strategy.HasPendingFinalizers(object) || (strategy.DeletesGracefully() && !under_deletion);
  attempt.outcome.gone = !stays;
  if (stays) {
    MarkDeleting(context, object);
    ANNEX_CO_TRY(attempt.mutation.next, co_await MakeStored(strategy, object, context.executor()));
    attempt.commits = attempt.mutation.next->body.bytes != attempt.mutation.seen->body.bytes;
  }
  attempt.commits = attempt.commits && !options.dry_run;
  attempt.outcome.object = std::move(object);
  co_return attempt;
}

}  // namespace

base::Task<base::Result<Deleted>> DeleteObject(Context& context, std::string key,
                                               const DeleteOptions& options, LastState last_state) {
  while (true) {
    ANNEX_CO_TRY(Attempt attempt, co_await TryDelete(context, key, options, last_state));
    if (!attempt.commits) co_return std::move(attempt.outcome);
    auto committed = co_await Commit(context, std::move(attempt.mutation));
    if (committed) {
      if (!attempt.outcome.object.is_null())
        attempt.outcome.object["metadata"]["resourceVersion"] = std::to_string(committed->revision);
      co_return std::move(attempt.outcome);
    }
    if (committed.error().reason == base::Reason::kNotFound)
      co_return base::Error(NotFound(context.resource(), NameInKey(key)));
    // Somebody changed it meanwhile: look again, preconditions included.
    if (committed.error().reason != base::Reason::kConflict) co_return base::Error(committed.error());
  }
}

}  // namespace annex::api
