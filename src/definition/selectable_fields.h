// The checks of spec.versions[i].selectableFields (KEP-4358).
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

namespace annex::definition {

// `schema` has been read through schema::JsonSchemaPropsType(); it need not be valid.
json::FieldErrors CheckSelectableFields(const json::Value& fields, const json::Value& schema,
                                        const json::FieldPath& path);

}  // namespace annex::definition
