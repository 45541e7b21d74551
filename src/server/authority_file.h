// AuthorityFile: the certificate authority of a server, in two files of its data directory (PATH.crt and
// PATH.key, mode 0600).
//
// Thread rule: thread-safe; nobody sees a certificate with another's key.
#pragma once

#include "annex/auth/certificate_authority.h"
#include "annex/base/clock.h"
#include "annex/base/mutex.h"
#include "annex/base/result.h"

#include <string>

namespace annex::server {

class AuthorityFile {
 public:
  AuthorityFile(std::string path, const base::Clock& clock) : path_(std::move(path)), clock_(clock) {}

  // What the files have. An authority is made if there are none, or if theirs comes near its end.
  // Errors: InternalError, Invalid (files that cannot be used: they are left as they are).
  base::Result<auth::CertificateAndKey> Read();
  // Replaces the authority, if this is another. Errors: InternalError, Invalid (this is no authority).
  base::Result<void> Replace(const auth::CertificateAndKey& authority);
  // Replaces the authority by a new one. Errors: InternalError.
  base::Result<void> Renew();

  // Whether it is an authority, and not near its end (30 days).
  bool IsGood(const auth::CertificateAndKey& authority) const;

 private:
  base::Result<auth::CertificateAndKey> Make() ANNEX_REQUIRES(mutex_);

  const std::string path_;
  const base::Clock& clock_;
  base::Mutex mutex_;  // guards the files
};

}  // namespace annex::server
