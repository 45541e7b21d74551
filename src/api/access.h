// May they? Asks the authorizer about a request, or about something else that a request amounts to.
//
// Thread rule: runs on the request's executor.
#pragma once

#include "annex/base/result.h"
#include "annex/base/task.h"
#include "context.h"

#include <string>

namespace annex::api {

// `verb` is the request's own, or what it turned out to be. Errors: Forbidden, or whatever keeps the
// authorizer from deciding.
base::Task<base::Result<void>> CheckAllowed(const Context& context, std::string verb);

}  // namespace annex::api
