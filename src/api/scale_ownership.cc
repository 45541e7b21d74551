#include "scale_ownership.h"

#include "annex/ownership/scale_fields.h"
#include "annex/schema/types.h"
#include "builtin_strategy.h"
#include "field_management.h"

#include <utility>

namespace annex::api {
namespace {

using json::Value;
using ownership::FieldManager;

FieldManager ScaleManager() {
  static const BuiltinVersion kVersion(schema::ScaleType(), "autoscaling/v1");
  FieldManager::Options options;
  options.api_version = "autoscaling/v1";
  options.kind = "Scale";
  options.subresource = "scale";
  options.new_object = {{"apiVersion", options.api_version}, {"kind", options.kind}};
  return {kVersion, std::move(options)};
}

}  // namespace

base::Result<void> TrackReplicas(const Context& context, const Value& live_scale, const Value& scale,
                                 Value& object, const FieldManager::Writer& writer) {
  const Strategy& strategy = *context.strategy;
  const ownership::ReplicasPaths paths = strategy.ReplicasPaths();
  const Value managed = TakeManagedFields(object);
  ANNEX_TRY(const Value before, ownership::ScaleManagedFields(managed, paths));
  const Value after = ScaleManager().Update(live_scale, before, scale, nullptr, writer);
  ANNEX_TRY(Value result, ownership::ManagedFieldsFromScale(managed, after, paths, strategy.ApiVersion()));
  SetManagedFields(object, std::move(result));
  return {};
}

base::Result<Value> ApplyReplicas(const Context& context, const Value& live_scale, const Value& applied,
                                  Value& object, const FieldManager::Writer& writer, bool force) {
  const Strategy& strategy = *context.strategy;
  const ownership::ReplicasPaths paths = strategy.ReplicasPaths();
  const Value managed = TakeManagedFields(object);
  ANNEX_TRY(const Value before, ownership::ScaleManagedFields(managed, paths));
  ANNEX_TRY(auto result, ScaleManager().Apply(live_scale, before, applied, writer, force));
  ANNEX_TRY(Value after,
            ownership::ManagedFieldsFromScale(managed, result.managed_fields, paths, strategy.ApiVersion()));
  SetManagedFields(object, std::move(after));
  return std::move(result.object);
}

}  // namespace annex::api
