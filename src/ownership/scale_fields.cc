#include "annex/ownership/scale_fields.h"

#include "annex/ownership/managed_fields.h"

#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

constexpr const char* kScaleVersion = "autoscaling/v1";
const std::vector<std::string> kScaleReplicas = {"spec", "replicas"};

base::Result<ManagedFields> Decode(const Value& managed_fields) {
  auto managed = ManagedFields::Decode(managed_fields);
  if (!managed) return base::Error(base::Reason::kUnknown, managed.error().message);
  return managed;
}

bool OwnsReplicas(const ManagedEntry& entry, const std::vector<std::string>& path) {
  return !path.empty() && entry.fields.Has(path);
}

}  // namespace

base::Result<Value> ScaleManagedFields(const Value& managed_fields, const ReplicasPaths& paths) {
  ANNEX_TRY(const ManagedFields managed, Decode(managed_fields));
  ManagedFields shown;
  for (const ManagedEntry& entry : managed.entries()) {
    const auto path = paths.find(entry.api_version);
    if (path == paths.end() || !OwnsReplicas(entry, path->second)) continue;
    // The id keeps the version that the update was made in; it is not written.
    shown.entries().push_back({entry.id, kScaleVersion, entry.time, FieldSet::Of({kScaleReplicas})});
  }
  return shown.Encode();
}

base::Result<Value> ManagedFieldsFromScale(const Value& managed_fields, const Value& scale_managed_fields,
                                           const ReplicasPaths& paths, const std::string& api_version) {
  ANNEX_TRY(ManagedFields managed, Decode(managed_fields));
  ANNEX_TRY(ManagedFields scale, Decode(scale_managed_fields));
  ManagedFields result;
  for (ManagedEntry& entry : managed.entries()) {
    const auto path = paths.find(entry.api_version);
    if (path == paths.end()) continue;
    if (OwnsReplicas(entry, path->second)) {
      // The same id is only found for appliers: updates through /scale have the Scale's version in theirs.
      const auto erased =
          std::erase_if(scale.entries(), [&entry](const auto& e) { return e.id == entry.id; });
      if (erased == 0) entry.fields = entry.fields.Difference(FieldSet::Of({path->second}));
    }
    if (!entry.fields.Empty()) result.entries().push_back(entry);
  }
  for (const ManagedEntry& entry : scale.entries()) {
    if (!entry.fields.Has(kScaleReplicas)) continue;
    const ManagedEntry* before = managed.Find(entry.id);
    ManagedEntry& owner = result.FindOrAdd(entry.id, api_version);
    owner.api_version = api_version;
    owner.fields = FieldSet::Of({paths.find(api_version)->second});
    owner.time = before == nullptr ? "" : before->time;
  }
  return result.Encode();
}

}  // namespace annex::ownership
