// HTTP/1.1: one request at a time, keep-alive, chunked bodies both ways.
//
//   kReading   bytes go to the parser until a request is complete
//   kServing   the request is with the service; bytes that come meanwhile wait (and reading stops)
//   kSending   the answer goes out, piece by piece if it is a stream
//   kClosing   the last answer is out
#pragma once

#include "annex/api/message.h"
#include "connection.h"

#include <memory>
#include <optional>
#include <string>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace annex::http {

class Http1Session final : public Session {
 public:
  explicit Http1Session(Connection& connection);
  ~Http1Session() override;

  void Begin() override;
  void OnData(std::string_view bytes) override;
  void OnWritten() override;
  void OnClosed() override;
  void Drain() override;

 private:
  enum class State : std::uint8_t { kReading, kServing, kSending, kClosing };
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  void StartRequest();
  void ParsePending();
  void OnParseError(const ErrorCode& error);
  void Serve();
  api::Request TakeRequest();
  void Answer(api::Response response);
  void SendStream();
  void EndStream();
  void FinishAnswer();
  // An answer that the transport gives itself, after which the connection ends.
  void Refuse(int status, const std::string& text);

  Connection& connection_;
  State state_ = State::kReading;
  std::optional<Parser> parser_;
  std::string pending_;  // bytes that came and are not parsed yet
  bool continue_sent_ = false;
  bool body_too_large_ = false;
  bool head_request_ = false;
  bool keep_alive_ = true;
  bool draining_ = false;
  std::unique_ptr<api::BodySource> stream_;
  bool stream_waiting_ = false;
  // Tells callbacks from elsewhere whether the session still lives.
  std::shared_ptr<Http1Session*> alive_;
};

}  // namespace annex::http
