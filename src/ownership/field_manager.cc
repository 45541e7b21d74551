#include "annex/ownership/field_manager.h"

#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "conflicts.h"
#include "last_applied.h"
#include "owners.h"
#include "prune.h"
#include "typed_value.h"

#include <optional>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

constexpr const char* kBeforeFirstApply = "before-first-apply";
constexpr const char* kUnknownManager = "unknown";
constexpr std::string_view kKubectl = "kubectl";

base::Status Failure(std::string text) {
  return {base::Reason::kUnknown, std::move(text)};
}

// Nobody owns these: they say which object it is, or belong to the server.
const FieldSet& StrippedFields() {
  static const FieldSet fields = FieldSet::Of({{"apiVersion"},
                                               {"kind"},
                                               {"metadata"},
                                               {"metadata", "name"},
                                               {"metadata", "namespace"},
                                               {"metadata", "creationTimestamp"},
                                               {"metadata", "selfLink"},
                                               {"metadata", "uid"},
                                               {"metadata", "clusterName"},
                                               {"metadata", "generation"},
                                               {"metadata", "managedFields"},
                                               {"metadata", "resourceVersion"}});
  return fields;
}

// "g/v1, Kind=Widget"; an apiVersion that is none hides the kind, too.
std::string GroupVersionKind(const Value& object) {
  const std::string& api_version = json::TextAt(object, {"apiVersion"});
  const auto slash = api_version.find('/');
  if (slash != api_version.rfind('/')) return "/, Kind=";
  return (slash == std::string::npos ? "/" + api_version : api_version) +
         ", Kind=" + json::TextAt(object, {"kind"});
}

// "NAMESPACE/NAME; g/v1, Kind=Widget"
std::string Describe(const Value& object) {
  return json::TextAt(object, {"metadata", "namespace"}) + "/" + json::TextAt(object, {"metadata", "name"}) +
         "; " + GroupVersionKind(object);
}

// Upstream reads an applied object's numbers as floating-point, and what it prints of them is read again: a
// whole number becomes an integer, a large one with the digits that are printed of it.
void MakeWholeNumbersIntegers(Value& value) {
  if (value.is_number_float()) {
    if (const auto integer = base::ParseInt64(json::ToJson(value))) value = *integer;
  } else if (value.is_structured()) {
    for (Value& inner : value) MakeWholeNumbersIntegers(inner);
  }
}

ManagedFields DecodeGivenOrLive(const Value& given, const Value& live, bool given_counts) {
  if (given_counts) {
    if (IsReset(given)) return {};
    if (auto managed = ManagedFields::Decode(given); managed && !managed->Empty()) return *std::move(managed);
  }
  return ManagedFields::Decode(live).value_or(ManagedFields());
}

// The conflicts that are left if `allowed` is none.
Conflicts Without(const Conflicts& conflicts, const FieldSet& allowed) {
  Conflicts left;
  for (const Conflict& conflict : conflicts) {
    FieldSet fields = conflict.fields.Difference(allowed);
    if (!fields.Empty()) left.push_back({conflict.id, std::move(fields)});
  }
  return left;
}

}  // namespace

// One try to apply: what came of it, or what is in its way.
struct FieldManager::Attempt {
  std::optional<Applied> applied;
  Conflicts conflicts;
};

ManagerId FieldManager::IdOf(const std::string& manager, Operation operation) const {
  ManagerId id{manager.empty() ? kUnknownManager : manager, operation, {}, options_.subresource};
  if (operation == Operation::kUpdate) id.api_version = options_.api_version;
  return id;
}

Value FieldManager::Update(const Value& live, const Value& live_managed, const Value& object,
                           const Value& given, const Writer& writer) const {
  ManagedFields managed = DecodeGivenOrLive(given, live_managed, options_.subresource.empty());
  // An object without owners stays one until somebody applies it.
  if (managed.Empty() && !json::TextAt(live, {"metadata", "uid"}).empty()) return nullptr;
  const auto tracked = Track(live, object, std::move(managed), writer);
  return tracked ? tracked->Encode() : Value();
}

