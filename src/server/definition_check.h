// Whether Annex could serve a definition of a cluster, judged here with the code that serves it.
//
// Thread rule: a free function.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

namespace annex::server {

// Errors: Invalid; the message names the definition and every field that is in the way.
base::Result<void> CheckServable(json::Value definition);

}  // namespace annex::server
