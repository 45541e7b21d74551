// MastersAuthorizer: the rule of standalone mode: the group system:masters may do everything, others may ask
// for the version and whether the server is well.
#pragma once

#include "annex/auth/authorizer.h"

namespace annex::auth {

class MastersAuthorizer final : public Authorizer {
 public:
  base::Task<base::Result<Decision>> Authorize(Attributes attributes, base::Executor& executor) override;
};

}  // namespace annex::auth