base::Result<ManagedFields> FieldManager::Track(const Value& live, const Value& object, ManagedFields managed,
                                                const Writer& writer) const {
  std::string problem = ValidationText(type_.root(), object, Duplicates::kAllow);
  if (!problem.empty()) {
    return base::Error(
        Failure("failed to convert new object (" + Describe(object) + ") to smd typed: " + problem));
  }
  problem = ValidationText(type_.root(), live, Duplicates::kAllow);
  if (!problem.empty()) {
    return base::Error(
        Failure("failed to convert live object (" + Describe(live) + ") to smd typed: " + problem));
  }
  ANNEX_RETURN_IF_ERROR(ReconcileOwners(versions_, live, managed));
  const ObjectChange change{options_.api_version, live, object, options_.reset_fields, nullptr};
  ANNEX_TRY(const OwnersChange changed, TakeFields(versions_, change, managed, Force::kYes));
  FieldSet taken = changed.comparison.modified.Union(changed.comparison.added).Difference(StrippedFields());
  if (!taken.Empty()) {
    ManagedEntry& own = managed.FindOrAdd(IdOf(writer.manager, Operation::kUpdate), options_.api_version);
    own.fields = taken.Union(own.fields);
    own.time = writer.now;
  }
  managed.CapUpdates(kMaxUpdateManagers);
  return managed;
}

base::Result<void> FieldManager::CheckApplied(const Value& applied) const {
  if (json::TextAt(applied, {"apiVersion"}) != options_.api_version ||
      json::TextAt(applied, {"kind"}) != options_.kind) {
    return base::Error(base::Reason::kBadRequest, "invalid object type: " + GroupVersionKind(applied));
  }
  const Value* managed = json::FindPath(applied, {"metadata", "managedFields"});
  if (managed != nullptr && managed->is_array())
    return base::Error(base::Reason::kBadRequest, "metadata.managedFields must be nil");
  return {};
}

base::Result<FieldManager::Applied> FieldManager::Apply(const Value& live, const Value& live_managed,
                                                        const Value& applied, const Writer& writer,
                                                        bool force) const {
  auto managed = ManagedFields::Decode(live_managed);
  if (!managed) return base::Error(Failure("failed to decode managed fields: " + managed.error().message));
  ANNEX_RETURN_IF_ERROR(CheckApplied(applied));
  if (managed->Empty()) {
    managed = Track(options_.new_object, live, {}, {kBeforeFirstApply, writer.now});
    if (!managed) {
      return base::Error(Failure("failed to create manager for existing fields: " + managed.error().message));
    }
  }
  ANNEX_TRY(Attempt attempt, Try(live, *managed, applied, writer, force));
  if (!attempt.conflicts.empty() && writer.manager == kKubectl) {
    // What kubectl's client-side apply wrote is its own.
    const auto own = FieldsFromLastApplied(type_.root(), live);
    if (own) attempt.conflicts = Without(attempt.conflicts, *own);
    if (attempt.conflicts.empty()) {
      ANNEX_TRY(attempt, Try(live, *managed, applied, writer, true));
    }
  }
  if (!attempt.conflicts.empty()) return base::Error(ConflictStatus(std::move(attempt.conflicts)));
  Applied result = *std::move(attempt.applied);
  if (writer.manager == kKubectl) UpdateLastApplied(result.object, applied);
  MakeWholeNumbersIntegers(result.object);
  return result;
}

base::Result<FieldManager::Attempt> FieldManager::Try(const Value& live, ManagedFields managed,
                                                      const Value& applied, const Writer& writer,
                                                      bool force) const {
  const Type& type = type_.root();
  std::string problem = ValidationText(type, applied, Duplicates::kRefuse);
  if (!problem.empty())
    return base::Error(
        Failure("failed to create typed patch object (" + Describe(applied) + "): " + problem));
  problem = ValidationText(type, live, Duplicates::kAllow);
  if (!problem.empty())
    return base::Error(Failure("failed to create typed live object (" + Describe(live) + "): " + problem));
  ANNEX_RETURN_IF_ERROR(ReconcileOwners(versions_, live, managed));

  const ManagerId id = IdOf(writer.manager, Operation::kApply);
  const ManagedEntry last = managed.FindOrAdd(id, options_.api_version);
  ManagedEntry& entry = managed.FindOrAdd(id, options_.api_version);
  entry.api_version = options_.api_version;
  entry.fields = FieldsOf(type, applied).RecursiveDifference(options_.reset_fields);
  ANNEX_TRY(Value merged, Prune(versions_, Merge(type, live, applied), managed, last));

  const ObjectChange change{options_.api_version, live, merged, options_.reset_fields, &id};
  ANNEX_TRY(OwnersChange changed, TakeFields(versions_, change, managed, force ? Force::kYes : Force::kNo));
  Attempt attempt;
  if (!force && !changed.conflicts.empty()) {
    attempt.conflicts = std::move(changed.conflicts);
    return attempt;
  }
  const bool differs = merged != live;
  if (ManagedEntry* own = managed.Find(id)) {
    own->fields = own->fields.Difference(StrippedFields());
    if (differs) own->time = writer.now;
    managed.RemoveEmpty();
  }
  attempt.applied = Applied{std::move(merged), managed.Encode(), differs};
  return attempt;
}

}  // namespace annex::ownership
