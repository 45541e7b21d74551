#include "tls_engine.h"

#include "annex/base/check.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>

namespace annex::http {

// The source and sink of OpenSSL's bytes: the engine's input and output.
struct TlsEngineBio {
  static TlsEngine& EngineOf(BIO* bio) { return *static_cast<TlsEngine*>(BIO_get_data(bio)); }

  static int Read(BIO* bio, char* bytes, int length) {
    BIO_clear_retry_flags(bio);
    std::string_view& input = EngineOf(bio).input_;
    if (input.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    const std::size_t count = std::min(input.size(), static_cast<std::size_t>(length));
    std::memcpy(bytes, input.data(), count);
    input.remove_prefix(count);
    return static_cast<int>(count);
  }

  static int Write(BIO* bio, const char* bytes, int length) {
    BIO_clear_retry_flags(bio);
    EngineOf(bio).output_.append(bytes, static_cast<std::size_t>(length));
    return length;
  }

  static long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* Method() {
    static BIO_METHOD* const kMethod = [] {
      BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "annex");
      ANNEX_CHECK(method != nullptr, "out of memory");
      BIO_meth_set_read(method, Read);
      BIO_meth_set_write(method, Write);
      BIO_meth_set_ctrl(method, Control);
      return method;
    }();
    return kMethod;
  }
};

TlsEngine::TlsEngine(std::shared_ptr<asio::ssl::context> context)
    : context_(std::move(context)), ssl_(SSL_new(context_->native_handle())) {
  BIO* bio = BIO_new(TlsEngineBio::Method());
  ANNEX_CHECK(ssl_ != nullptr && bio != nullptr, "out of memory");
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_accept_state(ssl_);
  // Takes what has come in large pieces, not header by header.
  SSL_set_read_ahead(ssl_, 1);
}

TlsEngine::~TlsEngine() {
  SSL_free(ssl_);
}

TlsEngine::Progress TlsEngine::ProgressOf(int result) {
  if (result > 0) return Progress::kDone;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return Progress::kNeedsInput;
    case SSL_ERROR_ZERO_RETURN:
      return Progress::kClosed;
    default:
      return Progress::kFailed;
  }
}

TlsEngine::Progress TlsEngine::Handshake() {
  // SSL_get_error looks at the thread's queue of errors, where another connection may have left some.
  ERR_clear_error();
  return ProgressOf(SSL_do_handshake(ssl_));
}

TlsEngine::Progress TlsEngine::Decrypt(std::span<char> room, std::size_t& length) {
  ERR_clear_error();
  length = 0;
  while (length < room.size()) {
    std::size_t count = 0;
    const int result = SSL_read_ex(ssl_, room.data() + length, room.size() - length, &count);
    if (result <= 0) return ProgressOf(result);
    length += count;
  }
  return Progress::kDone;
}

bool TlsEngine::Encrypt(std::string_view plaintext) {
  if (plaintext.empty()) return true;
  ERR_clear_error();
  std::size_t written = 0;
  // Our BIO takes everything, so this never stops half-way.
  return SSL_write_ex(ssl_, plaintext.data(), plaintext.size(), &written) == 1;
}

}  // namespace annex::http
