// AccessReviewer: authorization as the cluster decides it (authorization.k8s.io/v1 SubjectAccessReview).
//
// As kube's own delegated servers: system:masters may do everything and everybody may ask whether the server
// is well, without a review; decisions are kept for ten seconds, those to very long requests not at all.
// Thread rule: thread-safe. Ownership: everything given must outlive it.
#pragma once

#include "annex/auth/authorizer.h"
#include "annex/base/clock.h"
#include "annex/base/metrics.h"
#include "annex/base/random.h"
#include "annex/kube/client.h"

#include <memory>

namespace annex::auth {

class AccessReviewer final : public Authorizer {
 public:
  AccessReviewer(kube::Client& client, const base::Clock& clock, base::Random& random,
                 base::Metrics& metrics);
  ~AccessReviewer() override;

  base::Task<base::Result<Decision>> Authorize(Attributes attributes, base::Executor& executor) override;

 private:
  class Cache;
  kube::Client& client_;
  const base::Clock& clock_;
  base::Random& random_;
  base::MetricFamily<base::Counter>& reviews_;
  const std::unique_ptr<Cache> cache_;
};

}  // namespace annex::auth
