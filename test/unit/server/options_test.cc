#include "annex/server/options.h"

#include "support/temporary_directory.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::server {
namespace {

ServeOptions Standalone() {
  ServeOptions options;
  options.standalone = true;
  options.data_dir = "/data";
  return options;
}

std::string ProblemOf(ServeOptions options) {
  if (auto completed = Complete(options); !completed) return completed.error().message;
  const auto valid = Validate(options);
  return valid ? "" : valid.error().message;
}

TEST_CASE("the address to listen on is taken apart", "[server][options]") {
  ServeOptions options = Standalone();
  SECTION("standalone is for this machine unless told otherwise") {
    REQUIRE(Complete(options));
    CHECK(options.listen_address == "127.0.0.1");
    CHECK(options.listen_port == 8443);
  }
  SECTION("behind a cluster it is for all") {
    options.standalone = false;
    REQUIRE(Complete(options));
    CHECK(options.listen_address == "0.0.0.0");
  }
  SECTION("IPv6") {
    options.listen = "[::1]:0";
    REQUIRE(Complete(options));
    CHECK(options.listen_address == "::1");
    CHECK(options.listen_port == 0);
  }
  SECTION("a port alone") {
    options.listen = ":9443";
    REQUIRE(Complete(options));
    CHECK(options.listen_address == "0.0.0.0");
    CHECK(options.listen_port == 9443);
  }
}

TEST_CASE("a wrong option is named, with a remedy", "[server][options]") {
  const auto names = [](ServeOptions options, const std::string& flag) {
    const std::string problem = ProblemOf(std::move(options));
    INFO(problem);
    CHECK(problem.starts_with(flag));
  };
  CHECK(ProblemOf(Standalone()).empty());
  ServeOptions options = Standalone();
  options.listen = "localhost";
  names(options, "--listen");
  options = Standalone();
  options.listen = "127.0.0.1:70000";
  names(options, "--listen");
  options = Standalone();
  options.data_dir = "";
  names(options, "--data-dir");
  options = Standalone();
  options.kubeconfig = "x";
  names(options, "--standalone and --kubeconfig");
  options = Standalone();
  options.standalone = false;
  names(options, "--definitions");
  options = Standalone();
  options.definitions_dir = "/nonexistent";
  names(options, "--definitions");
  options = Standalone();
  options.tls_cert_file = "x";
  names(options, "--tls-cert-file");
  options = Standalone();
  options.ca_secret = "annex-ca";
  names(options, "--ca-secret");
  options = Standalone();
  options.history_age = std::chrono::seconds(0);
  names(options, "--history-age");
}

}  // namespace
}  // namespace annex::server
