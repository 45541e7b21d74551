// Asking kube-apiserver for a review (TokenReview, SubjectAccessReview).
#pragma once

#include "annex/base/executor.h"
#include "annex/base/random.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"

#include <string>

namespace annex::auth {

// How long an answer is believed (k8s.io/apiserver's DelegatingAuthenticationOptions and
// DelegatingAuthorizationOptions).
inline constexpr std::chrono::seconds kReviewAge{10};

// Posts a review and returns its status. What may pass is tried again as k8s.io/apiserver's webhook does
// (five tries, 500 ms and then half as much again between them). Errors: InternalError (no answer, or one
// that is no review).
base::Task<base::Result<json::Value>> Review(kube::Client& client, std::string path, json::Value review,
                                             base::Random& random, base::Executor& executor);

}  // namespace annex::auth
