#include "webhook_exchange.h"

#include "annex/base/strings.h"

#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>

namespace annex::kube {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kMaxHeadBytes = 64UL * 1024;
// Of an answer that is no HTTP, a message shows this much.
constexpr std::size_t kShownBytes = 64;

base::Status Unavailable(std::string message) {
  return {base::Reason::kServiceUnavailable, std::move(message)};
}

// An address with its port, as Go shows it.
std::string AddressText(const std::string& host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string SystemText(const boost::system::error_code& error) {
  if (error == asio::error::connection_refused) return "connection refused";
  if (error == asio::error::connection_reset) return "connection reset by peer";
  if (error == asio::error::host_unreachable) return "no route to host";
  if (error == asio::error::network_unreachable) return "network is unreachable";
  return error.message();
}

bool IsEnd(const boost::system::error_code& error) {
  return error == asio::error::eof || error == asio::ssl::error::stream_truncated ||
         error == http::error::end_of_stream || error == http::error::partial_message;
}

// What came back is no TLS at all.
bool IsPlainText(const boost::system::error_code& error) {
  if (error.category() != asio::error::get_ssl_category()) return false;
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
         reason == SSL_R_UNEXPECTED_MESSAGE;
}

}  // namespace

bool WebhookConnection::Quiet() {
  boost::system::error_code failed;
  const std::size_t waiting = stream.next_layer().available(failed);
  return !failed && waiting == 0 && buffer.size() == 0 && SSL_pending(stream.native_handle()) == 0;
}

WebhookExchange::WebhookExchange(asio::io_context& context, std::shared_ptr<const WebhookTarget> target,
                                 std::shared_ptr<const std::string> body, WebhookLimits limits, Done done)
    : target_(std::move(target)),
      body_(std::move(body)),
      limits_(limits),
      context_(context),
      done_(std::move(done)),
      resolver_(context),
      deadline_(context, limits.deadline),
      handshake_deadline_(context) {}

void WebhookExchange::BeginWith(std::unique_ptr<WebhookConnection> kept) {
  kept_ = true;
  connection_ = std::move(kept);
  deadline_.async_wait([self = shared_from_this()](const Error& error) {
    if (!error) self->OnDeadline();
  });
  Send();
}

void WebhookExchange::BeginAt(const ServiceEndpoint& endpoint, std::shared_ptr<asio::ssl::context> tls) {
  connection_ = std::make_unique<WebhookConnection>(context_, std::move(tls));
  deadline_.async_wait([self = shared_from_this()](const Error& error) {
    if (!error) self->OnDeadline();
  });
  address_ = AddressText(endpoint.host, endpoint.port);
  const std::string host = endpoint.host;
  resolver_.async_resolve(host, std::to_string(endpoint.port), asio::ip::tcp::resolver::numeric_service,
                          [self = shared_from_this(), host](const Error& error, const auto& addresses) {
                            if (error) {
                              self->Fail("dial tcp: lookup " + host + ": no such host");
                            } else {
                              self->Connect(addresses);
                            }
                          });
}

void WebhookExchange::Connect(const asio::ip::tcp::resolver::results_type& addresses) {
  if (!done_) return;
  const auto first = addresses.begin()->endpoint();
  address_ = AddressText(first.address().to_string(), first.port());
  asio::async_connect(connection_->stream.next_layer(), addresses,
                      [self = shared_from_this()](const Error& error, const auto&) {
                        if (error) {
                          self->Fail("dial tcp " + self->address_ + ": connect: " + SystemText(error));
                        } else {
                          self->Handshake();
                        }
                      });
}

void WebhookExchange::Handshake() {
  if (!done_) return;
  phase_ = Phase::kHandshake;
  Error ignored;
  connection_->stream.next_layer().set_option(asio::ip::tcp::no_delay(true), ignored);
  if (const auto expects = ExpectServer(connection_->stream, target_->host, verify_problem_); !expects) {
    Fail(expects.error().message);
    return;
  }
  handshake_deadline_.expires_after(limits_.handshake);
  handshake_deadline_.async_wait([self = shared_from_this()](const Error& error) {
    if (!error && self->phase_ == Phase::kHandshake) self->Fail("net/http: TLS handshake timeout");
  });
  connection_->stream.async_handshake(
      asio::ssl::stream_base::client,
      [self = shared_from_this()](const Error& error) { self->OnHandshake(error); });
}

void WebhookExchange::OnHandshake(const Error& error) {
  handshake_deadline_.cancel();
  if (!done_) return;
  // The words of this exchange's callback end with it; a kept connection is not asked again.
  connection_->stream.set_verify_callback([](bool trusted, asio::ssl::verify_context&) { return trusted; });
  if (!error) {
    Send();
  } else if (!verify_problem_.empty()) {
    Fail(verify_problem_);
  } else if (IsEnd(error)) {
    Fail("EOF");
  } else if (IsPlainText(error)) {
    Fail("tls: first record does not look like a TLS handshake");
  } else if (error.category() == asio::error::get_system_category()) {
    Fail(ReadProblem(error));
  } else {
    Fail("remote error: tls: " + error.message());
  }
}

void WebhookExchange::Send() {
  phase_ = Phase::kRequest;
  request_.version(11);
  request_.method(http::verb::post);
  request_.target(target_->path + "?timeout=30s");
  request_.set(http::field::host, target_->authority);
  request_.set(http::field::user_agent, "kube-apiserver-admission");
  request_.set(http::field::accept, "application/json, */*");
  request_.set(http::field::content_type, "application/json");
  request_.body() = *body_;
  request_.prepare_payload();
  http::async_write(connection_->stream, request_,
                    [self = shared_from_this()](const Error& error, std::size_t) {
                      if (error) {
                        self->OnHead(error);
                      } else if (self->done_) {
                        self->ReadHead();
                      }
                    });
}

void WebhookExchange::ReadHead() {
  phase_ = Phase::kHead;
  parser_.header_limit(static_cast<std::uint32_t>(kMaxHeadBytes));
  parser_.body_limit(limits_.answer_bytes);
  http::async_read_header(
      connection_->stream, connection_->buffer, parser_,
      [self = shared_from_this()](const Error& error, std::size_t) { self->OnHead(error); });
}

void WebhookExchange::OnHead(const Error& error) {
  if (!done_) return;
  if (error && kept_ && !parser_.got_some()) {
    Finish({base::Error(Unavailable("the connection was closed")), {}, {}, true});
    return;
  }
  if (error == http::error::body_limit) {
    FailBody("the answer is longer than " + std::to_string(limits_.answer_bytes) + " bytes");
    return;
  }
  if (error) {
    Fail(HeadProblem(error));
    return;
  }
  phase_ = Phase::kBody;
  http::async_read(connection_->stream, connection_->buffer, parser_,
                   [self = shared_from_this()](const Error& failed, std::size_t) { self->OnBody(failed); });
}

std::string WebhookExchange::ReadProblem(const Error& error) const {
  const auto text = [](const asio::ip::tcp::endpoint& end) {
    return AddressText(end.address().to_string(), end.port());
  };
  Error ignored;
  const auto& socket = connection_->stream.next_layer();
  return "read tcp " + text(socket.local_endpoint(ignored)) + "->" + text(socket.remote_endpoint(ignored)) +
         ": read: " + SystemText(error);
}

std::string WebhookExchange::HeadProblem(const Error& error) const {
  if (IsEnd(error)) return "EOF";
  if (error.category() == asio::error::get_system_category()) {
    return ReadProblem(error);
  }
  const auto data = connection_->buffer.data();
  std::string_view shown(static_cast<const char*>(data.data()), data.size());
  shown = shown.substr(0, std::min(shown.find_first_of("\r\n"), kShownBytes));
  return "net/http: HTTP/1.x transport connection broken: malformed HTTP response " + base::Quote(shown);
}

void WebhookExchange::OnBody(const Error& error) {
  if (!done_) return;
  if (error == http::error::body_limit) {
    FailBody("the answer is longer than " + std::to_string(limits_.answer_bytes) + " bytes");
    return;
  }
  if (error) {
    FailBody(IsEnd(error) ? "unexpected EOF" : SystemText(error));
    return;
  }
  auto& message = parser_.get();
  Outcome outcome;
  outcome.reply = WebhookReply{static_cast<int>(message.result_int()),
                               std::string(message[http::field::content_type]), std::move(message.body())};
  if (const auto seconds = base::ParseUint64(std::string(message[http::field::retry_after]))) {
    outcome.retry_after = std::chrono::seconds(std::min<std::uint64_t>(*seconds, 3600));
  }
  // What comes unasked after an answer would be taken for the next one.
  if (message.keep_alive() && connection_->Quiet()) outcome.connection = std::move(connection_);
  Finish(std::move(outcome));
}

void WebhookExchange::OnDeadline() {
  if (!done_) return;
  if (phase_ == Phase::kBody) {
    FailBody("context deadline exceeded (Client.Timeout or context cancellation while reading body)");
  } else {
    Fail("net/http: request canceled (Client.Timeout exceeded while awaiting headers)");
  }
}

void WebhookExchange::Cancel() {
  Fail("this server is stopping");
}

void WebhookExchange::Fail(const std::string& words) {
  Finish({base::Error(Unavailable("Post " + base::Quote(target_->Url()) + ": " + words))});
}

void WebhookExchange::FailBody(const std::string& words) {
  Finish({base::Error(
      Unavailable("unexpected error when reading response body. Please retry. Original error: " + words))});
}

void WebhookExchange::Finish(Outcome outcome) {
  if (!done_) return;
  const Done done = std::exchange(done_, nullptr);
  deadline_.cancel();
  handshake_deadline_.cancel();
  resolver_.cancel();
  if (connection_) {
    Error ignored;
    connection_->stream.next_layer().close(ignored);
  }
  done(std::move(outcome));
}

}  // namespace annex::kube
