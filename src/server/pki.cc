#include "pki.h"

#include "annex/base/log.h"
#include "private_files.h"

#include <algorithm>
#include <array>
#include <optional>

#include <arpa/inet.h>

namespace annex::server {
namespace {

constexpr std::chrono::hours kAuthorityLifetime{24 * 365 * 10};
constexpr std::chrono::hours kCertificateLifetime{24 * 365};
// A certificate that ends sooner is renewed.
constexpr std::chrono::hours kRenewBefore{24 * 30};

// An address in the form in which addresses are compared ("::1" for "0:0:0:0:0:0:0:1"); nullopt for any other
// name.
std::optional<std::string> AddressText(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, name.c_str(), address.data()) != 1) continue;
    if (inet_ntop(family, address.data(), text.data(), text.size()) != nullptr)
      return std::string(text.data());
  }
  return std::nullopt;
}

bool IsSameName(const std::string& a, const std::string& b) {
  return a == b || (AddressText(a) && AddressText(a) == AddressText(b));
}

// Both files of a certificate, or nullopt if they are not there. Errors: InternalError.
base::Result<std::optional<auth::CertificateAndKey>> Load(const std::string& path) {
  auto certificate = ReadFile(path + ".crt");
  auto key = ReadFile(path + ".key");
  if (certificate && key)
    return std::optional<auth::CertificateAndKey>({*std::move(certificate), *std::move(key)});
  const bool missing = (!certificate && certificate.error().reason == base::Reason::kNotFound) ||
                       (!key && key.error().reason == base::Reason::kNotFound);
  if (missing) return std::optional<auth::CertificateAndKey>();
  return base::Error(certificate ? key.error() : certificate.error());
}

base::Result<void> Save(const std::string& path, const auth::CertificateAndKey& pair) {
  // The key first: a certificate without its key would be taken for a pair that is there.
  ANNEX_RETURN_IF_ERROR(WritePrivateFile(path + ".key", pair.key));
  return WritePrivateFile(path + ".crt", pair.certificate);
}

}  // namespace

base::Result<Pki> Pki::Open(const std::string& data_directory, const base::Clock& clock) {
  const std::string directory = data_directory + "/pki";
  ANNEX_RETURN_IF_ERROR(MakePrivateDirectory(directory));
  ANNEX_TRY(const auto stored, Load(directory + "/ca"));
  if (stored) {
    ANNEX_TRY(auto authority, auth::CertificateAuthority::Load(*stored));
    return Pki(std::move(authority), directory, clock);
  }
  ANNEX_TRY(auto authority, auth::CertificateAuthority::Make("annex-ca", kAuthorityLifetime, clock.Now()));
  ANNEX_RETURN_IF_ERROR(Save(directory + "/ca", authority.pem()));
  base::LogInfo("Made a certificate authority", {{"folder", directory}});
  return Pki(std::move(authority), directory, clock);
}

base::Result<auth::CertificateAndKey> Pki::LoadOrIssue(const std::string& name,
                                                       const auth::CertificateRequest& request) const {
  const std::string path = directory_ + "/" + name;
  ANNEX_TRY(auto stored, Load(path));
  if (stored) {
    const auto facts = auth::ReadCertificate(stored->certificate);
    const auto covers = [&facts](const std::vector<std::string>& names) {
      return std::all_of(names.begin(), names.end(), [&facts](const std::string& wanted) {
        return std::any_of(facts->names.begin(), facts->names.end(),
                           [&wanted](const std::string& known) { return IsSameName(known, wanted); });
      });
    };
    if (facts && facts->expires - clock_->Now() > kRenewBefore && covers(request.dns_names) &&
        covers(request.ip_addresses)) {
      return *std::move(stored);
    }
  }
  ANNEX_TRY(auto issued, authority_.Issue(request, clock_->Now()));
  ANNEX_RETURN_IF_ERROR(Save(path, issued));
  base::LogInfo("Issued a certificate", {{"file", path + ".crt"}, {"commonName", request.common_name}});
  return issued;
}

base::Result<auth::CertificateAndKey> Pki::Serving(const std::vector<std::string>& names) const {
  auth::CertificateRequest request;
  request.common_name = "annex";
  request.for_server = true;
  request.lifetime = kCertificateLifetime;
  for (const std::string& name : names)
    (AddressText(name) ? request.ip_addresses : request.dns_names).push_back(name);
  return LoadOrIssue("serving", request);
}

base::Result<auth::CertificateAndKey> Pki::Admin() const {
  auth::CertificateRequest request;
  request.common_name = "annex-admin";
  request.organizations = {"system:masters"};
  request.lifetime = kCertificateLifetime;
  return LoadOrIssue("admin", request);
}

}  // namespace annex::server
