#include "gzip.h"

#include "annex/base/check.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <zlib.h>

namespace annex::http {
namespace {

// As kube-apiserver: answers are large and mostly keys, so that the fastest level takes the most of them
// away.
constexpr int kLevel = 1;
constexpr int kGzipWindow = 15 + 16;  // 15 bits; 16 asks zlib for gzip's framing
constexpr int kMemoryLevel = 8;
constexpr std::size_t kOutBytes = 64UL * 1024;

// A body that is complete, as a source.
class WholeBody final : public api::BodySource {
 public:
  explicit WholeBody(std::string body) : body_(std::move(body)) {}

  State Read(std::size_t max_bytes, std::string& out) override {
    if (sent_ == body_.size()) return State::kEnd;
    const std::size_t count = std::min(max_bytes, body_.size() - sent_);
    out.append(body_, sent_, count);
    sent_ += count;
    return State::kMore;
  }
  void SetWake(std::function<void()> /*wake*/) override {}

 private:
  const std::string body_;
  std::size_t sent_ = 0;
};

class GzipSource final : public api::BodySource {
 public:
  explicit GzipSource(std::unique_ptr<api::BodySource> plain) : plain_(std::move(plain)) {
    const int result =
        deflateInit2(&deflate_, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY);
    ANNEX_CHECK(result == Z_OK, "out of memory");
  }
  ~GzipSource() override { deflateEnd(&deflate_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  void SetWake(std::function<void()> wake) override { plain_->SetWake(std::move(wake)); }
  void Stop() override { plain_->Stop(); }

  // One piece of the plain body at a time. It may leave nothing to send yet: then the transport asks again.
  State Read(std::size_t max_bytes, std::string& out) override {
    if (ended_) return State::kEnd;
    piece_.clear();
    const State state = plain_->Read(max_bytes, piece_);
    if (state == State::kBroken) return state;
    Deflate(state == State::kEnd ? Z_FINISH : Z_NO_FLUSH, out);
    ended_ = state == State::kEnd;
    return ended_ ? State::kMore : state;
  }

 private:
  void Deflate(int flush, std::string& out) {
    deflate_.next_in = reinterpret_cast<Bytef*>(piece_.data());
    deflate_.avail_in = static_cast<uInt>(piece_.size());
    do {
      deflate_.next_out = buffer_.data();
      deflate_.avail_out = static_cast<uInt>(buffer_.size());
      const int result = deflate(&deflate_, flush);
      ANNEX_CHECK(result != Z_STREAM_ERROR, "zlib's state is broken");
      out.append(reinterpret_cast<const char*>(buffer_.data()), buffer_.size() - deflate_.avail_out);
    } while (deflate_.avail_out == 0);
  }

  const std::unique_ptr<api::BodySource> plain_;
  z_stream deflate_{};
  std::string piece_;
  std::array<Bytef, kOutBytes> buffer_{};
  bool ended_ = false;
};

}  // namespace

void Compress(api::Response& response) {
  if (!response.stream) response.stream = std::make_unique<WholeBody>(std::exchange(response.body, {}));
  response.stream = std::make_unique<GzipSource>(std::move(response.stream));
  response.headers.Add("content-encoding", "gzip");
  response.headers.Add("vary", "Accept-Encoding");
}

}  // namespace annex::http
