#include "tls_context.h"

#include <string_view>

#include <openssl/ssl.h>

namespace annex::http {
namespace {

// In wire format: each name after its length. HTTP/2 is preferred.
constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";

int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* chosen_length,
                   const unsigned char* offered, unsigned offered_length, void*) {
  const int found = SSL_select_next_proto(const_cast<unsigned char**>(chosen), chosen_length,
                                          reinterpret_cast<const unsigned char*>(kProtocols.data()),
                                          static_cast<unsigned>(kProtocols.size()), offered, offered_length);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::string DerOf(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int length = i2d_X509(certificate, &bytes);
  std::string der;
  if (length > 0) der.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  OPENSSL_free(bytes);
  return der;
}

}  // namespace

base::Result<std::shared_ptr<asio::ssl::context>> MakeTlsContext(const Identity& identity) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* handle = context->native_handle();
  SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
  // Sessions are not resumed: a ticket would carry a client's identity past the certificate that proved it.
  SSL_CTX_set_options(handle, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(handle, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(handle, 0);
  SSL_CTX_set_mode(handle, SSL_MODE_RELEASE_BUFFERS);
  // Forward secrecy and authenticated encryption only (Mozilla's intermediate profile without its old
  // ciphers).
  SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM+AES128:ECDHE+AESGCM:ECDHE+CHACHA20");
  // In Go's order, which is kube-apiserver's: AES-128 is as good here and a quarter cheaper than OpenSSL's
  // first, AES-256.
  SSL_CTX_set_ciphersuites(handle,
                           "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_alpn_select_cb(handle, ChooseProtocol, nullptr);
  // Whether a certificate counts is decided per request (auth::Peer); the handshake only proves that the
  // client has its key.
  SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(
      handle, [](X509_STORE_CTX*, void*) { return 1; }, nullptr);
  ErrorCode error;
  context->use_certificate_chain(asio::buffer(identity.certificate), error);
  if (error)
    return base::Error(base::Reason::kInternalError,
                       "the serving certificate cannot be used: " + error.message());
  context->use_private_key(asio::buffer(identity.key), asio::ssl::context::pem, error);
  if (error)
    return base::Error(base::Reason::kInternalError, "the serving key cannot be used: " + error.message());
  if (SSL_CTX_check_private_key(handle) != 1) {
    return base::Error(base::Reason::kInternalError,
                       "the serving key does not belong to the serving certificate");
  }
  return context;
}

bool NegotiatedHttp2(SSL* ssl) {
  const unsigned char* protocol = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(ssl, &protocol, &length);
  return std::string_view(reinterpret_cast<const char*>(protocol), length) == "h2";
}

std::shared_ptr<auth::Peer> PeerOf(SSL* ssl) {
  auto peer = std::make_shared<auth::Peer>();
  X509* own = SSL_get0_peer_certificate(ssl);
  if (own == nullptr) return peer;
  peer->certificates.push_back(DerOf(own));
  // On a server the chain does not contain the client's own certificate.
  STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i)
    peer->certificates.push_back(DerOf(sk_X509_value(chain, i)));
  return peer;
}

}  // namespace annex::http
