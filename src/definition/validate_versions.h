// The checks of spec.versions.
//
// kube-apiserver validates its internal form, in which what all versions have in common (always, with one
// version) has moved to fields of the spec itself. So messages name spec.validation.openAPIV3Schema… in that
// case, and spec.versions[i].schema… else.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

namespace annex::definition {

// Checks the list and what each version has for itself; `spec` is the path of the definition's spec.
void ValidateVersions(const json::Value& definition, const json::FieldPath& spec, json::FieldErrors& errors);

// Checks what all versions have in common.
void ValidateCommonParts(const json::Value& definition, const json::FieldPath& spec,
                         json::FieldErrors& errors);

}  // namespace annex::definition
