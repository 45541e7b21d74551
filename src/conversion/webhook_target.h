// Where the webhook of a definition is, as the client that calls it needs it.
//
// Thread rule: a free function.
#pragma once

#include "annex/base/result.h"
#include "annex/definition/webhook.h"
#include "annex/kube/webhook_caller.h"

namespace annex::conversion {

// Errors: BadRequest (a URL that no definition which was checked has).
base::Result<kube::WebhookTarget> TargetOf(const definition::Webhook& webhook);

}  // namespace annex::conversion
