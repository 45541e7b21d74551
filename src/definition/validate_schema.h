// What kube-apiserver demands of the schema in a definition, beside its being structural
// (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation,
// ValidateCustomResourceDefinitionOpenAPISchema).
//
// Thread rule: free functions.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

namespace annex::definition {

// `schema` has been read through schema::JsonSchemaPropsType(). Rules in CEL are not looked at.
// `with_status`: whether the status subresource is served.
json::FieldErrors ValidateSchema(const json::Value& schema, bool with_status, const json::FieldPath& path);

}  // namespace annex::definition
