#include "http2_session.h"

#include "annex/base/check.h"
#include "annex/base/strings.h"
#include "annex/base/url.h"
#include "gzip.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace annex::http {
namespace {

// What a client may send ahead of our reading: of one stream, and of all together.
constexpr std::int32_t kStreamWindow = 256 * 1024;
constexpr std::int32_t kConnectionWindow = 1024 * 1024;
// Bytes collected for one write, and read from a body at a time.
constexpr std::size_t kWriteBytes = 128UL * 1024;
constexpr std::size_t kPieceBytes = 256UL * 1024;

nghttp2_nv Pair(std::string_view name, std::string_view value) {
  // nghttp2 copies both; its type just is not const.
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  // A value that never comes again would only push others out of the table of known headers, on both sides,
  // and the search for it there walks over all that came before it.
  const bool unique = name == "audit-id";
  const std::uint8_t flags = unique ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
  return {bytes(name), bytes(value), name.size(), value.size(), flags};
}

std::string_view View(const std::uint8_t* bytes, std::size_t length) {
  return {reinterpret_cast<const char*>(bytes), length};
}

// Go's servers take values that begin or end with a space ("Authorization: Bearer "), and Go's clients send
// them.
nghttp2_option* MakeOptions() {
  nghttp2_option* options = nullptr;
  ANNEX_CHECK(nghttp2_option_new(&options) == 0, "out of memory");
  nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1);
  return options;
}

}  // namespace

nghttp2_session_callbacks* Http2Session::MakeCallbacks() {
  nghttp2_session_callbacks* callbacks = nullptr;
  ANNEX_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0, "out of memory");
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnDataChunk);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
  nghttp2_session_callbacks_set_send_callback(callbacks, SendBytes);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, SendData);
  return callbacks;
}

Http2Session::Http2Session(Connection& connection)
    : connection_(connection), alive_(std::make_shared<Http2Session*>(this)) {
  static nghttp2_session_callbacks* const kCallbacks = MakeCallbacks();
  static nghttp2_option* const kOptions = MakeOptions();
  ANNEX_CHECK(nghttp2_session_server_new2(&session_, kCallbacks, this, kOptions) == 0, "out of memory");
}

Http2Session::~Http2Session() {
  *alive_ = nullptr;
  nghttp2_session_del(session_);
}

void Http2Session::Begin() {
  const Limits& limits = connection_.host().limits;
  const bool certified = !connection_.peer()->certificates.empty();
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
       certified ? limits.max_streams_certified : limits.max_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kStreamWindow)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.max_header_bytes)},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  UpdateDeadline();
  Flush();
  connection_.Read();
}

void Http2Session::OnData(std::string_view bytes) {
  in_receive_ = true;
  const ssize_t used =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  in_receive_ = false;
  // nghttp2 has a GOAWAY ready that says what is wrong.
  Flush();
  if (closed_) return;
  if (used < 0 || (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0)) {
    connection_.FinishAndClose();
    return;
  }
  UpdateDeadline();
  connection_.Read();
}

Http2Session::Stream* Http2Session::OldestIncomplete() {
  while (!incomplete_.empty()) {
    Stream* stream = Find(incomplete_.front());
    if (stream != nullptr && !stream->served) return stream;
    incomplete_.pop_front();
  }
  return nullptr;
}

// An idle connection ends after a while; one with open streams lasts as long as they do, but the client must
// complete its requests in time. Whether it takes what it is sent is watched in Flush.
void Http2Session::UpdateDeadline() {
  if (connection_.writing()) return;
  const Limits& limits = connection_.host().limits;
  if (streams_.empty()) {
    incomplete_.clear();
    connection_.SetDeadline(limits.idle_timeout);
  } else if (const Stream* oldest = OldestIncomplete()) {
    connection_.SetDeadlineAt(oldest->begun + limits.request_timeout);
  } else {
    connection_.SetNoDeadline();
  }
}

// Only the late requests are given up: the connection may be a kube-apiserver's, with requests of other users
// on it.
bool Http2Session::OnDeadline() {
  const auto now = connection_.thread().clock().Monotonic();
  const auto timeout = connection_.host().limits.request_timeout;
  bool gave_up = false;
  for (const Stream* late = OldestIncomplete(); late != nullptr && late->begun + timeout <= now;
       late = OldestIncomplete()) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, incomplete_.front(), NGHTTP2_CANCEL);
    incomplete_.pop_front();
    gave_up = true;
  }
  if (!gave_up) return false;
  UpdateDeadline();
  Flush();
  return true;
}

void Http2Session::Flush() {
  if (closed_ || in_receive_ || connection_.writing()) return;
  out_ = connection_.TakeBuffer();
  const int result = nghttp2_session_send(session_);
  std::string out = std::exchange(out_, {});
  if (result != 0) {
    connection_.Close();
    return;
  }
  if (out.empty()) return;
  connection_.SetDeadline(connection_.host().limits.write_timeout);
  connection_.Write(std::move(out));
}

