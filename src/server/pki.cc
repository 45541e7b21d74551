#include "pki.h"

#include "annex/base/log.h"
#include "certificate_pair.h"
#include "private_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <arpa/inet.h>

namespace annex::server {
namespace {

constexpr std::chrono::hours kCertificateLifetime{24 * 365};
// A certificate that ends sooner is renewed.
constexpr std::chrono::hours kRenewBefore{24 * 30};
// How long an earlier authority signs, after another came.
constexpr std::chrono::seconds kOverlap{30};

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

}  // namespace

base::Result<Pki> Pki::Open(const std::string& data_directory, const base::Clock& clock) {
  const std::string directory = data_directory + "/pki";
  ANNEX_RETURN_IF_ERROR(MakePrivateDirectory(directory));
  auto file = std::make_unique<AuthorityFile>(directory + "/ca", clock);
  ANNEX_TRY(const auto stored, file->Read());
  ANNEX_TRY(auto authority, auth::CertificateAuthority::Load(stored));
  return Pki(std::move(file), std::move(authority), directory, clock);
}

base::Result<void> Pki::Reload() {
  ANNEX_TRY(const auto stored, file_->Read());
  const auto now = clock_->Monotonic();
  if (stored.certificate != authority()) {
    ANNEX_TRY(auto next, auth::CertificateAuthority::Load(stored));
    auto last = std::exchange(authority_, std::move(next));
    // If they change twice, what signs is still the first, and the second has signed nothing.
    if (!earlier_) earlier_ = std::move(last);
    changed_at_ = now;
    base::LogInfo("Another certificate authority comes into use", {{"folder", directory_}});
  } else if (earlier_ && now - changed_at_ >= kOverlap) {
    earlier_.reset();
  }
  return {};
}

std::string Pki::authorities() const {
  return earlier_ ? authority() + earlier_->pem().certificate : authority();
}

base::Result<auth::CertificateAndKey> Pki::LoadOrIssue(const std::string& name,
                                                       const auth::CertificateRequest& request) const {
  const std::string path = directory_ + "/" + name;
  ANNEX_TRY(auto stored, ReadPair(path));
  if (stored) {
    const auto facts = auth::ReadCertificate(stored->certificate);
    const auto covers = [&facts](const std::vector<std::string>& names) {
      return std::all_of(names.begin(), names.end(), [&facts](const std::string& wanted) {
        return std::any_of(facts->names.begin(), facts->names.end(),
                           [&wanted](const std::string& known) { return IsSameName(known, wanted); });
      });
    };
    if (facts && facts->expires - clock_->Now() > kRenewBefore && covers(request.dns_names) &&
        covers(request.ip_addresses) && auth::IsSignedBy(stored->certificate, Signer().pem().certificate)) {
      return *std::move(stored);
    }
  }
  ANNEX_TRY(auto issued, Signer().Issue(request, clock_->Now()));
  ANNEX_RETURN_IF_ERROR(WritePair(path, issued));
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
