// HTTP/2 over real TLS: streams, limits, timeouts.
#include "annex/json/read.h"
#include "echo_server.h"
#include "http2_client.h"

#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

http::Limits ShortLimits() {
  http::Limits limits;
  limits.max_body_bytes = 8192;
  limits.max_header_bytes = 4096;
  limits.max_headers = 20;
  limits.request_timeout = seconds(2);
  limits.idle_timeout = seconds(3);
  limits.write_timeout = seconds(2);
  return limits;
}

json::Value Json(const Http2Stream& stream) {
  return json::Parse(stream.body).value_or(json::Value());
}

}  // namespace

TEST_CASE("requests on one HTTP/2 connection are answered, each with its own body", "[http][http2]") {
  const EchoServer server;
  Http2Client client({.port = server.port()});
  REQUIRE(client.connected());
  std::vector<Http2Stream*> streams;
  for (int i = 0; i < 80; ++i) {
    streams.push_back(&client.Begin("POST", "/echo?n=" + std::to_string(i),
                                    std::string(static_cast<std::size_t>(i) * 1000, 'a'),
                                    {{"x-number", std::to_string(i)}}));
  }
  REQUIRE(client.Run([&] {
    return std::all_of(streams.begin(), streams.end(), [](const auto* stream) { return stream->closed; });
  }));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const json::Value body = Json(*streams[i]);
    CHECK(streams[i]->status == 200);
    CHECK(body["target"] == "/echo?n=" + std::to_string(i));
    CHECK(body["headers"]["x-number"][0] == std::to_string(i));
    CHECK(body["headers"]["host"][0] == "annex");
    CHECK(body["body"].get<std::string>().size() == i * 1000);
  }
}

TEST_CASE(
    "HTTP/2 headers beyond the limits are 431, a body beyond its limit is 413, and the connection lives on",
    "[http][http2][limits]") {
  const EchoServer server(ShortLimits());
  Http2Client client({.port = server.port()});
  Http2Client::Headers many;
  for (int i = 0; i < 30; ++i) many.emplace_back("x-" + std::to_string(i), "1");
  const auto& too_many = client.Begin("GET", "/echo", "", many);
  const auto& too_large = client.Begin("GET", "/echo", "", {{"x-large", std::string(5000, 'a')}});
  const auto& body = client.Begin("POST", "/echo", std::string(10000, 'a'));
  const auto& fits = client.Begin("POST", "/echo", std::string(8192, 'a'));
  const auto& unfinished = client.BeginStalling("/echo", std::string(10000, 'a'));
  REQUIRE(client.Run([&] {
    return too_many.closed && too_large.closed && body.closed && fits.closed && unfinished.closed;
  }));
  CHECK(unfinished.status == 413);
  CHECK(unfinished.error == NGHTTP2_NO_ERROR);
  CHECK(too_many.status == 431);
  CHECK(too_large.status == 431);
  CHECK(body.status == 413);
  CHECK(fits.status == 200);
}

TEST_CASE("streams beyond the limit wait or are refused; the server serves on", "[http][http2][limits]") {
  http::Limits limits;
  limits.max_streams = 5;
  EchoServer server(limits);
  Http2Client client({.port = server.port()});
  std::vector<Http2Stream*> quiet;
  for (int i = 0; i < 8; ++i) quiet.push_back(&client.Begin("GET", "/quiet"));
  REQUIRE(client.Run([&] { return server.service().open_streams == 5; }));
  CHECK_FALSE(client.Run([&] { return server.service().open_streams > 5; }, milliseconds(300)));
  for (const auto* stream : quiet) client.Cancel(*stream);
  const auto& next = client.Begin("GET", "/echo");
  REQUIRE(client.Run([&] { return next.closed; }));
  CHECK(next.status == 200);
  CHECK(client.Run([&] { return server.service().open_streams == 0; }));
}

TEST_CASE("an HTTP/2 request that does not end is given up after its time; others on the connection go on",
          "[http][http2][timeouts]") {
  EchoServer server(ShortLimits());
  Http2Client client({.port = server.port()});
  const auto& stalls = client.BeginStalling("/echo", "abc");
  const auto& quiet = client.Begin("GET", "/quiet");
  REQUIRE(client.Run([&] { return quiet.body == "begin\n"; }));
  CHECK(client.Run([&] { return stalls.closed; }, seconds(8)));
  CHECK_FALSE(quiet.closed);
  CHECK_FALSE(client.closed());
  const auto& next = client.Begin("GET", "/echo");
  REQUIRE(client.Run([&] { return next.closed; }));
  CHECK(next.status == 200);
}

