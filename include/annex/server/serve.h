// Serve: runs a server until it is told to stop.
#pragma once

#include "annex/base/result.h"
#include "annex/server/options.h"

namespace annex::server {

// Runs `annex serve` on the calling thread until SIGINT or SIGTERM: then requests that are under way end, the
// store is closed, and it returns. REQUIRES: called before other threads start (it blocks those signals for
// all of them). Errors: with a text for operators; nothing was changed by a start that failed, apart from
// files that it made.
base::Result<void> Serve(ServeOptions options);

}  // namespace annex::server
