// TokenReviewer: bearer tokens, as the cluster knows them (authentication.k8s.io/v1 TokenReview).
//
// Answers, also those that a token is not valid, are kept for ten seconds, under the token's digest.
// Thread rule: thread-safe. Ownership: everything given must outlive it.
#pragma once

#include "annex/auth/request_authenticator.h"
#include "annex/base/clock.h"
#include "annex/base/metrics.h"
#include "annex/base/random.h"
#include "annex/kube/client.h"

#include <memory>
#include <string>

namespace annex::auth {

class TokenReviewer final : public TokenAuthenticator {
 public:
  TokenReviewer(kube::Client& client, const base::Clock& clock, base::Random& random, base::Metrics& metrics);
  ~TokenReviewer() override;

  base::Task<base::Result<User>> AuthenticateToken(std::string token, base::Executor& executor) override;

 private:
  class Cache;
  kube::Client& client_;
  const base::Clock& clock_;
  base::Random& random_;
  base::MetricFamily<base::Counter>& reviews_;
  const std::unique_ptr<Cache> cache_;
};

}  // namespace annex::auth