TEST_CASE("an idle HTTP/2 connection is closed after its time", "[http][http2][timeouts]") {
  const EchoServer server(ShortLimits());
  Http2Client client({.port = server.port()});
  const auto& first = client.Begin("GET", "/echo");
  REQUIRE(client.Run([&] { return first.closed; }));
  CHECK_FALSE(client.Run([] { return false; }, seconds(8)));
  CHECK(client.closed());
}

TEST_CASE("a stream that its client does not read holds little memory and delays nobody",
          "[http][http2][limits]") {
  EchoServer server;
  Http2Client client({.port = server.port()}, 0);
  const auto& endless = client.Begin("GET", "/endless");
  REQUIRE(client.Run([&] { return endless.status == 200; }));
  CHECK_FALSE(client.Run([&] { return server.service().streamed_bytes > 512UL * 1024; }, milliseconds(500)));
  const auto& next = client.Begin("HEAD", "/echo");
  CHECK(client.Run([&] { return next.closed && next.status == 200; }));
}

TEST_CASE("an HTTP/2 client that stops reading its connection is dropped", "[http][http2][timeouts]") {
  EchoServer server(ShortLimits());
  Http2Client client({.port = server.port(), .receive_buffer_bytes = 4096}, 64U << 20U);
  const auto& endless = client.Begin("GET", "/endless");
  REQUIRE(client.Run([&] { return endless.status == 200; }));
  for (int i = 0; i < 1000 && server.service().open_streams > 0; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  CHECK(server.service().open_streams == 0);
  CHECK(server.service().streamed_bytes < 8UL * 1024 * 1024);
}

TEST_CASE("what is no HTTP/2 is answered with GOAWAY and the end", "[http][http2]") {
  const EchoServer server(ShortLimits());
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::string settings("\x00\x00\x00\x04\x00\x00\x00\x00\x00", 9);
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: annex\r\n\r\n"), preface + std::string(64, '\xff'),
        preface + settings +
            std::string("\x00\x00\x04\x01\x05\x00\x00\x00\x01\xff\xff\xff\xff",
                        13),  // HPACK that means nothing
        preface + settings +
            std::string("\x00\x00\x05\x00\x00\x00\x00\x00\x01hello", 14),  // DATA without HEADERS
        preface + settings +
            std::string("\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00", 13)}) {  // WINDOW_UPDATE by 0
    TlsClient client({.port = server.port(), .protocol = "h2"});
    REQUIRE(client.Write(bytes));
    CHECK(client.WaitForClose(seconds(6)));
  }
  Http2Client client({.port = server.port()});
  const auto& next = client.Begin("GET", "/echo");
  CHECK(client.Run([&] { return next.closed; }));
}

TEST_CASE("a stream that breaks is reset, not ended", "[http][http2]") {
  const EchoServer server;
  Http2Client client({.port = server.port()});
  const auto& broken = client.Begin("GET", "/broken");
  REQUIRE(client.Run([&] { return broken.closed; }));
  CHECK(broken.error != NGHTTP2_NO_ERROR);
}

TEST_CASE("a request for a path that is none is reset, as Go's servers do; others on the connection go on",
          "[http][http2]") {
  const EchoServer server;
  Http2Client client({.port = server.port()});
  const auto& incomplete = client.Begin("GET", "/echo%2");
  const auto& wrong = client.Begin("POST", "/echo%zz", "body");
  const auto& query = client.Begin("GET", "/echo?x=%zz");
  REQUIRE(client.Run([&] { return incomplete.closed && wrong.closed && query.closed; }));
  CHECK(incomplete.error == NGHTTP2_PROTOCOL_ERROR);
  CHECK(wrong.error == NGHTTP2_PROTOCOL_ERROR);
  CHECK(query.status == 200);
}

TEST_CASE("stopping sends GOAWAY and ends streams", "[http][http2][stop]") {
  EchoServer server;
  Http2Client client({.port = server.port()});
  const auto& quiet = client.Begin("GET", "/quiet");
  REQUIRE(client.Run([&] { return quiet.body == "begin\n"; }));
  server.server().Stop(seconds(10));
  CHECK_FALSE(client.Run([] { return false; }, seconds(5)));
  CHECK(client.goaway());
  CHECK(quiet.closed);
  CHECK(quiet.error == NGHTTP2_NO_ERROR);
  CHECK(client.closed());
}

}  // namespace annex::test
