#include "connection.h"

#include "http1_session.h"
#include "http2_session.h"
#include "tls_context.h"

#include <span>
#include <utility>

namespace annex::http {
namespace {

constexpr std::chrono::seconds kFinishTime{2};

}  // namespace

Connection::Connection(IoThread& thread, const SessionHost& host, std::shared_ptr<asio::ssl::context> tls,
                       Tcp::socket socket)
    : thread_(thread), host_(host), tls_(std::move(tls)), socket_(std::move(socket)) {
  ErrorCode error;
  const auto endpoint = socket_.remote_endpoint(error);
  if (!error) remote_address_ = endpoint.address().to_string(error) + ":" + std::to_string(endpoint.port());
  // Answers are written whole; waiting to fill a packet would only delay them.
  socket_.set_option(Tcp::no_delay(true), error);
  socket_.non_blocking(true, error);
  SetDeadline(host_.limits.handshake_timeout);
  thread_.Add(*this);
}

Connection::~Connection() {
  thread_.Remove(*this);
}

void Connection::Run() {
  reading_ = true;
  WaitForInput();
}

void Connection::Read() {
  if (reading_ || closed_) return;
  reading_ = true;
  WaitForInput();
}

// Waits without a buffer: idle connections, of which there are many, need none.
void Connection::WaitForInput() {
  socket_.async_wait(Tcp::socket::wait_read,
                     [self = shared_from_this()](const ErrorCode& error) { self->OnInput(error); });
}

void Connection::OnInput(const ErrorCode& error) {
  if (closed_) return;
  ErrorCode failed = error;
  std::size_t length = 0;
  const std::span<char> input = thread_.input();
  if (!failed) length = socket_.read_some(asio::buffer(input.data(), input.size()), failed);
  const bool nothing_yet = failed == asio::error::would_block || failed == asio::error::interrupted;
  if (failed && !nothing_yet) {
    Close();
  } else if (nothing_yet || finishing_) {
    WaitForInput();
  } else {
    tls_.Receive({input.data(), length});
    if (session_) {
      Deliver();
    } else {
      ContinueHandshake();
    }
  }
}

void Connection::ContinueHandshake() {
  const TlsEngine::Progress progress = tls_.Handshake();
  if (tls_.HasOutput() && !writing_) {
    sending_ = tls_.TakeOutput();
    Send();
  }
  if (progress == TlsEngine::Progress::kDone) {
    BeginSession();
  } else if (progress == TlsEngine::Progress::kNeedsInput) {
    WaitForInput();
  } else {
    // The alert, if there is one, is on its way.
    FinishAndClose();
    WaitForInput();
  }
}

void Connection::BeginSession() {
  peer_ = PeerOf(tls_.native_handle());
  if (NegotiatedHttp2(tls_.native_handle())) {
    session_ = std::make_unique<Http2Session>(*this);
  } else {
    session_ = std::make_unique<Http1Session>(*this);
  }
  SetDeadline(host_.limits.request_timeout);
  session_->Begin();
  if (draining_) session_->Drain();
  // The first request may have come together with the end of the handshake.
  if (finishing_) {
    WaitForInput();
  } else if (!closed_) {
    Deliver();
  }
}

void Connection::Deliver() {
  std::size_t length = 0;
  const std::span<char> plaintext = thread_.plaintext();
  const TlsEngine::Progress progress = tls_.Decrypt(plaintext, length);
  const bool waits = progress == TlsEngine::Progress::kNeedsInput;
  if (tls_.HasOutput() && !writing_) {
    sending_ = tls_.TakeOutput();
    Send();
  }
  if (length == 0 && waits) {
    WaitForInput();
    return;
  }
  reading_ = false;
  if (length > 0) session_->OnData({plaintext.data(), length});
  if (!waits) Close();
}

void Connection::Write(std::string bytes) {
  if (closed_) return;
  if (writing_) {
    next_write_ += bytes;
    thread_.ReturnBuffer(std::move(bytes));
    return;
  }
  StartWrite(std::move(bytes));
}

void Connection::StartWrite(std::string plaintext) {
  if (!tls_.HasOutput()) tls_.GiveRoom(thread_.TakeBuffer());
  const bool encrypted = tls_.Encrypt(plaintext);
  thread_.ReturnBuffer(std::move(plaintext));
  if (!encrypted) {
    Close();
    return;
  }
  sending_ = tls_.TakeOutput();
  Send();
}

void Connection::Send() {
  writing_ = true;
  asio::async_write(
      socket_, asio::buffer(sending_),
      [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->OnSent(error); });
}

void Connection::OnSent(const ErrorCode& error) {
  writing_ = false;
  thread_.ReturnBuffer(std::exchange(sending_, {}));
  if (error) {
    Close();
  } else if (!next_write_.empty() && !closed_) {
    StartWrite(std::exchange(next_write_, {}));
  } else if (tls_.HasOutput() && !closed_) {
    sending_ = tls_.TakeOutput();
    Send();
  } else if (session_ && !closed_) {
    session_->OnWritten();
  }
}

void Connection::Drain() {
  draining_ = true;
  if (session_ && !closed_) session_->Drain();
}

void Connection::FinishAndClose() {
  if (closed_ || finishing_) return;
  finishing_ = true;
  SetDeadline(kFinishTime);
  ErrorCode ignored;
  socket_.shutdown(Tcp::socket::shutdown_send, ignored);
  Read();
}

void Connection::OnDeadline() {
  const bool goes_on = !closed_ && !writing_ && !finishing_ && session_ && session_->OnDeadline();
  if (!goes_on) Close();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  // Keeps the connection until this returns: dropping the streams may drop the last request that holds it.
  const auto self = shared_from_this();
  SetNoDeadline();
  ErrorCode ignored;
  socket_.shutdown(Tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
  if (session_) session_->OnClosed();
}

}  // namespace annex::http
