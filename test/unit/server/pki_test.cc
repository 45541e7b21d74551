#include "server/pki.h"

#include "support/manual_clock.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <sys/stat.h>

namespace annex::server {
namespace {

struct Folder {
  test::TemporaryDirectory directory;
  test::ManualClock clock;
};

TEST_CASE_METHOD(Folder, "certificates are made once, and only their owner may read the keys",
                 "[server][pki]") {
  const auto first = Pki::Open(directory.path(), clock);
  REQUIRE(first);
  const auto serving = first->Serving({"localhost", "127.0.0.1"});
  const auto admin = first->Admin();
  REQUIRE(serving);
  REQUIRE(admin);
  for (const auto& entry : std::filesystem::directory_iterator(directory.path() + "/pki")) {
    struct stat facts {};
    REQUIRE(stat(entry.path().c_str(), &facts) == 0);
    INFO(entry.path());
    CHECK((facts.st_mode & 0777U) == 0600U);
  }
  const auto second = Pki::Open(directory.path(), clock);
  REQUIRE(second);
  CHECK(second->authority() == first->authority());
  CHECK(second->Serving({"localhost", "127.0.0.1"})->certificate == serving->certificate);
  CHECK(second->Admin()->certificate == admin->certificate);
}

TEST_CASE_METHOD(Folder, "a serving certificate is made anew for other names and before it ends",
                 "[server][pki]") {
  const auto pki = Pki::Open(directory.path(), clock);
  const auto serving = pki->Serving({"localhost"});
  const auto others = pki->Serving({"localhost", "annex.annex-system.svc"});
  CHECK(others->certificate != serving->certificate);
  CHECK(auth::ReadCertificate(others->certificate)->names ==
        std::vector<std::string>{"localhost", "annex.annex-system.svc"});
  clock.Advance(auth::ReadCertificate(others->certificate)->expires - clock.Now() - std::chrono::hours(1));
  CHECK(pki->Serving({"localhost", "annex.annex-system.svc"})->certificate != others->certificate);
}

TEST_CASE_METHOD(Folder, "an address is the same however it is written", "[server][pki]") {
  const auto pki = Pki::Open(directory.path(), clock);
  const auto serving = pki->Serving({"localhost", "::1", "fd00::a:0:1"});
  CHECK(pki->Serving({"localhost", "::1", "fd00:0:0:0:0:a:0:1"})->certificate == serving->certificate);
  CHECK(pki->Serving({"::2"})->certificate != serving->certificate);
}

TEST_CASE_METHOD(Folder, "an authority that cannot be read is an error, not a new authority",
                 "[server][pki]") {
  REQUIRE(Pki::Open(directory.path(), clock));
  std::filesystem::resize_file(directory.path() + "/pki/ca.key", 10);
  CHECK_FALSE(Pki::Open(directory.path(), clock));
}

TEST_CASE_METHOD(Folder, "an authority that comes near its end is replaced", "[server][pki]") {
  const auto first = Pki::Open(directory.path(), clock);
  clock.Advance(auth::ReadCertificate(first->authority())->expires - clock.Now() - std::chrono::hours(1));
  CHECK(Pki::Open(directory.path(), clock)->authority() != first->authority());
}

TEST_CASE_METHOD(Folder, "an earlier authority signs until the new one can be known", "[server][pki]") {
  auto pki = Pki::Open(directory.path(), clock);
  const std::string earlier = pki->authority();
  const std::string shown = pki->Serving({"localhost"})->certificate;
  REQUIRE(pki->authority_file().Renew());
  REQUIRE(pki->Reload());
  CHECK(pki->authority() != earlier);
  CHECK(pki->authorities() == pki->authority() + earlier);
  CHECK(pki->Serving({"localhost"})->certificate == shown);
  SECTION("after a while the new one alone") {
    clock.Advance(std::chrono::minutes(1));
    REQUIRE(pki->Reload());
    CHECK(pki->authorities() == pki->authority());
    const std::string renewed = pki->Serving({"localhost"})->certificate;
    CHECK(auth::IsSignedBy(renewed, pki->authority()));
    CHECK_FALSE(auth::IsSignedBy(renewed, earlier));
  }
  SECTION("also when it was replaced itself meanwhile") {
    REQUIRE(pki->authority_file().Renew());
    REQUIRE(pki->Reload());
    CHECK(pki->authorities() == pki->authority() + earlier);
    CHECK(pki->Serving({"localhost"})->certificate == shown);
  }
}

TEST_CASE_METHOD(Folder, "what replaces an authority must be one", "[server][pki]") {
  auto pki = Pki::Open(directory.path(), clock);
  const auto before = pki->authority_file().Read();
  auto wrong = *before;
  wrong.key = pki->Serving({"localhost"})->key;
  CHECK_FALSE(pki->authority_file().Replace(wrong));
  CHECK_FALSE(pki->authority_file().Replace({}));
  CHECK(pki->authority_file().Read()->key == before->key);
}

}  // namespace
}  // namespace annex::server
