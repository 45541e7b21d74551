#include "annex/auth/certificate_authority.h"

#include <chrono>

#include <catch2/catch.hpp>

namespace annex::auth {

TEST_CASE("a certificate tells the names that it was asked for, as they were written",
          "[auth][certificates]") {
  const auto now = std::chrono::system_clock::now();
  const auto authority = CertificateAuthority::Make("ca", std::chrono::hours(48), now).value();
  CertificateRequest request;
  request.common_name = "server";
  request.for_server = true;
  request.lifetime = std::chrono::hours(24);
  request.dns_names = {"localhost"};
  request.ip_addresses = {"127.0.0.1", "::1", "2001:db8::5"};
  const auto facts = ReadCertificate(authority.Issue(request, now).value().certificate);
  REQUIRE(facts);
  CHECK(facts->names == std::vector<std::string>{"localhost", "127.0.0.1", "::1", "2001:db8::5"});
}

}  // namespace annex::auth
