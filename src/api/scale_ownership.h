// Field ownership of replicas, which writes to …/scale change: the owners of the object's replicas are those
// of a Scale meanwhile.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/ownership/field_manager.h"
#include "context.h"

namespace annex::api {

// Makes the writer the owner of the replicas, if `scale` changes those of `live_scale`, in the managedFields
// that `object` has. Errors: without a reason (they cannot be understood).
base::Result<void> TrackReplicas(const Context& context, const json::Value& live_scale,
                                 const json::Value& scale, json::Value& object,
                                 const ownership::FieldManager::Writer& writer);

// What an apply makes of `live_scale`, and of the managedFields that `object` has. Errors: as
// FieldManager::Apply.
base::Result<json::Value> ApplyReplicas(const Context& context, const json::Value& live_scale,
                                        const json::Value& applied, json::Value& object,
                                        const ownership::FieldManager::Writer& writer, bool force);

}  // namespace annex::api
