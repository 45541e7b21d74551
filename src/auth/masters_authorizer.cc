#include "annex/auth/masters_authorizer.h"

namespace annex::auth {

base::Task<base::Result<Decision>> MastersAuthorizer::Authorize(Attributes attributes, base::Executor& executor) {
  Decision decision;
  decision.allowed = attributes.user.InGroup(kMastersGroup) ||
                     (!attributes.resource_request && attributes.verb == "get" && attributes.path == "/version");
  co_return decision;
}

}  // namespace annex::auth
