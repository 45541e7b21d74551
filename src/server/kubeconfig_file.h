// Writing a kubeconfig for a server's own administrator.
#pragma once

#include "annex/auth/certificate_authority.h"

#include <string>

namespace annex::server {

// A kubeconfig with everything in it: the server's URL, the authority that signed its certificate, and the
// user's certificate.
std::string MakeKubeconfig(const std::string& url, const std::string& authority,
                           const auth::CertificateAndKey& user);

}  // namespace annex::server