void Http2Session::FlushSoon() {
  if (std::exchange(flush_posted_, true)) return;
  connection_.thread().Post([alive = alive_, held = connection_.shared_from_this()] {
    if (*alive == nullptr) return;
    (*alive)->flush_posted_ = false;
    (*alive)->Flush();
  });
}

void Http2Session::OnWritten() {
  Flush();
  if (closed_) return;
  UpdateDeadline();
  if (!connection_.writing() && nghttp2_session_want_read(session_) == 0 &&
      nghttp2_session_want_write(session_) == 0) {
    connection_.FinishAndClose();
  }
}

Http2Session::Stream* Http2Session::Find(std::int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

int Http2Session::OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  auto& session = *static_cast<Http2Session*>(self);
  Stream& stream = session.streams_[frame->hd.stream_id];
  stream.begun = session.connection_.thread().clock().Monotonic();
  session.incomplete_.push_back(frame->hd.stream_id);
  stream.request.peer = session.connection_.peer();
  stream.request.remote_address = session.connection_.remote_address();
  stream.request.executor = &session.connection_.thread();
  stream.request.tasks = &session.connection_.thread().tasks();
  stream.request.body_limit = session.connection_.host().limits.max_body_bytes;
  return 0;
}

int Http2Session::OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                           std::size_t name_length, const std::uint8_t* value, std::size_t value_length,
                           std::uint8_t, void* self) {
  // Trailers of a request mean nothing here; above all they are no identity headers.
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  return static_cast<Http2Session*>(self)->AddHeader(frame->hd.stream_id, View(name, name_length),
                                                     View(value, value_length));
}

int Http2Session::AddHeader(std::int32_t id, std::string_view name, std::string_view value) {
  Stream* stream = Find(id);
  if (stream == nullptr) return 0;
  const Limits& limits = connection_.host().limits;
  stream->header_bytes += name.size() + value.size() + 32;
  if (stream->header_bytes > limits.max_header_bytes ||
      stream->request.headers.size() >= limits.max_headers) {
    stream->refused = true;
    return 0;
  }
  if (name == ":method") {
    stream->request.method = value;
  } else if (name == ":path") {
    stream->request.target = value;
  } else if (name == ":authority") {
    stream->request.headers.Add("host", std::string(value));
  } else if (!name.starts_with(':')) {
    stream->request.headers.Add(std::string(name), std::string(value));
  }
  return 0;
}

int Http2Session::OnDataChunk(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                              std::size_t length, void* self) {
  auto& session = *static_cast<Http2Session*>(self);
  Stream* stream = session.Find(id);
  if (stream == nullptr || stream->served) return 0;
  api::Request& request = stream->request;
  if (request.body.size() + length > request.body_limit) {
    request.body.clear();
    request.body_too_large = true;
    // Answered at once; what still comes of the body is dropped above.
    session.Serve(id, *stream);
    return 0;
  }
  request.body.append(reinterpret_cast<const char*>(data), length);
  return 0;
}

int Http2Session::OnFrame(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self) {
  const std::int32_t id = frame->hd.stream_id;
  const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (frame->hd.type != NGHTTP2_HEADERS && (!ends || frame->hd.type != NGHTTP2_DATA)) return 0;
  auto& session = *static_cast<Http2Session*>(self);
  Stream* stream = session.Find(id);
  if (stream == nullptr || stream->served) return 0;
  // As Go's servers, which answer nothing to it.
  if (!stream->refused && !base::IsRequestUri(stream->request.target)) {
    stream->served = true;
    nghttp2_submit_rst_stream(nghttp2, NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR);
    return 0;
  }
  if (ends) session.Serve(id, *stream);
  return 0;
}

// An answer that did not wait for the whole request (its body was too large) ends the request too: nothing
// more of it is wanted.
int Http2Session::OnFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void*) {
  const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!ends || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) return 0;
  if (nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
  }
  return 0;
}

int Http2Session::OnStreamClose(nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
  static_cast<Http2Session*>(self)->streams_.erase(id);
  return 0;
}

void Http2Session::Serve(std::int32_t id, Stream& stream) {
  stream.served = true;
  stream.head = stream.request.method == "HEAD";
  if (stream.refused) {
    api::Response response;
    response.status = 431;
    response.headers.Add("content-type", "text/plain; charset=utf-8");
    response.body = "the headers of the request are too large\n";
    Answer(id, std::move(response));
    return;
  }
  connection_.thread().tasks().Spawn<api::Response>(
      connection_.host().service.Serve(std::move(stream.request)),
      [alive = alive_, held = connection_.shared_from_this(), id](api::Response response) {
        if (*alive != nullptr) (*alive)->Answer(id, std::move(response));
      });
}

