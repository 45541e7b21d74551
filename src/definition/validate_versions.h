// The checks of spec.versions[i] and of what all versions share.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

namespace annex::definition {

// Checks every version; `spec` is the path of the definition's spec.
//
// kube-apiserver validates its internal form, in which what all versions have in common (always, with one
// version) has moved to fields of the spec itself. So messages name spec.validation.openAPIV3Schema… in that
// case, and spec.versions[i].schema… else.
void ValidateVersions(const json::Value& definition, const json::FieldPath& spec, json::FieldErrors& errors);

}  // namespace annex::definition
