// The transport over real TLS: protocols, framing of HTTP/1.1, limits and timeouts.
#include "echo_server.h"
#include "http1_reader.h"
#include "tls_client.h"

#include <string>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace annex::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// Timeouts that a test can wait for. The server looks at them once a second.
http::Limits ShortLimits() {
  http::Limits limits;
  limits.max_body_bytes = 4096;
  limits.max_header_bytes = 2048;
  limits.max_headers = 20;
  limits.handshake_timeout = seconds(1);
  limits.request_timeout = seconds(2);
  limits.idle_timeout = seconds(3);
  limits.write_timeout = seconds(2);
  return limits;
}

// Whether the server still does what it is there for.
void RequireServing(const EchoServer& server) {
  TlsClient client({.port = server.port()});
  REQUIRE(client.connected());
  REQUIRE(client.Write(Http1Request("GET", "/echo")));
  const auto answer = Http1Reader(client).Answer();
  REQUIRE(answer);
  CHECK(answer->status == 200);
}

bool Eventually(const std::function<bool()>& condition, seconds patience = seconds(10)) {
  const auto end = Clock::now() + patience;
  while (Clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return condition();
}

}  // namespace

TEST_CASE("TLS 1.2 and 1.3 are spoken, older versions are refused", "[http][tls]") {
  const EchoServer server;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client({.port = server.port(), .min_version = version, .max_version = version});
    REQUIRE(client.connected());
    CHECK(client.version() == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"));
  }
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    const TlsClient client({.port = server.port(), .min_version = version, .max_version = version});
    CHECK_FALSE(client.connected());
  }
  RequireServing(server);
}

TEST_CASE("ALPN chooses the protocol; without it HTTP/1.1 is spoken", "[http][tls]") {
  const EchoServer server;
  for (const std::string protocol : {"h2", "http/1.1", ""}) {
    const TlsClient client({.port = server.port(), .protocol = protocol});
    REQUIRE(client.connected());
    CHECK(client.protocol() == protocol);
  }
  const TlsClient stranger({.port = server.port(), .protocol = "spdy/3"});
  CHECK_FALSE(stranger.connected());
}

TEST_CASE("a client certificate is asked for and reaches the service, whoever signed it", "[http][tls]") {
  const EchoServer server;
  const auto stranger =
      auth::CertificateAuthority::Make("stranger", std::chrono::hours(1), std::chrono::system_clock::now());
  REQUIRE(stranger);
  auth::CertificateRequest request;
  request.common_name = "eve";
  const auto pair = stranger->Issue(request, std::chrono::system_clock::now());
  REQUIRE(pair);
  TlsClient client({.port = server.port(), .certificate = pair->certificate, .key = pair->key});
  REQUIRE(client.connected());
  REQUIRE(client.Write(Http1Request("GET", "/echo")));
  const auto answer = Http1Reader(client).Answer();
  REQUIRE(answer);
  CHECK(answer->Json()["certificates"] == 1);
}

TEST_CASE("what is no TLS is closed, also if it comes slowly or not at all", "[http][tls]") {
  const EchoServer server(ShortLimits());
  const int plain = ConnectTcp(server.port());
  const int silent = ConnectTcp(server.port());
  REQUIRE(plain >= 0);
  REQUIRE(silent >= 0);
  const std::string request = "GET / HTTP/1.1\r\nHost: annex\r\n\r\n";
  CHECK(send(plain, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size()));
  const timeval patience{5, 0};
  for (const int socket : {plain, silent}) {
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char byte = 0;
    ssize_t length = 1;
    while (length > 0) length = recv(socket, &byte, 1, 0);
    CHECK((length == 0 || errno == ECONNRESET));  // not EAGAIN: the server ended it
    close(socket);
  }
  RequireServing(server);
}

TEST_CASE("a connection serves one request after the other, also when they come at once", "[http][http1]") {
  const EchoServer server;
  TlsClient client({.port = server.port()});
  Http1Reader reader(client);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(client.Write(Http1Request("GET", "/echo?n=" + std::to_string(i))));
    const auto answer = reader.Answer();
    REQUIRE(answer);
    CHECK(answer->Json()["target"] == "/echo?n=" + std::to_string(i));
  }
  std::string pipelined;
  for (int i = 0; i < 50; ++i) pipelined += Http1Request("POST", "/echo", std::to_string(i));
  REQUIRE(client.Write(pipelined));
  for (int i = 0; i < 50; ++i) {
    const auto answer = reader.Answer();
    REQUIRE(answer);
    CHECK(answer->Json()["body"] == std::to_string(i));
  }
  REQUIRE(client.Write(Http1Request("GET", "/echo", "", "Connection: close\r\n")));
  const auto last = reader.Answer();
  REQUIRE(last);
  CHECK(last->headers.at("connection") == "close");
  CHECK(client.WaitForClose(seconds(5)));
}

