// The server's side of TLS: 1.2 and up, ALPN for HTTP/2 and HTTP/1.1, client certificates asked for and not
// judged.
#pragma once

#include "annex/auth/peer.h"
#include "annex/base/result.h"
#include "annex/http/server.h"
#include "asio.h"

#include <memory>

#include <openssl/ssl.h>

namespace annex::http {

// Errors: InternalError (the certificate or key is unusable).
base::Result<std::shared_ptr<asio::ssl::context>> MakeTlsContext(const Identity& identity);

// The protocol that the handshake chose.
bool NegotiatedHttp2(SSL* ssl);

// The certificates that the client sent.
std::shared_ptr<auth::Peer> PeerOf(SSL* ssl);

}  // namespace annex::http
