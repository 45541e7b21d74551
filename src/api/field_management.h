// Field ownership in writes: metadata.managedFields of custom resources and built-in types
// (k8s.io/apiserver/pkg/endpoints/handlers; the rules themselves are in ownership/field_manager.h).
//
// Thread rule: free functions.
#pragma once

#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/ownership/field_manager.h"
#include "context.h"

#include <string>

namespace annex::api {

// metadata.managedFields: taken out of an object (null: there are none), and put back.
json::Value TakeManagedFields(json::Value& object);
void SetManagedFields(json::Value& object, json::Value managed_fields);

// Who writes: `given` (the parameter fieldManager) or, if that is "", the User-Agent up to its first "/", and
// when.
ownership::FieldManager::Writer WriterOf(const Context& context, const std::string& given);

// The owners of fields of the context's resource, for requests to `subresource`. Must not outlive `versions`.
ownership::FieldManager FieldManagerFor(const Context& context, const ownership::Versions& versions,
                                        Subresource subresource);

// Makes the writer the owner of all fields of a new object.
base::Task<base::Result<void>> TrackCreate(const Context& context, json::Value& object,
                                           ownership::FieldManager::Writer writer);

// Makes the writer the owner of all fields that `object` changes in `existing`, before the strategy has a
// say. `existing` is as it was afterwards. `rewritten`: whether what is stored was written by the rules of
// now.
void TrackUpdate(const Context& context, const ownership::Versions& versions, json::Value& existing,
                 json::Value& object, const ownership::FieldManager::Writer& writer, Subresource subresource,
                 bool rewritten);

}  // namespace annex::api
