// EchoServer: the real http::Server over TLS on a port of its own, with a Service that tells what reached it.
// For tests of the transport alone: its limits and timeouts can be as small as a test has patience.
//
// Thread rule: the owner's thread.
#pragma once

#include "annex/auth/certificate_authority.h"
#include "annex/base/clock.h"
#include "annex/base/metrics.h"
#include "annex/http/server.h"

#include <atomic>
#include <memory>

namespace annex::test {

// What the service does, by path:
//   /echo     the method, target, headers and body that it got, as JSON
//   /endless  a stream that always has more (64 KiB at a time)
//   /quiet    a stream that says "begin" and then nothing until the server stops
//   /broken   a stream that breaks after its first piece
class EchoService final : public api::Service {
 public:
  base::Task<api::Response> Serve(api::Request request) override;

  std::atomic<std::size_t> streamed_bytes = 0;
  std::atomic<int> open_streams = 0;
};

class EchoServer {
 public:
  explicit EchoServer(const http::Limits& limits = {});
  ~EchoServer();

  std::uint16_t port() const { return server_->port(); }
  EchoService& service() { return service_; }
  http::Server& server() { return *server_; }
  const auth::CertificateAuthority& authority() const { return authority_; }

 private:
  base::SystemClock clock_;
  base::Metrics metrics_;
  EchoService service_;
  auth::CertificateAuthority authority_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace annex::test
