// ConversionReview: the question to a conversion webhook, and what its answer must be.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/kube/webhook_caller.h"

#include <string>
#include <vector>

namespace annex::conversion {

struct Question {
  std::string review_version;  // "v1" or "v1beta1"
  std::string uid;
  std::string api_version;  // that is asked for
  std::vector<json::Value> objects;
};

// The body of the request, as kube-apiserver writes it.
std::string WriteReview(const Question& question);

// The objects that an HTTP answer holds; not yet held to the question but for its uid. Errors: without a
// reason, with kube-apiserver's words.
base::Result<std::vector<json::Value>> ReadReview(const Question& question, const kube::WebhookReply& reply);

}  // namespace annex::conversion
