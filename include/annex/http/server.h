// Server: accepts TLS connections and speaks HTTP/1.1 and HTTP/2 on them for a Service.
//
// Every connection belongs to one I/O thread for its life: its handshake, its parsing, the handling of its
// requests and its writes all run there, one after the other, so none of it locks. Whatever takes longer (a
// commit, another server) waits outside.
//
// Thread rule: Start, SetIdentity, Stop and the destructor are called by the owner's thread; SetIdentity from
// any.
#pragma once

#include "annex/api/message.h"
#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/metrics.h"
#include "annex/base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace annex::http {

// Every limit of the transport; docs/operations.md repeats them with their reasons.
struct Limits {
  std::size_t max_body_bytes = 3UL << 20U;     // kube-apiserver's
  std::size_t max_header_bytes = 64UL << 10U;  // Envoy's edge default; kube-apiserver allows 1 MiB
  std::size_t max_headers = 100;
  std::size_t max_connections = 10'000;  // beyond it new connections are closed at once
  std::uint32_t max_streams =
      100;  // concurrent HTTP/2 streams of a client without a certificate (kube-apiserver's)
  std::uint32_t max_streams_certified =
      1000;  // of one with: all users of a kube-apiserver come over one connection
  std::chrono::seconds handshake_timeout{10};
  std::chrono::seconds request_timeout{32};  // from the first byte of a request to its last
  std::chrono::seconds idle_timeout{90};     // between requests
  std::chrono::seconds write_timeout{60};    // a client that does not take what it asked for
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;   // 0: the system chooses
  std::size_t threads = 0;  // 0: one per processor
  Limits limits;
};

// A certificate chain and its key, PEM.
struct Identity {
  std::string certificate;
  std::string key;
};

class Server {
 public:
  // Binds: clients can connect from now on, and wait until Serve. `service`, `clock` and `metrics` must
  // outlive the server. Errors: InternalError (the address cannot be bound, the identity is unusable).
  static base::Result<std::unique_ptr<Server>> Bind(const ServerOptions& options, const Identity& identity,
                                                    api::Service& service, const base::Clock& clock,
                                                    base::Metrics& metrics);
  ~Server();

  // Takes connections until Stop. Called once.
  void Serve();

  std::uint16_t port() const;

  // Used by connections that begin from now on. Errors: InternalError (unusable; the present one stays).
  base::Result<void> SetIdentity(const Identity& identity);

  // Stops accepting, ends streams, lets requests that are under way finish for at most `grace`, then closes
  // what is left.
  void Stop(std::chrono::seconds grace);

  // One of the I/O threads' executors, for work that belongs to no connection.
  base::Executor& executor();

 private:
  class Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace annex::http
