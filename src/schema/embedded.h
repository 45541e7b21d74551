// What embedded resources must be (pkg/apiserver/schema/objectmeta/validation.go).
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "annex/schema/node.h"

namespace annex::schema {

json::FieldErrors CheckEmbedded(const json::Value& object, const Node& root);

}  // namespace annex::schema
