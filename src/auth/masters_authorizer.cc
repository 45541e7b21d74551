#include "annex/auth/masters_authorizer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace annex::auth {
namespace {

// What kube-apiserver's default role system:public-info-viewer gives to everybody.
constexpr std::array<std::string_view, 5> kPublicPaths = {"/healthz", "/livez", "/readyz", "/version",
                                                          "/version/"};

bool IsPublic(const Attributes& attributes) {
  return !attributes.resource_request && attributes.verb == "get" &&
         std::find(kPublicPaths.begin(), kPublicPaths.end(), attributes.path) != kPublicPaths.end();
}

}  // namespace

base::Task<base::Result<Decision>> MastersAuthorizer::Authorize(Attributes attributes,
                                                                base::Executor& executor) {
  Decision decision;
  decision.allowed = attributes.user.InGroup(kMastersGroup) || IsPublic(attributes);
  co_return decision;
}

}  // namespace annex::auth