void Http2Session::Answer(std::int32_t id, api::Response response) {
  Stream* stream = Find(id);
  if (stream == nullptr || closed_) return;  // the client lost interest
  if (response.gzip) Compress(response);
  stream->response = std::move(response);
  const bool has_body = !stream->head && stream->response.status != 304 && stream->response.status != 204;
  const std::string status = std::to_string(stream->response.status);
  const std::string length = std::to_string(stream->response.body.size());
  std::vector<nghttp2_nv> headers = {Pair(":status", status)};
  for (const base::Header& header : stream->response.headers)
    headers.push_back(Pair(header.name, header.value));
  headers.push_back(Pair("date", connection_.thread().HttpDate()));
  if (!stream->response.stream && has_body) headers.push_back(Pair("content-length", length));
  nghttp2_data_provider provider{};
  provider.read_callback = ReadBody;
  const bool sends_body = has_body && (stream->response.stream || !stream->response.body.empty());
  if (stream->response.stream && has_body) {
    stream->response.stream->SetWake([alive = alive_, id] {
      if (*alive != nullptr) (*alive)->Resume(id);
    });
  } else {
    stream->piece = std::move(stream->response.body);
    stream->ended = true;
  }
  nghttp2_submit_response(session_, id, headers.data(), headers.size(), sends_body ? &provider : nullptr);
  FlushSoon();
}

void Http2Session::Resume(std::int32_t id) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  stream->waiting = false;
  if (!std::exchange(stream->deferred, false)) return;
  nghttp2_session_resume_data(session_, id);
  FlushSoon();
}

bool Http2Session::FillPiece(std::int32_t id, Stream& stream) {
  stream.piece = connection_.TakeBuffer();
  stream.sent = 0;
  const auto state = stream.response.stream->Read(kPieceBytes, stream.piece);
  stream.waiting = state == api::BodySource::State::kWaiting;
  stream.ended = state == api::BodySource::State::kEnd;
  const bool broken = state == api::BodySource::State::kBroken;
  if (!stream.piece.empty() || stream.ended || broken) return true;
  stream.deferred = true;
  if (!stream.waiting) {
    // Nothing for now, but more at once: after what else waits on this thread.
    connection_.thread().Post([alive = alive_, held = connection_.shared_from_this(), id] {
      if (*alive != nullptr) (*alive)->Resume(id);
    });
  }
  return false;
}

// Says how much of the body comes next; SendData then takes it from the piece, without a copy in between.
ssize_t Http2Session::ReadBody(nghttp2_session*, std::int32_t id, std::uint8_t*, std::size_t length,
                               std::uint32_t* flags, nghttp2_data_source*, void* self) {
  auto& session = *static_cast<Http2Session*>(self);
  Stream* stream = session.Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (stream->sent == stream->piece.size() && !stream->ended) {
    stream->deferred = stream->waiting;
    if (stream->deferred || !session.FillPiece(id, *stream)) return NGHTTP2_ERR_DEFERRED;
    // A source that broke: the stream is reset, so that nobody takes what came for the whole.
    if (stream->piece.empty() && !stream->ended) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  const std::size_t count = std::min(length, stream->piece.size() - stream->sent);
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (stream->ended && stream->sent + count == stream->piece.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

ssize_t Http2Session::SendBytes(nghttp2_session*, const std::uint8_t* data, std::size_t length, int,
                                void* self) {
  std::string& out = static_cast<Http2Session*>(self)->out_;
  if (out.size() >= kWriteBytes) return NGHTTP2_ERR_WOULDBLOCK;
  out.append(reinterpret_cast<const char*>(data), length);
  return static_cast<ssize_t>(length);
}

int Http2Session::SendData(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head,
                           std::size_t length, nghttp2_data_source*, void* self) {
  constexpr std::size_t kFrameHeadBytes = 9;
  auto& session = *static_cast<Http2Session*>(self);
  if (session.out_.size() >= kWriteBytes) return NGHTTP2_ERR_WOULDBLOCK;
  Stream* stream = session.Find(frame->hd.stream_id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  session.out_.append(reinterpret_cast<const char*>(head), kFrameHeadBytes);
  session.out_.append(stream->piece, stream->sent, length);
  stream->sent += length;
  if (stream->sent == stream->piece.size()) {
    // Idle streams, of which there are many, keep no buffer.
    session.connection_.thread().ReturnBuffer(std::exchange(stream->piece, {}));
    stream->sent = 0;
  }
  return 0;
}

void Http2Session::OnClosed() {
  closed_ = true;
  *alive_ = nullptr;
  streams_.clear();
}

// GOAWAY names the last stream that will be answered; the client takes new requests elsewhere.
void Http2Session::Drain() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
  for (auto& [id, stream] : streams_) {
    if (stream.response.stream) stream.response.stream->Stop();
  }
  FlushSoon();
}

}  // namespace annex::http
