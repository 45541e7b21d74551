// What makes an object a new one, for all verbs that create.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "context.h"

namespace annex::api {

// Lets the strategy prepare a new object, which has its name and system fields, and validates it.
// Errors: Invalid, or without a reason (it names a resourceVersion).
base::Result<void> ValidateNew(Context& context, json::Value& object, bool dry_run);

}  // namespace annex::api
