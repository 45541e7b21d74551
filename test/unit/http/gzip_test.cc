#include "http/gzip.h"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <zlib.h>

namespace annex::http {
namespace {

using State = api::BodySource::State;

// Gives its pieces one by one, then what it ends with.
class Pieces final : public api::BodySource {
 public:
  Pieces(std::vector<std::string> pieces, State end) : pieces_(std::move(pieces)), end_(end) {}
  State Read(std::size_t, std::string& out) override {
    if (next_ == pieces_.size()) return end_;
    out += pieces_[next_++];
    return State::kMore;
  }
  void SetWake(std::function<void()> /*wake*/) override {}

 private:
  const std::vector<std::string> pieces_;
  const State end_;
  std::size_t next_ = 0;
};

std::string Gunzip(std::string bytes) {
  constexpr int kAnyFraming = 15 + 32;
  z_stream inflater{};
  REQUIRE(inflateInit2(&inflater, kAnyFraming) == Z_OK);
  std::string out(std::size_t{4} << 20U, '\0');
  inflater.next_in = reinterpret_cast<Bytef*>(bytes.data());
  inflater.avail_in = static_cast<uInt>(bytes.size());
  inflater.next_out = reinterpret_cast<Bytef*>(out.data());
  inflater.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&inflater, Z_FINISH) == Z_STREAM_END);
  out.resize(inflater.total_out);
  inflateEnd(&inflater);
  return out;
}

State ReadAll(api::BodySource& source, std::string& out) {
  State state = State::kMore;
  while (state == State::kMore) state = source.Read(1024, out);
  return state;
}

std::string Numbers() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ",";
  return text;
}

}  // namespace

TEST_CASE("a whole body is compressed while it is sent, and its headers say so", "[http][gzip]") {
  api::Response response;
  response.headers.Add("vary", "Accept");
  response.body = Numbers();
  Compress(response);
  CHECK(response.body.empty());
  CHECK(response.headers.First("content-encoding") == "gzip");
  CHECK(response.headers.Has("vary"));
  std::string bytes;
  REQUIRE(response.stream);
  CHECK(ReadAll(*response.stream, bytes) == State::kEnd);
  CHECK(bytes.size() < Numbers().size());
  CHECK(Gunzip(bytes) == Numbers());
}

TEST_CASE("a list that comes in pieces is one gzip member", "[http][gzip]") {
  api::Response response;
  response.stream =
      std::make_unique<Pieces>(std::vector<std::string>{"{\"items\":[", Numbers(), "]}\n"}, State::kEnd);
  Compress(response);
  std::string bytes;
  CHECK(ReadAll(*response.stream, bytes) == State::kEnd);
  CHECK(Gunzip(bytes) == "{\"items\":[" + Numbers() + "]}\n");
}

TEST_CASE("a body that breaks off breaks off compressed too", "[http][gzip]") {
  api::Response response;
  response.stream = std::make_unique<Pieces>(std::vector<std::string>{Numbers()}, State::kBroken);
  Compress(response);
  std::string bytes;
  CHECK(ReadAll(*response.stream, bytes) == State::kBroken);
}

}  // namespace annex::http
