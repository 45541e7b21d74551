#include "authority_file.h"

#include "annex/base/log.h"
#include "certificate_pair.h"

#include <chrono>
#include <utility>

namespace annex::server {
namespace {

constexpr std::chrono::hours kLifetime{24 * 365 * 10};
// One that ends sooner is replaced.
constexpr std::chrono::hours kRenewBefore{24 * 30};

}  // namespace

base::Result<auth::CertificateAndKey> AuthorityFile::Read() {
  const base::MutexLock lock(mutex_);
  ANNEX_TRY(auto stored, ReadPair(path_));
  if (!stored) return Make();
  // What cannot be read is reported, not replaced: others may trust it.
  ANNEX_RETURN_IF_ERROR(auth::CertificateAuthority::Load(*stored));
  return IsGood(*stored) ? *std::move(stored) : Make();
}

base::Result<void> AuthorityFile::Replace(const auth::CertificateAndKey& authority) {
  ANNEX_RETURN_IF_ERROR(auth::CertificateAuthority::Load(authority));
  const base::MutexLock lock(mutex_);
  const auto stored = ReadPair(path_);
  if (stored && *stored && (*stored)->certificate == authority.certificate && (*stored)->key == authority.key)
    return {};
  return WritePair(path_, authority);
}

base::Result<void> AuthorityFile::Renew() {
  const base::MutexLock lock(mutex_);
  ANNEX_RETURN_IF_ERROR(Make());
  return {};
}

bool AuthorityFile::IsGood(const auth::CertificateAndKey& authority) const {
  if (!auth::CertificateAuthority::Load(authority)) return false;
  const auto facts = auth::ReadCertificate(authority.certificate);
  return facts && facts->expires - clock_.Now() > kRenewBefore;
}

base::Result<auth::CertificateAndKey> AuthorityFile::Make() {
  ANNEX_TRY(const auto authority, auth::CertificateAuthority::Make("annex-ca", kLifetime, clock_.Now()));
  ANNEX_RETURN_IF_ERROR(WritePair(path_, authority.pem()));
  base::LogInfo("Made a certificate authority", {{"file", path_ + ".crt"}});
  return authority.pem();
}

}  // namespace annex::server
