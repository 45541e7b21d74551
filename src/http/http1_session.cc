#include "http1_session.h"

#include "annex/base/strings.h"
#include "annex/base/url.h"
#include "gzip.h"
#include "response_head.h"

#include <array>
#include <cstdio>
#include <utility>

namespace annex::http {
namespace {

namespace beast_http = boost::beast::http;

constexpr std::size_t kPieceBytes = 128UL * 1024;
// A client that sends its next requests before it took the last answers gets no further than this.
constexpr std::size_t kMaxPendingBytes = 64UL * 1024;

std::string ChunkHead(std::size_t size) {
  std::array<char, 24> text{};
  const int length = std::snprintf(text.data(), text.size(), "%zx\r\n", size);
  return {text.data(), static_cast<std::size_t>(length)};
}

bool AsksForUpgrade(const beast_http::fields& fields) {
  return fields.count(beast_http::field::upgrade) > 0;
}

}  // namespace

Http1Session::Http1Session(Connection& connection)
    : connection_(connection), alive_(std::make_shared<Http1Session*>(this)) {}

Http1Session::~Http1Session() {
  *alive_ = nullptr;
}

void Http1Session::Begin() {
  StartRequest();
  connection_.Read();
}

void Http1Session::StartRequest() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(connection_.host().limits.max_header_bytes));
  parser_->body_limit(connection_.host().limits.max_body_bytes);
  parser_->eager(true);
  continue_sent_ = false;
  body_too_large_ = false;
  state_ = State::kReading;
  connection_.SetDeadline(connection_.host().limits.idle_timeout);
}

void Http1Session::OnData(std::string_view bytes) {
  pending_ += bytes;
  if (state_ == State::kReading) {
    ParsePending();
  } else if (pending_.size() < kMaxPendingBytes) {
    // Keeps an eye on the connection: a client that goes away ends its watch.
    connection_.Read();
  }
}

void Http1Session::ParsePending() {
  const bool begins = !parser_->got_some() && !pending_.empty();
  if (begins) connection_.SetDeadline(connection_.host().limits.request_timeout);
  while (!pending_.empty() && !parser_->is_done()) {
    ErrorCode error;
    const std::size_t used = parser_->put(asio::buffer(pending_), error);
    pending_.erase(0, used);
    if (error == beast_http::error::need_more) break;
    if (error) {
      OnParseError(error);
      return;
    }
    if (used == 0) break;
  }
  if (parser_->is_done()) {
    Serve();
    return;
  }
  const bool expects =
      parser_->is_header_done() && !continue_sent_ &&
      base::EqualsIgnoreCase(std::string_view(parser_->get()[beast_http::field::expect].data(),
                                              parser_->get()[beast_http::field::expect].size()),
                             "100-continue");
  if (expects && !connection_.writing()) {
    continue_sent_ = true;
    connection_.Write("HTTP/1.1 100 Continue\r\n\r\n");
  }
  connection_.Read();
}

void Http1Session::OnParseError(const ErrorCode& error) {
  if (error == beast_http::error::body_limit) {
    // The service says so in its own words; the rest of the body is not read. The head is complete: a
    // Content-Length is compared with the limit at its end, before the parser counts it as done.
    body_too_large_ = true;
    Serve();
    return;
  }
  if (error == beast_http::error::header_limit) {
    Refuse(431, "the headers of the request are too large\n");
  } else {
    Refuse(400, "400 Bad Request: " + error.message() + "\n");
  }
}

void Http1Session::Refuse(int status, const std::string& text) {
  api::Response response;
  response.status = status;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.body = text;
  keep_alive_ = false;
  head_request_ = false;
  Answer(std::move(response));
}

api::Request Http1Session::TakeRequest() {
  auto message = parser_->release();
  api::Request request;
  request.method.assign(message.method_string().data(), message.method_string().size());
  request.target.assign(message.target().data(), message.target().size());
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    request.headers.Add(base::AsciiLower({name.data(), name.size()}),
                        std::string(value.data(), value.size()));
  }
  request.body_too_large = body_too_large_;
  request.body_limit = connection_.host().limits.max_body_bytes;
  if (!body_too_large_) request.body = std::move(message.body());
  request.peer = connection_.peer();
  request.remote_address = connection_.remote_address();
  request.executor = &connection_.thread();
  request.tasks = &connection_.thread().tasks();
  return request;
}

