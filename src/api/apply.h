// Server-side apply: a PATCH whose body is the part of an object that a manager wants to own.
//
// Thread rule: runs on the request's executor.
#pragma once

#include "annex/base/task.h"
#include "context.h"

namespace annex::api {

// Applies the body to the object or its status; creates the object if there is none.
// Errors: as ownership::FieldManager::Apply and the checks of any write.
base::Task<VerbResult> Apply(Context& context);

}  // namespace annex::api
