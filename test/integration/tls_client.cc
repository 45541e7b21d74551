#include "tls_client.h"

#include "annex/base/check.h"

#include <array>
#include <csignal>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace annex::test {
namespace {

template <typename T, void (*Free)(T*)>
struct Deleter {
  void operator()(T* object) const { Free(object); }
};

bool CanRead(int socket, std::chrono::milliseconds patience) {
  pollfd waiting{socket, POLLIN, 0};
  return poll(&waiting, 1, static_cast<int>(patience.count())) > 0;
}

std::chrono::milliseconds Left(std::chrono::steady_clock::time_point end) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  return std::max(left, std::chrono::milliseconds(0));
}

}  // namespace

int ConnectTcp(std::uint16_t port, int receive_buffer_bytes) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ANNEX_CHECK(file >= 0, "a socket can be made");
  if (receive_buffer_bytes > 0)
    setsockopt(file, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return file;
  close(file);
  return -1;
}

TlsClient::TlsClient(const TlsClientOptions& options)
    : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), ssl_(nullptr, SSL_free) {
  // A server that went away is an error of write, not a signal.
  std::signal(SIGPIPE, SIG_IGN);
  SSL_CTX_set_min_proto_version(context_.get(), options.min_version);
  SSL_CTX_set_max_proto_version(context_.get(), options.max_version);
  // The system's policy may forbid old versions by itself; it is the server that has to refuse.
  SSL_CTX_set_security_level(context_.get(), 0);
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_NONE, nullptr);
  if (!options.certificate.empty()) UseCertificate(options);
  if (!options.protocol.empty()) {
    const std::string wire = static_cast<char>(options.protocol.size()) + options.protocol;
    SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(wire.data()),
                            static_cast<unsigned>(wire.size()));
  }
  Connect(options);
}

TlsClient::~TlsClient() {
  if (ssl_ && socket_ >= 0) close(socket_);
}

void TlsClient::UseCertificate(const TlsClientOptions& options) {
  const auto memory = [](const std::string& text) {
    return std::unique_ptr<BIO, Deleter<BIO, BIO_free_all>>(
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  };
  const std::unique_ptr<X509, Deleter<X509, X509_free>> certificate(
      PEM_read_bio_X509(memory(options.certificate).get(), nullptr, nullptr, nullptr));
  const std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY, EVP_PKEY_free>> key(
      PEM_read_bio_PrivateKey(memory(options.key).get(), nullptr, nullptr, nullptr));
  ANNEX_CHECK(SSL_CTX_use_certificate(context_.get(), certificate.get()) == 1, "the certificate can be used");
  ANNEX_CHECK(SSL_CTX_use_PrivateKey(context_.get(), key.get()) == 1, "the key can be used");
}

void TlsClient::Connect(const TlsClientOptions& options) {
  socket_ = ConnectTcp(options.port, options.receive_buffer_bytes);
  ssl_.reset(SSL_new(context_.get()));
  if (socket_ < 0) return;
  SSL_set_fd(ssl_.get(), socket_);
  connected_ = SSL_connect(ssl_.get()) == 1;
  ERR_clear_error();
}

std::string TlsClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &length);
  return {reinterpret_cast<const char*>(name), length};
}

std::string TlsClient::version() const {
  return SSL_get_version(ssl_.get());
}

std::string TlsClient::server_name() const {
  X509* certificate = connected_ ? SSL_get0_peer_certificate(ssl_.get()) : nullptr;
  if (certificate == nullptr) return "";
  std::array<char, 64> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

bool TlsClient::Write(std::string_view bytes) {
  if (bytes.empty()) return true;
  const bool written =
      SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
  ERR_clear_error();
  return written;
}

std::string TlsClient::Read(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::array<char, 16384> buffer{};
  while (!closed_) {
    if (SSL_pending(ssl_.get()) == 0 && !CanRead(socket_, Left(end))) return "";
    const int length = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
    if (length > 0) return {buffer.data(), static_cast<std::size_t>(length)};
    closed_ = SSL_get_error(ssl_.get(), length) != SSL_ERROR_WANT_READ;
    ERR_clear_error();
  }
  return "";
}

void TlsClient::CloseSending() {
  shutdown(socket_, SHUT_WR);
}

bool TlsClient::WaitForClose(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!closed_ && std::chrono::steady_clock::now() < end) static_cast<void>(Read(Left(end)));
  return closed_;
}

}  // namespace annex::test
