#include "webhook_tls.h"

#include "annex/base/clock.h"
#include "annex/base/strings.h"

#include <chrono>
#include <ctime>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace annex::kube {
namespace {

namespace ssl = boost::asio::ssl;

bool IsAddress(const std::string& name) {
  boost::system::error_code failed;
  boost::asio::ip::make_address(name, failed);
  return !failed;
}

std::string TextOf(const ASN1_TIME& time) {
  std::tm parts{};
  ASN1_TIME_to_tm(&time, &parts);
  return base::Rfc3339(std::chrono::system_clock::from_time_t(timegm(&parts)));
}

// "certificate has expired or is not yet valid: …"; "" if its time is now.
std::string TimeProblem(const X509& certificate) {
  const ASN1_TIME* begin = X509_get0_notBefore(&certificate);
  const ASN1_TIME* end = X509_get0_notAfter(&certificate);
  const std::string now = base::Rfc3339(std::chrono::system_clock::now());
  const std::string words = "certificate has expired or is not yet valid: current time " + now;
  if (X509_cmp_current_time(begin) > 0) return words + " is before " + TextOf(*begin);
  if (X509_cmp_current_time(end) < 0) return words + " is after " + TextOf(*end);
  return "";
}

struct ServedNames {
  std::vector<std::string> dns;
  std::vector<std::string> addresses;
};

std::string AddressText(const ASN1_OCTET_STRING& bytes) {
  const unsigned char* data = ASN1_STRING_get0_data(&bytes);
  if (ASN1_STRING_length(&bytes) == 4) {
    boost::asio::ip::address_v4::bytes_type v4{};
    std::copy_n(data, v4.size(), v4.begin());
    return boost::asio::ip::address_v4(v4).to_string();
  }
  if (ASN1_STRING_length(&bytes) != 16) return "";
  boost::asio::ip::address_v6::bytes_type v6{};
  std::copy_n(data, v6.size(), v6.begin());
  return boost::asio::ip::address_v6(v6).to_string();
}

ServedNames NamesOf(const X509& certificate) {
  ServedNames names;
  auto* list =
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(list); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(list, i);
    if (name->type == GEN_DNS) {
      const auto* data = ASN1_STRING_get0_data(name->d.dNSName);
      const auto length = static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName));
      names.dns.emplace_back(data, data + length);
    } else if (name->type == GEN_IPADD) {
      names.addresses.push_back(AddressText(*name->d.iPAddress));
    }
  }
  GENERAL_NAMES_free(list);
  return names;
}

// Why a certificate is not one for `server_name`; "" if it is.
std::string NameProblem(X509& certificate, const std::string& server_name) {
  const bool address = IsAddress(server_name);
  const int fits = address ? X509_check_ip_asc(&certificate, server_name.c_str(), 0)
                           : X509_check_host(&certificate, server_name.data(), server_name.size(),
                                             X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr);
  if (fits == 1) return "";
  const ServedNames names = NamesOf(certificate);
  if (address && names.addresses.empty()) {
    return "cannot validate certificate for " + server_name + " because it doesn't contain any IP SANs";
  }
  if (address)
    return "certificate is valid for " + base::Join(names.addresses, ", ") + ", not " + server_name;
  if (names.dns.empty() && names.addresses.empty() &&
      X509_check_host(&certificate, server_name.data(), server_name.size(), 0, nullptr) == 1) {
    return "certificate relies on legacy Common Name field, use SANs instead";
  }
  if (names.dns.empty()) {
    return "certificate is not valid for any names, but wanted to match " + server_name;
  }
  return "certificate is valid for " + base::Join(names.dns, ", ") + ", not " + server_name;
}

std::string ChainProblem(X509_STORE_CTX& chain) {
  const int error = X509_STORE_CTX_get_error(&chain);
  switch (error) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "certificate signed by unknown authority";
    default:
      break;
  }
  const X509* current = X509_STORE_CTX_get_current_cert(&chain);
  const std::string time = current == nullptr ? "" : TimeProblem(*current);
  return time.empty() ? X509_verify_cert_error_string(error) : time;
}

// Go looks at the certificate's time, then at its names, then for who signed it.
std::string ProblemOf(X509_STORE_CTX& chain, const std::string& server_name) {
  X509* leaf = X509_STORE_CTX_get0_cert(&chain);
  std::string problem = TimeProblem(*leaf);
  if (problem.empty()) problem = NameProblem(*leaf, server_name);
  if (problem.empty()) problem = ChainProblem(chain);
  return "tls: failed to verify certificate: x509: " + problem;
}

}  // namespace

base::Result<std::shared_ptr<ssl::context>> MakeTlsContext(const std::string& ca_bundle) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  // As Go: whatever certificate is in the bundle is trusted, not only one that signed itself.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(context->native_handle()), X509_V_FLAG_PARTIAL_CHAIN);
  context->set_verify_mode(ssl::verify_peer);
  boost::system::error_code failed;
  if (ca_bundle.empty()) {
    context->set_default_verify_paths(failed);
  } else {
    context->add_certificate_authority(boost::asio::buffer(ca_bundle), failed);
  }
  ERR_clear_error();
  if (!failed) return context;
  return base::Error(base::Reason::kInvalid, "unable to load root certificates: " + failed.message());
}

base::Result<void> ExpectServer(TlsStream& stream, const std::string& server_name, std::string& problem) {
  SSL* tls = stream.native_handle();
  X509_VERIFY_PARAM* parameters = SSL_get0_param(tls);
  int set = 0;
  if (IsAddress(server_name)) {
    set = X509_VERIFY_PARAM_set1_ip_asc(parameters, server_name.c_str());
  } else {
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    set = X509_VERIFY_PARAM_set1_host(parameters, server_name.data(), server_name.size());
    SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(server_name.c_str()));
  }
  if (set != 1) return base::Error(base::Reason::kInvalid, "no server can be called " + server_name);
  stream.set_verify_callback([&problem, server_name](bool trusted, ssl::verify_context& chain) {
    if (!trusted && problem.empty()) problem = ProblemOf(*chain.native_handle(), server_name);
    return trusted;
  });
  return {};
}

}  // namespace annex::kube
