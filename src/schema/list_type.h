// The items of list-type sets and the keys of list-type maps (pkg/apiserver/schema/listtype/validation.go).
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "annex/schema/node.h"

namespace annex::schema {

json::FieldErrors FindDuplicates(const json::Value& object, const Node& root);

}  // namespace annex::schema
