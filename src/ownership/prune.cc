#include "prune.h"

#include "owners.h"
#include "typed_value.h"

#include <map>
#include <string>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

base::Status Failed(const char* what, const base::Status& why) {
  return {base::Reason::kUnknown, std::string("failed to prune fields: ") + what + why.message};
}

FieldSet AllFieldsOf(const Type& type, const Value& object) {
  return WithDeclaredParents(type, FieldsOf(type, object));
}

// `merged` and what is left of it, on their way through the versions of all owners.
struct Pruning {
  Value merged;
  Value pruned;
};

// Puts back what is gone although `owned` has it, in a version of the owners.
base::Result<void> AddBackOwned(const Versions& versions, Pruning& pruning, const std::string& api_version,
                                const FieldSet& owned) {
  if (versions.TypeOf(api_version) == nullptr) return {};
  ANNEX_TRY(pruning.merged, InVersion(versions, pruning.merged, api_version));
  ANNEX_TRY(pruning.pruned, InVersion(versions, pruning.pruned, api_version));
  const Type& type = versions.TypeOf(api_version)->root();
  const FieldSet keep = AllFieldsOf(type, pruning.pruned).Union(WithDeclaredParents(type, owned));
  pruning.pruned = RemoveItems(type, pruning.merged, AllFieldsOf(type, pruning.merged).Difference(keep));
  return {};
}

// Puts back what is gone although `last` did not have it. `merged` is in last's version.
base::Result<Value> AddBackDangling(const Versions& versions, const Value& merged, const Value& pruned,
                                    const ManagedEntry& last) {
  const Type& type = versions.TypeOf(last.api_version)->root();
  ANNEX_TRY(const Value converted, InVersion(versions, pruned, last.api_version));
  const FieldSet gone = AllFieldsOf(type, merged).Difference(AllFieldsOf(type, converted));
  return RemoveItems(type, merged, gone.Intersection(WithDeclaredParents(type, last.fields)));
}

}  // namespace

base::Result<Value> Prune(const Versions& versions, const Value& merged, const ManagedFields& managed,
                          const ManagedEntry& last) {
  const ObjectType* last_type = versions.TypeOf(last.api_version);
  if (last.fields.Empty() || last_type == nullptr) return merged;
  const std::string api_version = json::TextAt(merged, {"apiVersion"});
  auto in_last = InVersion(versions, merged, last.api_version);
  if (!in_last)
    return base::Error(Failed("failed to convert merged object to last applied version: ", in_last.error()));
  const Type& type = last_type->root();
  Pruning pruning{*in_last, RemoveItems(type, *in_last, WithDeclaredParents(type, last.fields))};

  std::map<std::string, FieldSet> owned;
  for (const ManagedEntry& entry : managed.entries()) {
    FieldSet& fields = owned[entry.api_version];
    fields = fields.Union(entry.fields);
  }
  // First in the version that was pruned: other versions may not be reached without what is put back here.
  if (const auto own = owned.extract(last.api_version)) {
    auto added = AddBackOwned(versions, pruning, last.api_version, own.mapped());
    if (!added) return base::Error(Failed("failed add back owned items: ", added.error()));
  }
  for (const auto& [version, fields] : owned) {
    auto added = AddBackOwned(versions, pruning, version, fields);
    if (!added) return base::Error(Failed("failed add back owned items: ", added.error()));
  }
  auto pruned = AddBackDangling(versions, *in_last, pruning.pruned, last);
  if (!pruned) return base::Error(Failed("failed add back dangling items: ", pruned.error()));
  auto result = InVersion(versions, *pruned, api_version);
  if (!result) return base::Error(Failed("", result.error()));
  return *std::move(result);
}

}  // namespace annex::ownership
