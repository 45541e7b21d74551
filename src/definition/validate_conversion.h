// spec.conversion of a definition (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation,
// k8s.io/apiserver/pkg/util/webhook).
//
// Thread rule: free functions.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

namespace annex::definition {

// What is wrong with it. `old_definition` is what the definition was before an update; nullptr for a new one.
json::FieldErrors ValidateConversion(const json::Value& definition, const json::Value* old_definition);

}  // namespace annex::definition
