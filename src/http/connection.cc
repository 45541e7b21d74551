#include "connection.h"

#include "http1_session.h"
#include "http2_session.h"
#include "tls_context.h"

namespace annex::http {
namespace {

// One TLS record holds up to 16 KiB.
constexpr std::size_t kReadBytes = 17UL * 1024;
// A buffer that grew beyond this for one large answer is not kept.
constexpr std::size_t kKeptBufferBytes = 512UL * 1024;
constexpr std::chrono::seconds kFinishTime{2};

}  // namespace

Connection::Connection(IoThread& thread, const SessionHost& host, std::shared_ptr<asio::ssl::context> tls,
                       Tcp::socket socket)
    : thread_(thread), host_(host), tls_(std::move(tls)), stream_(std::move(socket), *tls_) {
  ErrorCode error;
  const auto endpoint = stream_.next_layer().remote_endpoint(error);
  if (!error) remote_address_ = endpoint.address().to_string(error) + ":" + std::to_string(endpoint.port());
  // Answers are written whole; waiting to fill a packet would only delay them.
  stream_.next_layer().set_option(Tcp::no_delay(true), error);
  SetDeadline(host_.limits.handshake_timeout);
  thread_.Add(*this);
}

Connection::~Connection() {
  thread_.Remove(*this);
}

void Connection::Run() {
  stream_.async_handshake(TlsStream::server,
                          [self = shared_from_this()](const ErrorCode& error) { self->OnHandshake(error); });
}

void Connection::OnHandshake(const ErrorCode& error) {
  if (error || closed_) {
    Close();
    return;
  }
  peer_ = PeerOf(stream_);
  if (NegotiatedHttp2(stream_)) {
    session_ = std::make_unique<Http2Session>(*this);
  } else {
    session_ = std::make_unique<Http1Session>(*this);
  }
  SetDeadline(host_.limits.request_timeout);
  session_->Begin();
  if (draining_) session_->Drain();
}

void Connection::Read() {
  if (reading_ || closed_) return;
  reading_ = true;
  read_buffer_.resize(kReadBytes);
  stream_.async_read_some(asio::buffer(read_buffer_),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t length) {
                            self->reading_ = false;
                            if (error) {
                              self->Close();
                            } else if (self->finishing_) {
                              self->Read();
                            } else if (!self->closed_) {
                              self->session_->OnData({self->read_buffer_.data(), length});
                            }
                          });
}

std::string Connection::TakeBuffer() {
  write_buffer_.clear();
  return std::move(write_buffer_);
}

void Connection::Write(std::string bytes) {
  if (closed_) return;
  if (writing_) {
    next_write_ += bytes;
    return;
  }
  write_buffer_ = std::move(bytes);
  StartWrite();
}

void Connection::StartWrite() {
  writing_ = true;
  asio::async_write(stream_, asio::buffer(write_buffer_),
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                      self->writing_ = false;
                      if (self->write_buffer_.capacity() > kKeptBufferBytes)
                        self->write_buffer_ = std::string();
                      if (error) {
                        self->Close();
                      } else if (!self->next_write_.empty() && !self->closed_) {
                        self->write_buffer_ = std::exchange(self->next_write_, {});
                        self->StartWrite();
                      } else if (!self->closed_) {
                        self->session_->OnWritten();
                      }
                    });
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
  stream_.next_layer().shutdown(Tcp::socket::shutdown_send, ignored);
  Read();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  // Keeps the connection until this returns: dropping the streams may drop the last request that holds it.
  const auto self = shared_from_this();
  SetNoDeadline();
  ErrorCode ignored;
  stream_.next_layer().shutdown(Tcp::socket::shutdown_both, ignored);
  stream_.next_layer().close(ignored);
  if (session_) session_->OnClosed();
}

}  // namespace annex::http
