// Default values.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/node.h"

namespace annex::schema {

// Sets what is missing below `value` and has a default, also within defaults that were set. A null that is
// not allowed counts as missing.
void SetDefaults(json::Value& value, const Node& node);

}  // namespace annex::schema
