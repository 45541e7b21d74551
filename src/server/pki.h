// The certificates of a server, kept in its data directory (mode 0600): made at the first start, renewed when
// they come near their end or must be valid for other names.
#pragma once

#include "annex/auth/certificate_authority.h"
#include "annex/base/clock.h"
#include "annex/base/result.h"

#include <string>
#include <vector>

namespace annex::server {

class Pki {
 public:
  // Loads or makes the certificate authority in DIRECTORY/pki. Errors: InternalError, Invalid (files that
  // cannot be used).
  static base::Result<Pki> Open(const std::string& data_directory, const base::Clock& clock);

  // The authority's certificate, PEM.
  const std::string& authority() const { return authority_.pem().certificate; }

  // The folder of the certificates.
  const std::string& directory() const { return directory_; }

  // A serving certificate that is valid for all of `names` (DNS names and addresses).
  base::Result<auth::CertificateAndKey> Serving(const std::vector<std::string>& names) const;
  // A client certificate of system:masters.
  base::Result<auth::CertificateAndKey> Admin() const;

 private:
  Pki(auth::CertificateAuthority authority, std::string directory, const base::Clock& clock)
      : authority_(std::move(authority)), directory_(std::move(directory)), clock_(&clock) {}
  base::Result<auth::CertificateAndKey> LoadOrIssue(const std::string& name,
                                                    const auth::CertificateRequest& request) const;

  auth::CertificateAuthority authority_;
  std::string directory_;
  const base::Clock* clock_;
};

}  // namespace annex::server
