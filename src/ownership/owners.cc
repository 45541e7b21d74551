#include "owners.h"

#include <map>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

Comparison Without(Comparison comparison, const FieldSet& fields) {
  if (fields.Empty()) return comparison;
  return {comparison.removed.RecursiveDifference(fields), comparison.modified.RecursiveDifference(fields),
          comparison.added.RecursiveDifference(fields)};
}

// The comparison of one change in the versions of all owners.
class Comparisons {
 public:
  Comparisons(const Versions& versions, const ObjectChange& change)
      : versions_(versions),
        change_(change),
        own_(Without(Compare(versions.TypeOf(change.api_version)->root(), change.before, change.after),
                     change.reset_fields)) {}

  const Comparison& own() const { return own_; }

  base::Result<const Comparison*> At(const std::string& api_version) {
    if (api_version == change_.api_version) return &own_;
    if (const auto known = others_.find(api_version); known != others_.end()) return &known->second;
    ANNEX_TRY(const Value before, Converted("old", change_.before, api_version));
    ANNEX_TRY(const Value after, Converted("new", change_.after, api_version));
    const Type& type = versions_.TypeOf(api_version)->root();
    return &others_.emplace(api_version, Compare(type, before, after)).first->second;
  }

 private:
  base::Result<Value> Converted(const char* which, const Value& object, const std::string& api_version) {
    auto converted = InVersion(versions_, object, api_version);
    if (converted) return converted;
    return base::Error(base::Reason::kUnknown,
                       std::string("failed to convert ") + which + " object: " + converted.error().message);
  }

  const Versions& versions_;
  const ObjectChange& change_;
  const Comparison own_;
  std::map<std::string, Comparison> others_;
};

}  // namespace

base::Result<Value> InVersion(const Versions& versions, const Value& object, const std::string& api_version) {
  if (json::TextAt(object, {"apiVersion"}) == api_version) return object;
  ANNEX_TRY(Value converted, versions.Convert(object, api_version));
  std::string problem = ValidationText(versions.TypeOf(api_version)->root(), converted, Duplicates::kRefuse);
  if (!problem.empty()) return base::Error(base::Reason::kUnknown, std::move(problem));
  return converted;
}

base::Result<void> ReconcileOwners(const Versions& versions, const Value& live, ManagedFields& managed) {
  std::erase_if(managed.entries(), [&versions](const ManagedEntry& entry) {
    return versions.TypeOf(entry.api_version) == nullptr;
  });
  const std::string& live_version = json::TextAt(live, {"apiVersion"});
  for (ManagedEntry& entry : managed.entries()) {
    if (entry.api_version != live_version)
      ANNEX_RETURN_IF_ERROR(InVersion(versions, live, entry.api_version));
    entry.fields = Reconcile(versions.TypeOf(entry.api_version)->root(), entry.fields);
  }
  return {};
}

base::Result<OwnersChange> TakeFields(const Versions& versions, const ObjectChange& change,
                                      ManagedFields& managed, Force force) {
  Comparisons comparisons(versions, change);
  OwnersChange result;
  std::vector<std::pair<ManagedEntry*, FieldSet>> kept;
  for (ManagedEntry& entry : managed.entries()) {
    if (change.self != nullptr && entry.id == *change.self) continue;
    ANNEX_TRY(const Comparison* comparison, comparisons.At(entry.api_version));
    if (comparison->IsSame()) continue;
    FieldSet taken = entry.fields.Intersection(comparison->modified.Union(comparison->added));
    kept.emplace_back(&entry, entry.fields.Difference(taken).Difference(comparison->removed));
    if (!taken.Empty()) result.conflicts.push_back({entry.id, std::move(taken)});
  }
  result.comparison = comparisons.own();
  if (force == Force::kNo && !result.conflicts.empty()) return result;
  for (auto& [entry, fields] : kept) entry->fields = std::move(fields);
  managed.RemoveEmpty();
  return result;
}

}  // namespace annex::ownership
