// FieldsV1: the JSON of a FieldSet in metadata.managedFields.
//
//   {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:size":{}}}
//
// Below an element lie its children; "." says that an element with children belongs to the set itself, one
// without children always does. Keys are in bytewise order, as custom resources are written.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/ownership/field_set.h"

namespace annex::ownership {

// Elements of an unknown kind are skipped. Errors: BadRequest.
base::Result<FieldSet> ReadFieldsV1(const json::Value& fields);

json::Value WriteFieldsV1(const FieldSet& set);

}  // namespace annex::ownership
