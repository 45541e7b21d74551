// NestedField: a field that a subresource finds by its path, with the texts of unstructured.Nested… for what
// stands in the way.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/definition/resource.h"
#include "annex/json/value.h"

#include <string>

namespace annex::api {

// The value at `path`, nullptr if there is none. Errors: without reason (HTTP 500), if something on the way
// is no object:
//   .spec.replicas accessor error: x is of the type string, expected map[string]interface{}
base::Result<const json::Value*> NestedField(const json::Value& object, const definition::KeyPath& path);

// The error for a value that was found, but is not of the `wanted` Go type.
std::string AccessorProblem(const definition::KeyPath& path, const json::Value& value, const char* wanted);

}  // namespace annex::api