TEST_CASE("HTTP/1.0 gets an answer and the end of the connection", "[http][http1]") {
  const EchoServer server;
  TlsClient client({.port = server.port()});
  REQUIRE(client.Write("GET /echo HTTP/1.0\r\n\r\n"));
  const auto answer = Http1Reader(client).Answer();
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK(client.WaitForClose(seconds(5)));
}

TEST_CASE("HEAD is answered without a body", "[http][http1]") {
  const EchoServer server;
  TlsClient client({.port = server.port()});
  Http1Reader reader(client);
  REQUIRE(client.Write(Http1Request("HEAD", "/echo") + Http1Request("GET", "/echo")));
  const auto head = reader.Head();
  REQUIRE(head);
  CHECK(std::stoi(head->headers.at("content-length")) > 0);
  const auto next = reader.Answer();
  REQUIRE(next);
  CHECK(next->Json()["method"] == "GET");
}

TEST_CASE("chunked bodies are put together; extensions and trailers mean nothing", "[http][http1]") {
  const EchoServer server;
  TlsClient client({.port = server.port()});
  Http1Reader reader(client);
  REQUIRE(client.Write(
      "POST /echo HTTP/1.1\r\nHost: annex\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n"));
  std::this_thread::sleep_for(milliseconds(50));
  REQUIRE(client.Write("4\r\ndefg\r\n0\r\nX-Remote-User: eve\r\n\r\n"));
  const auto answer = reader.Answer();
  REQUIRE(answer);
  CHECK(answer->Json()["body"] == "abcdefg");
  REQUIRE(client.Write(Http1Request("GET", "/echo")));
  const auto next = reader.Answer();
  REQUIRE(next);
  CHECK_FALSE(next->Json()["headers"].contains("x-remote-user"));
}

