// The certificates of a server, kept in its data directory (mode 0600): made at the first start, renewed when
// they come near their end, must be valid for other names, or the authority changed.
//
// Thread rule: used by one thread at a time; the AuthorityFile by any.
#pragma once

#include "annex/auth/certificate_authority.h"
#include "annex/base/clock.h"
#include "annex/base/result.h"
#include "authority_file.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace annex::server {

class Pki {
 public:
  // Loads or makes the certificate authority in DIRECTORY/pki. Errors: InternalError, Invalid (files that
  // cannot be used).
  static base::Result<Pki> Open(const std::string& data_directory, const base::Clock& clock);

  // Brings this to what the AuthorityFile has. After another authority came, the earlier one signs for 30
  // seconds more, so that both are known to who verifies before the new one is needed.
  // Errors: as AuthorityFile::Read; what was in use stays.
  base::Result<void> Reload();

  // The authority's certificate, PEM.
  const std::string& authority() const { return authority_.pem().certificate; }
  // What serving certificates are to be verified with, PEM: the authority, and an earlier one that still
  // signs.
  std::string authorities() const;
  // Where the authority is; lives as long as this.
  AuthorityFile& authority_file() { return *file_; }

  // The folder of the certificates.
  const std::string& directory() const { return directory_; }

  // A serving certificate that is valid for all of `names` (DNS names and addresses).
  base::Result<auth::CertificateAndKey> Serving(const std::vector<std::string>& names) const;
  // A client certificate of system:masters.
  base::Result<auth::CertificateAndKey> Admin() const;

 private:
  Pki(std::unique_ptr<AuthorityFile> file, auth::CertificateAuthority authority, std::string directory,
      const base::Clock& clock)
      : file_(std::move(file)),
        authority_(std::move(authority)),
        directory_(std::move(directory)),
        clock_(&clock) {}
  const auth::CertificateAuthority& Signer() const { return earlier_ ? *earlier_ : authority_; }
  base::Result<auth::CertificateAndKey> LoadOrIssue(const std::string& name,
                                                    const auth::CertificateRequest& request) const;

  std::unique_ptr<AuthorityFile> file_;
  auth::CertificateAuthority authority_;
  std::optional<auth::CertificateAuthority> earlier_;  // signs until shortly after changed_at_
  std::chrono::steady_clock::time_point changed_at_;
  std::string directory_;
  const base::Clock* clock_;
};

}  // namespace annex::server
