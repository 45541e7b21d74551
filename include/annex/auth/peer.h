// Peer: what a connection's TLS handshake proved about the client.
//
// The handshake asks for a certificate and accepts any: whether a certificate counts, and as what, is decided
// for each request against the certificate authorities of that moment, so that a rotation reaches connections
// that are already open.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace annex::auth {

// The outcome of a verification, kept with the connection while the authorities stay the same and the
// certificates are in time.
struct CachedVerification {
  std::uint64_t trust_generation = 0;
  bool valid = false;
  std::chrono::system_clock::time_point expires;
  std::string common_name;
  std::vector<std::string> organizations;
};

// Thread rule: used on the connection's executor only.
struct Peer {
  // DER, the client's own certificate first; empty if it sent none. That the client has the key was proved by
  // the handshake.
  std::vector<std::string> certificates;

  // Filled in by the authenticator.
  std::optional<CachedVerification> front_proxy;
  std::optional<CachedVerification> client;
};

}  // namespace annex::auth
