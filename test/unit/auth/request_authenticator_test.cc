#include "annex/auth/request_authenticator.h"

#include "annex/auth/certificate_authority.h"
#include "annex/auth/cluster_authentication.h"
#include "annex/base/serial_thread.h"
#include "support/manual_clock.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

namespace annex::auth {
namespace {

constexpr std::chrono::hours kYear{24 * 365};

struct Authorities {
  test::ManualClock clock;
  CertificateAuthority clients = *CertificateAuthority::Make("clients", kYear, clock.Now());
  CertificateAuthority proxies = *CertificateAuthority::Make("proxies", kYear, clock.Now());

  // The certificates of a connection whose client is `name`.
  std::vector<std::string> Certificate(const CertificateAuthority& authority, const std::string& name,
                                       const std::string& organization = "") {
    CertificateRequest request;
    request.common_name = name;
    if (!organization.empty()) request.organizations.push_back(organization);
    return {CertificateDer(authority.Issue(request, clock.Now())->certificate)};
  }

  json::Value ConfigMap(const std::string& allowed_names = R"(["front-proxy"])") const {
    return {{"metadata", {{"name", "extension-apiserver-authentication"}}},
            {"data",
             {{"client-ca-file", clients.pem().certificate},
              {"requestheader-client-ca-file", proxies.pem().certificate},
              {"requestheader-allowed-names", allowed_names},
              {"requestheader-username-headers", R"(["X-Remote-User"])"},
              {"requestheader-group-headers", R"(["X-Remote-Group"])"},
              {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"}}}};
  }
};

// Knows one token.
class OneToken final : public TokenAuthenticator {
 public:
  base::Task<base::Result<User>> AuthenticateToken(std::string token, base::Executor& executor) override {
    if (token != "right") co_return base::Error(base::Reason::kUnauthorized, "Unauthorized");
    User user;
    user.name = "by-token";
    co_return user;
  }
};

struct Fixture {
  Authorities authorities;
  OneToken tokens;
  RequestAuthenticator authenticator{authorities.clock, &tokens};
  base::SerialThread executor{"test"};
  base::TaskScope scope;

  Fixture() { authenticator.SetConfig(*ReadAuthenticationConfig(authorities.ConfigMap())); }
  ~Fixture() { executor.Stop(); }

  base::Result<User> Ask(std::vector<std::string> certificates,
                         std::vector<std::pair<std::string, std::string>> headers = {}) {
    Peer peer;
    peer.certificates = std::move(certificates);
    return Ask(peer, std::move(headers));
  }
  base::Result<User> Ask(Peer& peer, std::vector<std::pair<std::string, std::string>> headers = {}) {
    base::Headers sent;
    for (auto& [name, value] : headers) sent.Add(name, value);
    std::optional<base::Result<User>> user;
    // None of these waits for anything, so the task ends at once.
    scope.Spawn<base::Result<User>>(authenticator.Authenticate({sent, peer, executor}),
                                    [&user](base::Result<User> result) { user = std::move(result); });
    REQUIRE(user);
    return *std::move(user);
  }
  std::vector<std::string> Proxy() { return authorities.Certificate(authorities.proxies, "front-proxy"); }
};

TEST_CASE_METHOD(Fixture, "the front proxy names the user in headers", "[auth]") {
  const auto user = Ask(Proxy(), {{"x-remote-user", "jane"},
                                  {"x-remote-group", "devs"},
                                  {"x-remote-group", "ops"},
                                  {"x-remote-extra-scopes", "a"},
                                  {"x-remote-extra-scopes", "b"},
                                  {"x-remote-extra-acme.com%2fproject", "x"}});
  REQUIRE(user);
  CHECK(user->name == "jane");
  CHECK(user->groups == std::vector<std::string>{"devs", "ops", "system:authenticated"});
  CHECK(user->extra.at("scopes") == std::vector<std::string>{"a", "b"});
  CHECK(user->extra.at("acme.com/project") == std::vector<std::string>{"x"});
}

TEST_CASE_METHOD(Fixture, "headers name nobody without the front proxy's certificate", "[auth]") {
  const std::vector<std::pair<std::string, std::string>> headers = {{"x-remote-user", "jane"},
                                                                    {"x-remote-group", "system:masters"}};
  CHECK(Ask({}, headers)->name == kAnonymousUser);
  // A client's certificate names the client, whatever its headers say.
  CHECK(Ask(authorities.Certificate(authorities.clients, "front-proxy"), headers)->groups ==
        std::vector<std::string>{"system:authenticated"});
  CHECK_FALSE(Ask(authorities.Certificate(authorities.proxies, "somebody-else"), headers));
  auto other = CertificateAuthority::Make("proxies", kYear, authorities.clock.Now());
  CHECK_FALSE(Ask(authorities.Certificate(*other, "front-proxy"), headers));
}

TEST_CASE_METHOD(Fixture, "headers with nearly the right name are not heard", "[auth]") {
  CHECK_FALSE(Ask(Proxy(), {{"x_remote_user", "jane"}}));
  const auto user = Ask(Proxy(), {{"x-remote-user", "jane"},
                                  {"x_remote_group", "system:masters"},
                                  {"x-remote-groups", "system:masters"},
                                  {"x-remote.group", "system:masters"}});
  REQUIRE(user);
  CHECK(user->groups == std::vector<std::string>{"system:authenticated"});
}

TEST_CASE_METHOD(Fixture, "a client certificate names the user and its groups until it ends", "[auth]") {
  Peer peer;
  peer.certificates = authorities.Certificate(authorities.clients, "jane", "devs");
  const auto user = Ask(peer);
  REQUIRE(user);
  CHECK(user->name == "jane");
  CHECK(user->groups == std::vector<std::string>{"devs", "system:authenticated"});
  authorities.clock.Advance(kYear + std::chrono::hours(1));
  CHECK_FALSE(Ask(peer));
}

TEST_CASE_METHOD(Fixture, "a change of authorities reaches connections that are open", "[auth]") {
  Peer peer;
  peer.certificates = authorities.Certificate(authorities.clients, "jane");
  REQUIRE(Ask(peer));
  authorities.clients = *CertificateAuthority::Make("clients", kYear, authorities.clock.Now());
  authenticator.SetConfig(*ReadAuthenticationConfig(authorities.ConfigMap()));
  CHECK_FALSE(Ask(peer));
}

TEST_CASE_METHOD(Fixture, "a bearer token is asked about, and a wrong one is not anonymous", "[auth]") {
  CHECK(Ask({}, {{"authorization", "Bearer right"}})->name == "by-token");
  CHECK(Ask({}, {{"authorization", "bearer   right"}})->name == "by-token");
  CHECK_FALSE(Ask({}, {{"authorization", "Bearer wrong"}}));
  CHECK(Ask({})->name == kAnonymousUser);
  CHECK(Ask({})->groups == std::vector<std::string>{"system:unauthenticated"});
}

TEST_CASE("before there is a configuration who shows a certificate is told to try again", "[auth]") {
  Authorities authorities;
  RequestAuthenticator authenticator(authorities.clock, nullptr);
  base::SerialThread executor("test");
  base::TaskScope scope;
  Peer peer;
  peer.certificates = authorities.Certificate(authorities.clients, "jane");
  const base::Headers headers;
  std::optional<base::Result<User>> user;
  scope.Spawn<base::Result<User>>(authenticator.Authenticate({headers, peer, executor}),
                                  [&user](base::Result<User> result) { user = std::move(result); });
  REQUIRE(user);
  REQUIRE_FALSE(*user);
  CHECK(user->error().reason == base::Reason::kServiceUnavailable);
  CHECK(user->error().details.retry_after_seconds == 1);
}

TEST_CASE("headers are not believed where the front proxy cannot be told from clients", "[auth]") {
  const Authorities authorities;
  json::Value config_map = authorities.ConfigMap("[]");
  CHECK((*ReadAuthenticationConfig(config_map))->front_proxy != nullptr);
  config_map["data"]["requestheader-client-ca-file"] = config_map["data"]["client-ca-file"];
  CHECK((*ReadAuthenticationConfig(config_map))->front_proxy == nullptr);
  config_map["data"]["requestheader-allowed-names"] = R"(["front-proxy"])";
  CHECK((*ReadAuthenticationConfig(config_map))->front_proxy != nullptr);
}

TEST_CASE("a ConfigMap that cannot be used names its field", "[auth]") {
  const Authorities authorities;
  json::Value config_map = authorities.ConfigMap();
  config_map["data"]["client-ca-file"] = "no certificate";
  auto config = ReadAuthenticationConfig(config_map);
  REQUIRE_FALSE(config);
  CHECK(config.error().message.find("data.client-ca-file") != std::string::npos);
  config_map = authorities.ConfigMap(R"({"a":1})");
  config = ReadAuthenticationConfig(config_map);
  REQUIRE_FALSE(config);
  CHECK(config.error().message.find("data.requestheader-allowed-names") != std::string::npos);
}

}  // namespace
}  // namespace annex::auth
