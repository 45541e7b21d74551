// TLS towards webhooks: whom to trust, and why a certificate is not trusted, in Go's words
// (crypto/x509, Certificate.Verify).
//
// Thread rule: a TlsContext is immutable and may be shared; a VerifyProblem belongs to one handshake.
#pragma once

#include "annex/base/result.h"

#include <memory>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace annex::kube {

using TlsStream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;

// A context that trusts the certificates of `ca_bundle` (PEM), or the system's authorities if it is empty.
// Errors: Invalid.
base::Result<std::shared_ptr<boost::asio::ssl::context>> MakeTlsContext(const std::string& ca_bundle);

// Makes the handshake of `stream` ask for `server_name` (a name or an address). What is wrong with the
// server's certificate goes to `problem`, which must outlive the handshake. Errors: Invalid (no such name can
// be asked for).
base::Result<void> ExpectServer(TlsStream& stream, const std::string& server_name, std::string& problem);

}  // namespace annex::kube
