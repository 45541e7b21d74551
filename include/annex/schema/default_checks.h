// What default values in a schema must be (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting).
//
// Thread rule: free functions. Time: linear in the schema and its defaults, however they are nested.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

namespace annex::schema {

// Each default is pruned and valid by its own schema; one in the metadata of an embedded resource leaves that
// metadata valid. REQUIRES: the schema is structural and is that of a whole resource.
json::FieldErrors CheckDefaults(const json::Value& schema, const json::FieldPath& path);

// The metadata of embedded resources in default values becomes what is read of it: fields that metadata does
// not have are lost. Upstream's check does so by the way, and definitions are stored as it leaves them. A
// schema that cannot be read stays as it is.
void ReadDefaults(json::Value& schema);

}  // namespace annex::schema
