// TlsEngine: the server's end of one TLS connection, without a socket. Bytes from the network go in, bytes
// for the network come out.
//
//   engine.Receive(from_the_network);            // valid until the next call
//   while (!engine.handshake_done()) ...         // Handshake, then send TakeOutput, then receive more
//   engine.Decrypt(room, length);                // everything that has come, in one piece
//   engine.Encrypt(answer); Send(engine.TakeOutput());
//
// Between OpenSSL and the caller's buffers stands a BIO of our own: nothing is copied twice, all records that
// one read of the socket brought are decrypted at once, and all records of one answer go out with one write.
//
// Thread rule: used by one thread at a time. Ownership: keeps the context alive.
#pragma once

#include "asio.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <openssl/ssl.h>

namespace annex::http {

class TlsEngine {
 public:
  explicit TlsEngine(std::shared_ptr<asio::ssl::context> context);
  ~TlsEngine();
  TlsEngine(const TlsEngine&) = delete;
  TlsEngine& operator=(const TlsEngine&) = delete;

  // How far an operation came.
  enum class Progress {
    kDone,
    kNeedsInput,  // Receive more first
    kClosed,      // the peer said that it sends no more
    kFailed,      // not TLS, or broken; what TakeOutput has is an alert for the peer
  };

  // What the network brought. It has to stay until Handshake or Decrypt said kNeedsInput.
  void Receive(std::string_view bytes) { input_ = bytes; }

  Progress Handshake();

  // Puts all plaintext that there is into `room` and its length into `length`: never more than what was
  // received, and one record. kDone only if the room was too small.
  Progress Decrypt(std::span<char> room, std::size_t& length);

  // False if the connection is broken. REQUIRES: the handshake is done.
  bool Encrypt(std::string_view plaintext);

  // What is to be sent.
  bool HasOutput() const { return !output_.empty(); }
  std::string TakeOutput() { return std::exchange(output_, {}); }
  // Room for output: an empty text whose capacity is used. REQUIRES: there is no output.
  void GiveRoom(std::string buffer) { output_ = std::move(buffer); }

  SSL* native_handle() { return ssl_; }

 private:
  friend struct TlsEngineBio;
  Progress ProgressOf(int result);

  const std::shared_ptr<asio::ssl::context> context_;
  SSL* const ssl_;
  std::string_view input_;
  std::string output_;
};

}  // namespace annex::http
