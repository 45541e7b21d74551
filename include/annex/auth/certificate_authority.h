// CertificateAuthority: makes certificates, for servers and users of a standalone Annex and for its serving
// certificate in a cluster.
//
// Keys are ECDSA P-256. Thread rule: const methods are thread-safe.
#pragma once

#include "annex/base/result.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace annex::auth {

// A certificate and its private key, PEM. The key is a secret.
struct CertificateAndKey {
  std::string certificate;
  std::string key;
};

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  bool for_server = false;  // else for a client
  std::chrono::hours lifetime{24 * 365};
};

class CertificateAuthority {
 public:
  // A new authority with a new key. Errors: InternalError (OpenSSL failed).
  static base::Result<CertificateAuthority> Make(const std::string& common_name, std::chrono::hours lifetime,
                                                 std::chrono::system_clock::time_point now);
  // An authority that was made before. Errors: Invalid (unreadable, or the key is of another certificate).
  static base::Result<CertificateAuthority> Load(const CertificateAndKey& authority);
  ~CertificateAuthority();
  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;

  const CertificateAndKey& pem() const { return pem_; }

  // A certificate with a new key. Errors: InternalError.
  base::Result<CertificateAndKey> Issue(const CertificateRequest& request,
                                        std::chrono::system_clock::time_point now) const;

 private:
  struct Handles;
  CertificateAuthority(CertificateAndKey pem, std::unique_ptr<Handles> handles);
  CertificateAndKey pem_;
  std::unique_ptr<Handles> handles_;
};

// When a certificate (PEM) ends, and whether it names `dns_name` or the address `dns_name`. Errors: Invalid.
struct CertificateFacts {
  std::chrono::system_clock::time_point expires;
  std::vector<std::string> names;  // DNS names and addresses
};
base::Result<CertificateFacts> ReadCertificate(const std::string& pem);

// Whether an authority (PEM) signed a certificate (PEM); false if one cannot be read.
bool IsSignedBy(const std::string& certificate, const std::string& authority);

// A certificate as DER; "" if the PEM cannot be read.
std::string CertificateDer(const std::string& pem);

}  // namespace annex::auth
