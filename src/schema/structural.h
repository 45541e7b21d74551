// Helpers of the structural check, on the JSON of a schema.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "path.h"

#include <string_view>
#include <utility>

namespace annex::schema {

// The value of a keyword; nullptr for none, which null means too.
const json::Value* Keyword(const json::Value& schema, std::string_view keyword);
bool Flag(const json::Value& schema, std::string_view keyword);
std::string_view TypeOf(const json::Value& schema);
// The members of an object; none if there is no such keyword.
const json::Value::object_t& Members(const json::Value& schema, std::string_view keyword);
// Whether a value is not the zero of its Go type, which stands for nothing: "", false, no items.
bool IsSpecified(const json::Value& value);

// Keywords that may not stand where only values are checked, and upstream's words for each.
inline constexpr std::pair<std::string_view, std::string_view> kNotNested[] = {
    {"type", "must be empty to be structural"},
    {"additionalProperties", "must be undefined to be structural"},
    {"default", "must be undefined to be structural"},
    {"title", "must be empty to be structural"},
    {"description", "must be empty to be structural"},
    {"nullable", "must be false to be structural"},
    {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
    {"x-kubernetes-embedded-resource", "must be false to be structural"},
    {"x-kubernetes-int-or-string", "must be false to be structural"},
    {"x-kubernetes-list-map-keys", "must be empty to be structural"},
    {"x-kubernetes-list-type", "must be undefined to be structural"},
    {"x-kubernetes-map-type", "must be undefined to be structural"},
    {"x-kubernetes-validations", "must be empty to be structural"},
};

// Whatever allOf, anyOf, oneOf and not check at the root must be specified outside of them too
// (pkg/apiserver/schema/complete.go).
void CheckCompleteness(const json::Value& schema, const PathFrame& at, json::FieldErrors& errors);

}  // namespace annex::schema