TEST_CASE("who expects 100 Continue is told to go on", "[http][http1]") {
  const EchoServer server;
  TlsClient client({.port = server.port()});
  Http1Reader reader(client);
  REQUIRE(client.Write(
      "POST /echo HTTP/1.1\r\nHost: annex\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
  const auto go_on = reader.Answer();
  REQUIRE(go_on);
  CHECK(go_on->status == 100);
  REQUIRE(client.Write("body"));
  const auto answer = reader.Answer();
  REQUIRE(answer);
  CHECK(answer->Json()["body"] == "body");
}

TEST_CASE("a request that could be read in two ways is refused", "[http][http1]") {
  const EchoServer server;
  const std::string host = "Host: annex\r\n";
  for (const std::string& request : {
           "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody",
           "POST /echo HTTP/1.1\r\n" + host +
               "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST /echo HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
           "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 4x\r\n\r\nbody",
           "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
           "GET /echo HTTP/1.1\r\n" + host + "X-Remote-User : eve\r\n\r\n",
           "GET /echo HTTP/1.1\r\n" + host + "a\r\n b\r\n\r\n",
           "GET  /echo HTTP/1.1\r\n" + host + "\r\n",
           "GET /echo HTTP/1.1 \r\n" + host + "\r\n",
           "GET /e\x01cho HTTP/1.1\r\n" + host + "\r\n",
           "GET /echo HTTP/3.7\r\n" + host + "\r\n",
           "GET /echo HTTP/1.1\r\n" + host + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
           std::string("\x16\x03\x01\r\n\r\n"),
       }) {
    CAPTURE(request);
    TlsClient client({.port = server.port()});
    REQUIRE(client.Write(request));
    const auto answer = Http1Reader(client).Answer();
    REQUIRE(answer);
    CHECK(answer->status == 400);
    CHECK(client.WaitForClose(seconds(5)));
  }
  RequireServing(server);
}

TEST_CASE("a path that is none is refused in the words of Go's servers", "[http][http1]") {
  const EchoServer server;
  for (const std::string target : {"/echo%", "/echo%zz", "/%2?x"}) {
    CAPTURE(target);
    TlsClient client({.port = server.port()});
    REQUIRE(client.Write(Http1Request("GET", target)));
    const auto answer = Http1Reader(client).Answer();
    REQUIRE(answer);
    CHECK(answer->status == 400);
    CHECK(answer->body == "400 Bad Request");
    CHECK(client.WaitForClose(seconds(5)));
  }
  RequireServing(server);
}

TEST_CASE("headers beyond the limits are 431", "[http][http1][limits]") {
  const EchoServer server(ShortLimits());
  std::string many;
  for (int i = 0; i < 30; ++i) many += "x-" + std::to_string(i) + ": 1\r\n";
  const std::string large = "x-large: " + std::string(4096, 'a') + "\r\n";
  const std::string long_target = "/echo?" + std::string(4096, 'a');
  for (const std::string& request :
       {Http1Request("GET", "/echo", "", many), Http1Request("GET", "/echo", "", large),
        Http1Request("GET", long_target)}) {
    TlsClient client({.port = server.port()});
    REQUIRE(client.Write(request));
    const auto answer = Http1Reader(client).Answer();
    REQUIRE(answer);
    CHECK(answer->status == 431);
    CHECK(client.WaitForClose(seconds(5)));
  }
  RequireServing(server);
}

TEST_CASE("a body beyond the limit is 413 before it was sent, whatever its framing",
          "[http][http1][limits]") {
  const EchoServer server(ShortLimits());
  const std::string head = "POST /echo HTTP/1.1\r\nHost: annex\r\n";
  for (const std::string& request :
       {head + "Content-Length: 5000\r\n\r\n" + std::string(5000, 'a'),
        head + "Content-Length: 999999999999\r\n\r\nabc",
        head + "Transfer-Encoding: chunked\r\n\r\n2000\r\n" + std::string(8192, 'a') + "\r\n0\r\n\r\n"}) {
    TlsClient client({.port = server.port()});
    REQUIRE(client.Write(request));
    const auto answer = Http1Reader(client).Answer();
    REQUIRE(answer);
    CHECK(answer->status == 413);
    CHECK(client.WaitForClose(seconds(5)));
  }
  TlsClient fits({.port = server.port()});
  REQUIRE(fits.Write(Http1Request("POST", "/echo", std::string(4096, 'a'))));
  const auto answer = Http1Reader(fits).Answer();
  REQUIRE(answer);
  CHECK(answer->status == 200);
}

TEST_CASE("a request that does not end is closed after its time, however its bytes trickle",
          "[http][http1][timeouts]") {
  const EchoServer server(ShortLimits());
  const auto begin = Clock::now();
  TlsClient in_head({.port = server.port()});
  TlsClient in_body({.port = server.port()});
  REQUIRE(in_head.Write("GET /echo HTTP/1.1\r\nHost: an"));
  REQUIRE(in_body.Write("POST /echo HTTP/1.1\r\nHost: annex\r\nContent-Length: 100\r\n\r\n"));
  for (int i = 0; i < 100 && !(in_head.closed() && in_body.closed()); ++i) {
    if (!in_head.closed()) static_cast<void>(in_head.Write("n"));
    if (!in_body.closed()) static_cast<void>(in_body.Write("n"));
    CHECK(in_head.Read(milliseconds(50)).empty());
    CHECK(in_body.Read(milliseconds(50)).empty());
  }
  CHECK(in_head.closed());
  CHECK(in_body.closed());
  CHECK(Clock::now() - begin > seconds(1));
  CHECK(Clock::now() - begin < seconds(9));
  RequireServing(server);
}

TEST_CASE("an idle connection is closed after its time, one with a watch is not", "[http][http1][timeouts]") {
  EchoServer server(ShortLimits());
  TlsClient idle({.port = server.port()});
  TlsClient watching({.port = server.port()});
  Http1Reader reader(watching);
  REQUIRE(watching.Write(Http1Request("GET", "/quiet")));
  REQUIRE(reader.Head());
  CHECK(reader.Chunk() == "begin\n");
  CHECK(idle.WaitForClose(seconds(8)));
  CHECK_FALSE(watching.WaitForClose(seconds(3)));
  CHECK(server.service().open_streams == 1);
}

TEST_CASE("a client that stops reading holds little memory and is dropped", "[http][http1][timeouts]") {
  EchoServer server(ShortLimits());
  TlsClient client({.port = server.port(), .receive_buffer_bytes = 4096});
  REQUIRE(client.Write(Http1Request("GET", "/endless")));
  REQUIRE(Eventually([&] { return server.service().open_streams == 1; }));
  CHECK(Eventually([&] { return server.service().open_streams == 0; }));
  // What was made for it and not taken lies in the system's socket buffers and one piece of ours.
  CHECK(server.service().streamed_bytes < 8UL * 1024 * 1024);
  RequireServing(server);
}

TEST_CASE("a client that goes away ends its stream", "[http][http1]") {
  EchoServer server;
  {
    TlsClient client({.port = server.port()});
    REQUIRE(client.Write(Http1Request("GET", "/quiet")));
    REQUIRE(Eventually([&] { return server.service().open_streams == 1; }));
  }
  CHECK(Eventually([&] { return server.service().open_streams == 0; }));
}

TEST_CASE("a half-closed connection is closed and leaves nothing behind", "[http][http1]") {
  EchoServer server;
  TlsClient in_request({.port = server.port()});
  REQUIRE(in_request.Write("POST /echo HTTP/1.1\r\nHost: annex\r\nContent-Length: 10\r\n\r\nabc"));
  in_request.CloseSending();
  CHECK(in_request.WaitForClose(seconds(5)));
  TlsClient in_stream({.port = server.port()});
  REQUIRE(in_stream.Write(Http1Request("GET", "/quiet")));
  REQUIRE(Eventually([&] { return server.service().open_streams == 1; }));
  in_stream.CloseSending();
  CHECK(in_stream.WaitForClose(seconds(5)));
  CHECK(Eventually([&] { return server.service().open_streams == 0; }));
}

TEST_CASE("a stream that breaks is a broken connection, not a short body", "[http][http1]") {
  const EchoServer server;
  TlsClient client({.port = server.port()});
  Http1Reader reader(client);
  REQUIRE(client.Write(Http1Request("GET", "/broken")));
  REQUIRE(reader.Head());
  CHECK(reader.Chunk() == "begin\n");
  CHECK_FALSE(reader.Chunk());
  CHECK(client.closed());
}

TEST_CASE("connections beyond the limit are closed at once", "[http][limits]") {
  http::Limits limits = ShortLimits();
  limits.max_connections = 4;
  limits.idle_timeout = seconds(30);
  const EchoServer server(limits);
  {
    std::vector<TlsClient> clients;
    for (int i = 0; i < 4; ++i) clients.emplace_back(TlsClientOptions{.port = server.port()});
    for (const TlsClient& client : clients) CHECK(client.connected());
    const TlsClient beyond({.port = server.port()});
    CHECK_FALSE(beyond.connected());
  }
  CHECK(Eventually([&] { return TlsClient({.port = server.port()}).connected(); }));
}

TEST_CASE("stopping ends streams, finishes answers and closes idle connections", "[http][stop]") {
  EchoServer server;
  TlsClient idle({.port = server.port()});
  TlsClient watching({.port = server.port()});
  Http1Reader reader(watching);
  REQUIRE(watching.Write(Http1Request("GET", "/quiet")));
  REQUIRE(reader.Head());
  REQUIRE(reader.Chunk() == "begin\n");
  const auto begin = Clock::now();
  server.server().Stop(seconds(10));
  CHECK(Clock::now() - begin < seconds(5));
  CHECK(reader.Chunk() == "");  // the proper end of the body
  CHECK(watching.WaitForClose(seconds(5)));
  CHECK(idle.WaitForClose(seconds(5)));
  CHECK(ConnectTcp(server.port()) < 0);
}

TEST_CASE("a new certificate is shown to new connections, the old ones go on", "[http][tls]") {
  EchoServer server;
  TlsClient old({.port = server.port()});
  auth::CertificateRequest request;
  request.common_name = "renewed";
  request.for_server = true;
  const auto renewed = server.authority().Issue(request, std::chrono::system_clock::now());
  REQUIRE(renewed);
  REQUIRE(server.server().SetIdentity({renewed->certificate, renewed->key}));
  CHECK_FALSE(server.server().SetIdentity({"no certificate", renewed->key}));
  RequireServing(server);
  REQUIRE(old.Write(Http1Request("GET", "/echo")));
  CHECK(Http1Reader(old).Answer());
}

}  // namespace annex::test
