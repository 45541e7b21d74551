// The checks of metadata that creates and updates share. The functions append what they find.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

#include <string>
#include <string_view>

namespace annex::schema {

// Accessors of coerced metadata: "" and 0 for what is not there.
std::string_view MetaText(const json::Value& metadata, std::string_view field);
std::int64_t MetaInteger(const json::Value& metadata, std::string_view field);

// An error whose value is shown in a way of its own, because Go prints a struct (not in the order of its
// keys) or a named type.
json::FieldError InvalidShown(const json::FieldPath& path, std::string_view shown, std::string_view detail);

void CheckOwnerReferences(const json::Value& metadata, const json::FieldPath& path,
                          json::FieldErrors& errors);
void CheckFinalizers(const json::Value& metadata, const json::FieldPath& path, json::FieldErrors& errors);
void CheckManagedFields(const json::Value& metadata, const json::FieldPath& path, json::FieldErrors& errors);

}  // namespace annex::schema
