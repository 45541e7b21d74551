#include "echo_server.h"

#include "annex/base/check.h"
#include "annex/json/value.h"
#include "annex/json/write.h"

#include <functional>
#include <string>
#include <utility>

namespace annex::test {
namespace {

enum class Kind : std::uint8_t { kEndless, kQuiet, kBroken };

class Stream final : public api::BodySource {
 public:
  Stream(EchoService& service, Kind kind) : service_(service), kind_(kind) { ++service_.open_streams; }
  ~Stream() override { --service_.open_streams; }

  State Read(std::size_t max_bytes, std::string& out) override {
    if (stopped_) return State::kEnd;
    if (kind_ == Kind::kEndless) {
      out.append(max_bytes, 'x');
      service_.streamed_bytes += max_bytes;
      return State::kMore;
    }
    if (!std::exchange(begun_, true)) {
      out += "begin\n";
      return State::kMore;
    }
    return kind_ == Kind::kBroken ? State::kBroken : State::kWaiting;
  }

  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }

  void Stop() override {
    stopped_ = true;
    if (wake_) wake_();
  }

 private:
  EchoService& service_;
  const Kind kind_;
  bool begun_ = false;
  bool stopped_ = false;
  std::function<void()> wake_;
};

auth::CertificateAuthority MakeAuthority(const base::Clock& clock) {
  auto authority = auth::CertificateAuthority::Make("test", std::chrono::hours(24), clock.Now());
  ANNEX_CHECK(authority.has_value(), "an authority can be made");
  return *std::move(authority);
}

}  // namespace

base::Task<api::Response> EchoService::Serve(api::Request request) {
  api::Response response;
  if (request.target == "/endless") {
    response.stream = std::make_unique<Stream>(*this, Kind::kEndless);
  } else if (request.target == "/quiet") {
    response.stream = std::make_unique<Stream>(*this, Kind::kQuiet);
  } else if (request.target == "/broken") {
    response.stream = std::make_unique<Stream>(*this, Kind::kBroken);
  } else if (request.body_too_large) {
    response.status = 413;
    response.body = "at most " + std::to_string(request.body_limit) + " bytes";
  } else {
    json::Value headers = json::Value::object();
    for (const base::Header& header : request.headers) headers[header.name].push_back(header.value);
    response.body = json::ToJson({{"method", request.method},
                                  {"target", request.target},
                                  {"headers", headers},
                                  {"body", request.body},
                                  {"certificates", request.peer->certificates.size()}});
  }
  co_return response;
}

EchoServer::EchoServer(const http::Limits& limits) : authority_(MakeAuthority(clock_)) {
  auth::CertificateRequest request;
  request.common_name = "annex";
  request.ip_addresses = {"127.0.0.1"};
  request.for_server = true;
  const auto identity = authority_.Issue(request, clock_.Now());
  ANNEX_CHECK(identity.has_value(), "a certificate can be issued");
  http::ServerOptions options;
  options.threads = 2;
  options.limits = limits;
  auto server =
      http::Server::Bind(options, {identity->certificate, identity->key}, service_, clock_, metrics_);
  ANNEX_CHECK(server.has_value(), "the server starts");
  server_ = *std::move(server);
  server_->Serve();
}

EchoServer::~EchoServer() {
  server_->Stop(std::chrono::seconds(0));
}

}  // namespace annex::test
