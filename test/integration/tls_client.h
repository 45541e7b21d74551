// TlsClient: one TLS connection that a test drives byte by byte, to send what no honest client would.
//
// Failures: reads and writes say what happened; they never throw. Thread rule: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

namespace annex::test {

struct TlsClientOptions {
  std::uint16_t port = 0;
  int min_version = TLS1_2_VERSION;
  int max_version = TLS1_3_VERSION;
  std::string protocol = {};     // what ALPN offers: "h2", "http/1.1"; empty: no ALPN
  std::string certificate = {};  // PEM; empty: none is shown
  std::string key = {};
  int receive_buffer_bytes = 0;  // SO_RCVBUF; 0: the system's
};

class TlsClient {
 public:
  explicit TlsClient(const TlsClientOptions& options);
  ~TlsClient();
  TlsClient(TlsClient&&) noexcept = default;

  // Whether the handshake succeeded. With TLS 1.3 a server may still refuse afterwards.
  bool connected() const { return connected_; }
  std::string protocol() const;  // what ALPN agreed on
  std::string version() const;   // "TLSv1.3"
  // The common name in the server's certificate; "" without a connection.
  std::string server_name() const;

  // False: the connection is gone.
  bool Write(std::string_view bytes);
  // The next bytes; "" if the connection ended or nothing came for `patience`: closed() tells them apart.
  std::string Read(std::chrono::milliseconds patience = std::chrono::seconds(10));
  bool closed() const { return closed_; }

  // Ends our direction of the TCP connection; the server's stays open.
  void CloseSending();
  // Reads until the connection ends. False if it is still open after `patience`.
  bool WaitForClose(std::chrono::milliseconds patience);

  int socket() const { return socket_; }

 private:
  void Connect(const TlsClientOptions& options);
  void UseCertificate(const TlsClientOptions& options);

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  int socket_ = -1;
  bool connected_ = false;
  bool closed_ = false;
};

// A TCP connection to the loopback address, or -1.
int ConnectTcp(std::uint16_t port, int receive_buffer_bytes = 0);

}  // namespace annex::test
