// WebhookExchange: one HTTP/1.1 request to a webhook and its whole answer, over a connection that was kept or
// is made for it.
//
//   Begin -> (address, connection, handshake) -> request -> head -> body -> done
//
// Thread rule: everything runs on the client's own thread. Ownership: it keeps itself until `done` was
// called, once. Failure: see Done; whatever the webhook does, `done` comes within the limits.
#pragma once

#include "annex/base/result.h"
#include "annex/kube/service_resolver.h"
#include "annex/kube/webhook_caller.h"
#include "webhook_tls.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace annex::kube {

struct WebhookLimits {
  std::chrono::steady_clock::time_point deadline;  // of the whole exchange
  std::chrono::seconds handshake{10};
  std::size_t answer_bytes = 0;
};

// An open connection, its handshake done.
struct WebhookConnection {
  WebhookConnection(boost::asio::io_context& context, std::shared_ptr<boost::asio::ssl::context> tls)
      : tls_context(std::move(tls)), stream(context, *tls_context) {}
  const std::shared_ptr<boost::asio::ssl::context> tls_context;
  TlsStream stream;
  boost::beast::flat_buffer buffer;

  // Whether nothing came that was not asked for.
  bool Quiet();
};

class WebhookExchange final : public std::enable_shared_from_this<WebhookExchange> {
 public:
  struct Outcome {
    base::Result<WebhookReply> reply;
    // How often to come again after this many seconds, if the webhook asks for it.
    std::optional<std::chrono::seconds> retry_after = {};
    // The connection, if it can serve another exchange.
    std::unique_ptr<WebhookConnection> connection = {};
    // A kept connection turned out dead before anything came back: the request can be sent anew.
    bool stale = false;
  };
  using Done = std::function<void(Outcome)>;

  WebhookExchange(boost::asio::io_context& context, std::shared_ptr<const WebhookTarget> target,
                  std::shared_ptr<const std::string> body, WebhookLimits limits, Done done);

  void BeginWith(std::unique_ptr<WebhookConnection> kept);
  void BeginAt(const ServiceEndpoint& endpoint, std::shared_ptr<boost::asio::ssl::context> tls);
  // Ends it with an error.
  void Cancel();

 private:
  using Error = boost::system::error_code;
  enum class Phase { kConnecting, kHandshake, kRequest, kHead, kBody };

  void Connect(const boost::asio::ip::tcp::resolver::results_type& addresses);
  void Handshake();
  void OnHandshake(const Error& error);
  void Send();
  void ReadHead();
  void OnHead(const Error& error);
  void OnBody(const Error& error);
  void OnDeadline();
  void Fail(const std::string& words);
  void FailBody(const std::string& words);
  void Finish(Outcome outcome);
  std::string HeadProblem(const Error& error) const;
  std::string ReadProblem(const Error& error) const;

  const std::shared_ptr<const WebhookTarget> target_;
  const std::shared_ptr<const std::string> body_;
  const WebhookLimits limits_;
  boost::asio::io_context& context_;
  Done done_;
  Phase phase_ = Phase::kConnecting;
  bool kept_ = false;
  std::string verify_problem_;
  std::string address_;  // "127.0.0.1:8443", as messages show it
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer handshake_deadline_;
  std::unique_ptr<WebhookConnection> connection_;
  boost::beast::http::request<boost::beast::http::string_body> request_;
  boost::beast::http::response_parser<boost::beast::http::string_body> parser_;
};

}  // namespace annex::kube
