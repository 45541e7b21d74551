#include "certificate_pair.h"

#include "private_files.h"

#include <utility>

namespace annex::server {

base::Result<std::optional<auth::CertificateAndKey>> ReadPair(const std::string& path) {
  auto certificate = ReadFile(path + ".crt");
  auto key = ReadFile(path + ".key");
  if (certificate && key)
    return std::optional<auth::CertificateAndKey>({*std::move(certificate), *std::move(key)});
  const bool missing = (!certificate && certificate.error().reason == base::Reason::kNotFound) ||
                       (!key && key.error().reason == base::Reason::kNotFound);
  if (missing) return std::optional<auth::CertificateAndKey>();
  return base::Error(certificate ? key.error() : certificate.error());
}

base::Result<void> WritePair(const std::string& path, const auth::CertificateAndKey& pair) {
  // The key first: a certificate without its key would be taken for a pair that is there.
  ANNEX_RETURN_IF_ERROR(WritePrivateFile(path + ".key", pair.key));
  return WritePrivateFile(path + ".crt", pair.certificate);
}

}  // namespace annex::server
