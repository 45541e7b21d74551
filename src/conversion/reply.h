// An HTTP answer of a webhook, read as client-go reads it (k8s.io/client-go/rest, Request; the words for
// status codes are those of k8s.io/apimachinery/pkg/api/errors).
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/kube/webhook_caller.h"

namespace annex::conversion {

// The JSON or YAML document of a successful answer. Errors: BadRequest with client-go's words.
base::Result<json::Value> ReadReply(const kube::WebhookReply& reply);

}  // namespace annex::conversion
