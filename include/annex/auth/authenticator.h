// Authenticator: from a request's certificate and headers to a User.
//
// The order is that of Kubernetes' delegated servers: front-proxy headers, client certificate, bearer token,
// anonymous. An authenticator that fails is remembered while the others are tried; if none succeeds, a
// failure means Unauthorized, never anonymous.
//
// Thread rule: Authenticate may be called from any executor, concurrently.
#pragma once

#include "annex/auth/peer.h"
#include "annex/auth/user.h"
#include "annex/base/executor.h"
#include "annex/base/headers.h"
#include "annex/base/result.h"
#include "annex/base/task.h"

#include <memory>

namespace annex::auth {

struct Credentials {
  const base::Headers& headers;
  Peer& peer;
  base::Executor& executor;
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Errors: Unauthorized.
  virtual base::Task<base::Result<User>> Authenticate(Credentials credentials) = 0;
};

}  // namespace annex::auth
