// A certificate and its private key in two files, PATH.crt and PATH.key (mode 0600).
#pragma once

#include "annex/auth/certificate_authority.h"
#include "annex/base/result.h"

#include <optional>
#include <string>

namespace annex::server {

// nullopt if one of them is not there. Errors: InternalError.
base::Result<std::optional<auth::CertificateAndKey>> ReadPair(const std::string& path);

// Replaces both, the certificate last. Errors: InternalError.
base::Result<void> WritePair(const std::string& path, const auth::CertificateAndKey& pair);

}  // namespace annex::server
