#include "http2_client.h"

#include "annex/base/check.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace annex::test {

struct Http2Client::Callbacks {
  static Http2Client& Of(void* self) { return *static_cast<Http2Client*>(self); }

  static Http2Stream* Find(void* self, std::int32_t id) {
    const auto found = Of(self).streams_.find(id);
    return found == Of(self).streams_.end() ? nullptr : found->second.get();
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_length, const std::uint8_t* value, std::size_t value_length,
                      std::uint8_t, void* self) {
    Http2Stream* stream = Find(self, frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const std::string key(reinterpret_cast<const char*>(name), name_length);
    const std::string text(reinterpret_cast<const char*>(value), value_length);
    if (key == ":status") {
      stream->status = std::atoi(text.c_str());
    } else {
      stream->headers[key] = text;
    }
    return 0;
  }

  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t length, void* self) {
    Http2Stream* stream = Find(self, id);
    if (stream != nullptr) stream->body.append(reinterpret_cast<const char*>(data), length);
    return 0;
  }

  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t error, void* self) {
    Http2Stream* stream = Find(self, id);
    if (stream == nullptr) return 0;
    stream->closed = true;
    stream->error = error;
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Of(self).goaway_ = true;
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* buffer, std::size_t length,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    const std::size_t count = std::min(length, stream.request_body.size() - stream.sent);
    if (count == 0 && stream.stalls) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(buffer, stream.request_body.data() + stream.sent, count);
    stream.sent += count;
    if (stream.sent == stream.request_body.size() && !stream.stalls) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }
};

Http2Client::Http2Client(TlsClientOptions options, std::uint32_t window)
    : client_([&options] {
        options.protocol = "h2";
        return options;
      }()) {
  nghttp2_session_callbacks* callbacks = nullptr;
  ANNEX_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0, "out of memory");
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::OnClose);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::OnFrame);
  ANNEX_CHECK(nghttp2_session_client_new(&session_, callbacks, this) == 0, "out of memory");
  nghttp2_session_callbacks_del(callbacks);
  const std::array<nghttp2_settings_entry, 1> settings = {{{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window}}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  const auto of_connection = std::max<std::int32_t>(static_cast<std::int32_t>(window), 65535);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, of_connection);
}

Http2Client::~Http2Client() {
  nghttp2_session_del(session_);
}

Http2Stream& Http2Client::Submit(const std::string& method, const std::string& path, Http2Stream stream,
                                 const Headers& headers) {
  auto held = std::make_unique<Http2Stream>(std::move(stream));
  Headers all = {{":method", method}, {":scheme", "https"}, {":authority", "annex"}, {":path", path}};
  all.insert(all.end(), headers.begin(), headers.end());
  std::vector<nghttp2_nv> pairs;
  for (auto& [name, value] : all) {
    pairs.push_back({reinterpret_cast<std::uint8_t*>(name.data()),
                     reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                     NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider provider{};
  provider.source.ptr = held.get();
  provider.read_callback = Callbacks::ReadBody;
  const bool has_body = held->stalls || !held->request_body.empty();
  const std::int32_t id = nghttp2_submit_request(session_, nullptr, pairs.data(), pairs.size(),
                                                 has_body ? &provider : nullptr, nullptr);
  ANNEX_CHECK(id > 0, "the request can be sent");
  return *(streams_[id] = std::move(held));
}

Http2Stream& Http2Client::Begin(const std::string& method, const std::string& path, const std::string& body,
                                const Headers& headers) {
  Http2Stream stream;
  stream.request_body = body;
  return Submit(method, path, std::move(stream), headers);
}

Http2Stream& Http2Client::BeginStalling(const std::string& path, const std::string& body) {
  Http2Stream stream;
  stream.request_body = body;
  stream.stalls = true;
  return Submit("POST", path, std::move(stream), {});
}

void Http2Client::Cancel(const Http2Stream& stream) {
  for (const auto& [id, held] : streams_) {
    if (held.get() == &stream) nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
}

bool Http2Client::Run(const std::function<bool()>& done, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!client_.closed() && std::chrono::steady_clock::now() < end) {
    const std::uint8_t* bytes = nullptr;
    for (ssize_t length = nghttp2_session_mem_send(session_, &bytes); length > 0;
         length = nghttp2_session_mem_send(session_, &bytes)) {
      if (!client_.Write({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)}))
        return done();
    }
    if (done()) return true;
    const std::string received = client_.Read(std::chrono::milliseconds(20));
    nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(received.data()),
                             received.size());
  }
  return done();
}

}  // namespace annex::test
