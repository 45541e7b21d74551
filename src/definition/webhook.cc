#include "annex/definition/webhook.h"

#include "annex/base/strings.h"

#include <memory>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace annex::definition {
namespace {

using json::Value;

// The bytes of the definition's bundle, which is base64 in its JSON.
std::string BundleOf(const Value& definition) {
  const std::string& text =
      json::TextAt(definition, {"spec", "conversion", "webhook", "clientConfig", "caBundle"});
  return base::Base64Decode(text).value_or("");
}

// One block of PEM text.
class PemBlock {
 public:
  PemBlock() = default;
  ~PemBlock() {
    OPENSSL_free(name_);
    OPENSSL_free(header_);
    OPENSSL_free(data_);
  }
  PemBlock(const PemBlock&) = delete;
  PemBlock& operator=(const PemBlock&) = delete;

  bool Read(BIO& text) { return PEM_read_bio(&text, &name_, &header_, &data_, &length_) == 1; }
  bool IsCertificate() const { return std::string_view(name_) == "CERTIFICATE" && *header_ == '\0'; }
  bool Parses() const {
    const unsigned char* data = data_;
    const std::unique_ptr<X509, decltype(&X509_free)> parsed(d2i_X509(nullptr, &data, length_), &X509_free);
    return parsed != nullptr;
  }

 private:
  char* name_ = nullptr;
  char* header_ = nullptr;
  unsigned char* data_ = nullptr;
  long length_ = 0;
};

std::optional<Webhook::Service> ReadService(const Value& config) {
  const Value* service = json::Find(config, "service");
  if (service == nullptr || !service->is_object()) return std::nullopt;
  Webhook::Service result;
  result.namespace_name = json::TextAt(*service, {"namespace"});
  result.name = json::TextAt(*service, {"name"});
  result.path = json::TextAt(*service, {"path"});
  result.port = static_cast<std::int32_t>(json::IntegerAt(*service, {"port"}, result.port));
  return result;
}

}  // namespace

std::optional<Webhook> ReadWebhook(const Value& definition) {
  if (json::TextAt(definition, {"spec", "conversion", "strategy"}) != "Webhook") return std::nullopt;
  const Value* config = json::FindPath(definition, {"spec", "conversion", "webhook", "clientConfig"});
  if (config == nullptr) return std::nullopt;
  Webhook webhook;
  webhook.url = json::TextAt(*config, {"url"});
  webhook.service = ReadService(*config);
  webhook.ca_bundle = BundleOf(definition);
  // Kubernetes takes a bundle of white space for none.
  if (base::TrimSpace(webhook.ca_bundle).empty()) webhook.ca_bundle.clear();
  webhook.unusable = !CheckCaBundle(webhook.ca_bundle);
  for (const Value& version :
       json::ItemsAt(definition, {"spec", "conversion", "webhook", "conversionReviewVersions"})) {
    if (version != kReviewV1 && version != kReviewV1Beta1) continue;
    webhook.review_version = version.get<std::string>();
    break;
  }
  return webhook;
}

base::Result<void> CheckCaBundle(std::string_view pem) {
  if (pem.empty()) return {};
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  std::string problem = "no valid certificate authority data seen";
  bool first_problem = true;
  while (!BIO_eof(text.get())) {
    PemBlock block;
    const bool read = block.Read(*text);
    if (read && !block.IsCertificate()) continue;
    if (read && block.Parses()) {
      ERR_clear_error();
      return {};
    }
    if (first_problem) {
      problem = read ? "failed to parse certificate: x509: malformed certificate"
                     : "unable to parse bytes as PEM block";
    }
    first_problem = false;
    if (!read) break;
  }
  ERR_clear_error();
  return base::Error(base::Reason::kInvalid, "unable to load root certificates: " + problem);
}

base::Result<void> CheckCaBundleOf(const Value& definition) {
  return CheckCaBundle(BundleOf(definition));
}

}  // namespace annex::definition