void Http1Session::Serve() {
  head_request_ = parser_->get().method() == beast_http::verb::head;
  keep_alive_ = parser_->get().keep_alive() && !body_too_large_;
  const auto headers = std::distance(parser_->get().begin(), parser_->get().end());
  if (static_cast<std::size_t>(headers) > connection_.host().limits.max_headers) {
    Refuse(431, "the request has too many headers\n");
    return;
  }
  const auto target = parser_->get().target();
  if (!base::IsRequestUri({target.data(), target.size()})) {
    Refuse(400, "400 Bad Request");
    return;
  }
  if (AsksForUpgrade(parser_->get())) {
    // An upgraded connection would keep rights that were checked for one request only.
    Refuse(400, "this server upgrades no connections\n");
    return;
  }
  state_ = State::kServing;
  connection_.SetNoDeadline();
  connection_.Read();
  connection_.thread().tasks().Spawn<api::Response>(
      connection_.host().service.Serve(TakeRequest()),
      [alive = alive_, held = connection_.shared_from_this()](api::Response response) {
        if (*alive != nullptr) (*alive)->Answer(std::move(response));
      });
}

void Http1Session::Answer(api::Response response) {
  state_ = State::kSending;
  if (response.gzip) Compress(response);
  connection_.SetDeadline(connection_.host().limits.write_timeout);
  keep_alive_ = keep_alive_ && !draining_;
  Framing framing;
  framing.close = !keep_alive_;
  framing.has_body = response.status != 304 && response.status != 204;
  const bool whole = response.stream == nullptr;
  const bool streams = !whole && !head_request_;
  if (whole && framing.has_body) framing.content_length = response.body.size();
  std::string out = connection_.TakeBuffer();
  AppendHead(out, response, framing, connection_.thread().HttpDate());
  if (streams) {
    stream_ = std::move(response.stream);
    stream_->SetWake([alive = alive_, held = connection_.weak_from_this(), &thread = connection_.thread()] {
      thread.Post([alive, held] {
        const auto connection = held.lock();
        if (!connection || *alive == nullptr || !(*alive)->stream_waiting_) return;
        (*alive)->stream_waiting_ = false;
        (*alive)->SendStream();
      });
    });
    if (draining_) stream_->Stop();
  } else if (framing.has_body && !head_request_) {
    out += response.body;
  }
  connection_.Write(std::move(out));
}

void Http1Session::SendStream() {
  if (!stream_ || connection_.writing()) return;
  std::string piece = connection_.TakeBuffer();
  const auto state = stream_->Read(kPieceBytes, piece);
  stream_waiting_ = state == api::BodySource::State::kWaiting;
  if (state == api::BodySource::State::kBroken) {
    connection_.Close();
    return;
  }
  if (!piece.empty()) {
    piece.insert(0, ChunkHead(piece.size()));
    piece += "\r\n";
    connection_.SetDeadline(connection_.host().limits.write_timeout);
    connection_.Write(std::move(piece));
    return;
  }
  if (state == api::BodySource::State::kEnd) {
    EndStream();
  } else if (stream_waiting_) {
    connection_.SetNoDeadline();
  } else {
    // Nothing for now, but more at once: after what else waits on this thread.
    connection_.thread().Post([alive = alive_, held = connection_.shared_from_this()] {
      if (*alive != nullptr) (*alive)->SendStream();
    });
  }
}

void Http1Session::EndStream() {
  stream_.reset();
  connection_.Write("0\r\n\r\n");
}

void Http1Session::OnWritten() {
  if (state_ == State::kReading) return;  // it was "100 Continue"
  if (stream_ && stream_waiting_) {
    connection_.SetNoDeadline();
  } else if (stream_) {
    SendStream();
  } else if (state_ == State::kSending) {
    FinishAnswer();
  }
}

void Http1Session::FinishAnswer() {
  // A stream may have begun before the server began to stop.
  if (!keep_alive_ || draining_) {
    state_ = State::kClosing;
    connection_.FinishAndClose();
    return;
  }
  StartRequest();
  if (!pending_.empty()) {
    ParsePending();
  } else {
    connection_.Read();
  }
}

void Http1Session::OnClosed() {
  *alive_ = nullptr;
  stream_.reset();
}

void Http1Session::Drain() {
  draining_ = true;
  if (stream_) stream_->Stop();
  // An idle connection has nothing to finish.
  if (state_ == State::kReading && !parser_->got_some()) connection_.Close();
}

}  // namespace annex::http
