#include "annex/auth/certificate_authority.h"

#include "openssl.h"

#include <array>
#include <ctime>

#include <arpa/inet.h>
#include <openssl/rand.h>

namespace annex::auth {
namespace {

// Certificates begin a little in the past, for clocks that are a little behind.
constexpr std::chrono::minutes kBackdate{5};

auto Failed(const char* doing) {
  return base::Error(base::Reason::kInternalError, std::string(doing) + ": " + OpenSslError());
}

std::string TakeText(const BioPtr& bio) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(length)};
}

CertificateAndKey ToPem(X509* certificate, EVP_PKEY* key) {
  const BioPtr certificate_bio(BIO_new(BIO_s_mem()));
  const BioPtr key_bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_bio.get(), certificate);
  PEM_write_bio_PrivateKey(key_bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return {TakeText(certificate_bio), TakeText(key_bio)};
}

void SetTimes(X509* certificate, std::chrono::system_clock::time_point now, std::chrono::hours lifetime) {
  const std::time_t begin = std::chrono::system_clock::to_time_t(now - kBackdate);
  const std::time_t end = std::chrono::system_clock::to_time_t(now + lifetime);
  ASN1_TIME_set(X509_getm_notBefore(certificate), begin);
  ASN1_TIME_set(X509_getm_notAfter(certificate), end);
}

// 128 random bits, positive.
void SetSerial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  bytes[0] &= 0x7FU;
  const BignumPtr number(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
}

void AddName(X509_NAME* name, const char* field, const std::string& value) {
  X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                             static_cast<int>(value.size()), -1, 0);
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

std::string AlternativeNames(const CertificateRequest& request) {
  std::string names;
  const auto add = [&names](const char* kind, const std::string& name) {
    if (!names.empty()) names += ',';
    names.append(kind).append(name);
  };
  for (const std::string& name : request.dns_names) add("DNS:", name);
  for (const std::string& address : request.ip_addresses) add("IP:", address);
  return names;
}

// An address as people write it ("::1"), so that it equals the name that was asked for.
std::string AddressText(const ASN1_OCTET_STRING* address) {
  const auto length = static_cast<std::size_t>(ASN1_STRING_length(address));
  if (length != sizeof(in_addr) && length != sizeof(in6_addr)) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* written = inet_ntop(length == sizeof(in_addr) ? AF_INET : AF_INET6,
                                  ASN1_STRING_get0_data(address), text.data(), text.size());
  return written == nullptr ? "" : written;
}

}  // namespace

struct CertificateAuthority::Handles {
  X509Ptr certificate;
  KeyPtr key;
};

CertificateAuthority::CertificateAuthority(CertificateAndKey pem, std::unique_ptr<Handles> handles)
    : pem_(std::move(pem)), handles_(std::move(handles)) {}
CertificateAuthority::~CertificateAuthority() = default;
CertificateAuthority::CertificateAuthority(CertificateAuthority&&) noexcept = default;
CertificateAuthority& CertificateAuthority::operator=(CertificateAuthority&&) noexcept = default;

base::Result<CertificateAuthority> CertificateAuthority::Make(const std::string& common_name,
                                                              std::chrono::hours lifetime,
                                                              std::chrono::system_clock::time_point now) {
  auto handles = std::make_unique<Handles>();
  handles->key.reset(EVP_EC_gen("P-256"));
  handles->certificate.reset(X509_new());
  X509* certificate = handles->certificate.get();
  if (!handles->key || certificate == nullptr) return Failed("make a key");
  X509_set_version(certificate, X509_VERSION_3);
  SetSerial(certificate);
  SetTimes(certificate, now, lifetime);
  X509_set_pubkey(certificate, handles->key.get());
  AddName(X509_get_subject_name(certificate), "CN", common_name);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  const bool extended = AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") &&
                        AddExtension(certificate, certificate, NID_key_usage,
                                     "critical,keyCertSign,cRLSign,digitalSignature") &&
                        AddExtension(certificate, certificate, NID_subject_key_identifier, "hash");
  if (!extended || X509_sign(certificate, handles->key.get(), EVP_sha256()) == 0)
    return Failed("make a CA certificate");
  CertificateAndKey pem = ToPem(certificate, handles->key.get());
  return CertificateAuthority(std::move(pem), std::move(handles));
}

base::Result<CertificateAuthority> CertificateAuthority::Load(const CertificateAndKey& authority) {
  auto handles = std::make_unique<Handles>();
  handles->certificate.reset(
      PEM_read_bio_X509(ReadBio(authority.certificate).get(), nullptr, nullptr, nullptr));
  handles->key.reset(PEM_read_bio_PrivateKey(ReadBio(authority.key).get(), nullptr, nullptr, nullptr));
  if (!handles->certificate || !handles->key ||
      X509_check_private_key(handles->certificate.get(), handles->key.get()) != 1) {
    return base::Error(base::Reason::kInvalid,
                       "the CA's certificate and key cannot be used: " + OpenSslError());
  }
  return CertificateAuthority(authority, std::move(handles));
}

base::Result<CertificateAndKey> CertificateAuthority::Issue(const CertificateRequest& request,
                                                            std::chrono::system_clock::time_point now) const {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate(X509_new());
  if (!key || !certificate) return Failed("make a key");
  X509_set_version(certificate.get(), X509_VERSION_3);
  SetSerial(certificate.get());
  SetTimes(certificate.get(), now, request.lifetime);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  for (const std::string& organization : request.organizations) AddName(subject, "O", organization);
  AddName(subject, "CN", request.common_name);
  X509* issuer = handles_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  const std::string names = AlternativeNames(request);
  const bool extended =
      AddExtension(certificate.get(), issuer, NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(certificate.get(), issuer, NID_key_usage, "critical,digitalSignature") &&
      AddExtension(certificate.get(), issuer, NID_ext_key_usage,
                   request.for_server ? "serverAuth" : "clientAuth") &&
      AddExtension(certificate.get(), issuer, NID_authority_key_identifier, "keyid:always") &&
      (names.empty() || AddExtension(certificate.get(), issuer, NID_subject_alt_name, names));
  if (!extended || X509_sign(certificate.get(), handles_->key.get(), EVP_sha256()) == 0)
    return Failed("issue a certificate");
  return ToPem(certificate.get(), key.get());
}

base::Result<CertificateFacts> ReadCertificate(const std::string& pem) {
  const X509Ptr certificate(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
  if (!certificate)
    return base::Error(base::Reason::kInvalid, "the certificate cannot be read: " + OpenSslError());
  CertificateFacts facts;
  std::tm fields{};
  ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &fields);
  facts.expires = std::chrono::system_clock::from_time_t(timegm(&fields));
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_DNS) {
      facts.names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                               static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      facts.names.push_back(AddressText(name->d.iPAddress));
    }
  }
  GENERAL_NAMES_free(names);
  return facts;
}

bool IsSignedBy(const std::string& certificate, const std::string& authority) {
  const X509Ptr subject(PEM_read_bio_X509(ReadBio(certificate).get(), nullptr, nullptr, nullptr));
  const X509Ptr issuer(PEM_read_bio_X509(ReadBio(authority).get(), nullptr, nullptr, nullptr));
  return subject && issuer && X509_verify(subject.get(), X509_get0_pubkey(issuer.get())) == 1;
}

std::string CertificateDer(const std::string& pem) {
  const X509Ptr certificate(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
  unsigned char* bytes = nullptr;
  const int length = certificate ? i2d_X509(certificate.get(), &bytes) : 0;
  std::string der;
  if (length > 0) der.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  OPENSSL_free(bytes);
  return der;
}

}  // namespace annex::auth
