#include "annex/auth/trust_bundle.h"

#include "openssl.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <set>

namespace annex::auth {
namespace {

std::atomic<std::uint64_t> next_generation{1};

std::string TextOf(const X509_NAME_ENTRY* entry) {
  unsigned char* bytes = nullptr;
  const int length = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(entry));
  std::string text;
  if (length > 0) text.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  OPENSSL_free(bytes);
  return text;
}

std::vector<std::string> NamesOf(const X509* certificate, int nid) {
  std::vector<std::string> names;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int i = X509_NAME_get_index_by_NID(subject, nid, -1); i >= 0;
       i = X509_NAME_get_index_by_NID(subject, nid, i)) {
    names.push_back(TextOf(X509_NAME_get_entry(subject, i)));
  }
  return names;
}

std::chrono::system_clock::time_point TimeOf(const ASN1_TIME* time) {
  std::tm fields{};
  if (ASN1_TIME_to_tm(time, &fields) != 1) return {};
  return std::chrono::system_clock::from_time_t(timegm(&fields));
}

std::string DigestOf(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  X509_digest(certificate, EVP_sha256(), digest.data(), &length);
  return {reinterpret_cast<const char*>(digest.data()), length};
}

}  // namespace

struct TrustBundle::Store {
  X509StorePtr authorities;
  std::set<std::string> digests;  // of the authorities' certificates
};

TrustBundle::TrustBundle(std::unique_ptr<Store> store)
    : store_(std::move(store)), generation_(next_generation++) {}
TrustBundle::~TrustBundle() = default;

base::Result<std::shared_ptr<const TrustBundle>> TrustBundle::Parse(std::string_view pem) {
  auto store = std::make_unique<Store>();
  store->authorities.reset(X509_STORE_new());
  // Every certificate of the bundle is trusted as it is, whoever signed it.
  X509_STORE_set_flags(store->authorities.get(), X509_V_FLAG_PARTIAL_CHAIN);
  const BioPtr bio = ReadBio(pem);
  int count = 0;
  while (const X509Ptr certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store->authorities.get(), certificate.get());
    store->digests.insert(DigestOf(certificate.get()));
    ++count;
  }
  // The end of the text is an error to OpenSSL; any other means that a certificate was damaged.
  const unsigned long error = ERR_peek_last_error();
  const bool at_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (count == 0) return base::Error(base::Reason::kInvalid, "there is no certificate in the CA bundle");
  if (!at_end)
    return base::Error(base::Reason::kInvalid,
                       "the CA bundle holds a certificate that cannot be read: " + OpenSslError());
  ERR_clear_error();
  return std::shared_ptr<const TrustBundle>(new TrustBundle(std::move(store)));
}

bool TrustBundle::SharesAuthorityWith(const TrustBundle& other) const {
  return std::any_of(store_->digests.begin(), store_->digests.end(),
                     [&other](const std::string& digest) { return other.store_->digests.contains(digest); });
}

CachedVerification TrustBundle::Verify(const std::vector<std::string>& certificates,
                                       std::chrono::system_clock::time_point now) const {
  CachedVerification outcome;
  outcome.trust_generation = generation_;
  outcome.expires = std::chrono::system_clock::time_point::max();
  if (certificates.empty()) return outcome;
  const X509Ptr own = ParseDer(certificates[0]);
  const X509StackPtr others(sk_X509_new_null());
  for (std::size_t i = 1; i < certificates.size(); ++i) {
    if (X509Ptr other = ParseDer(certificates[i])) sk_X509_push(others.get(), other.release());
  }
  const X509StoreContextPtr context(X509_STORE_CTX_new());
  if (!own || X509_STORE_CTX_init(context.get(), store_->authorities.get(), own.get(), others.get()) != 1) {
    ERR_clear_error();
    return outcome;
  }
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  X509_VERIFY_PARAM_set_time(X509_STORE_CTX_get0_param(context.get()),
                             std::chrono::system_clock::to_time_t(now));
  outcome.valid = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  if (!outcome.valid) {
    // It may only not be in time yet: ask again soon.
    outcome.expires = now + std::chrono::seconds(1);
    return outcome;
  }
  STACK_OF(X509)* chain = X509_STORE_CTX_get0_chain(context.get());
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    outcome.expires = std::min(outcome.expires, TimeOf(X509_get0_notAfter(sk_X509_value(chain, i))));
  }
  // Two common names could be read as either; such a certificate names nobody.
  const auto names = NamesOf(own.get(), NID_commonName);
  if (names.size() == 1) outcome.common_name = names[0];
  outcome.organizations = NamesOf(own.get(), NID_organizationName);
  return outcome;
}

}  // namespace annex::auth
