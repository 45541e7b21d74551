// The certificate that `annex serve --tls-cert-file` shows, while its files change.
#include "annex/auth/certificate_authority.h"
#include "annex_process.h"
#include "support/temporary_directory.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

// Serving certificates of one authority, of which the newest lies in files.
class ServingFiles {
 public:
  explicit ServingFiles(const std::string& directory)
      : certificate_(directory + "/tls.crt"),
        key_(directory + "/tls.key"),
        authority_(auth::CertificateAuthority::Make("operator", std::chrono::hours(1),
                                                    std::chrono::system_clock::now())
                       .value()) {
    Replace("first");
  }

  std::vector<std::string> Flags() const {
    return {"--tls-cert-file", certificate_, "--tls-private-key-file", key_};
  }
  void Replace(const std::string& common_name) {
    auth::CertificateRequest request;
    request.common_name = common_name;
    request.for_server = true;
    const auto pair = authority_.Issue(request, std::chrono::system_clock::now()).value();
    Write(key_, pair.key);
    Write(certificate_, pair.certificate);
  }
  void Break() { Write(certificate_, "no certificate"); }

 private:
  static void Write(const std::string& path, const std::string& content) {
    std::ofstream(path + ".new") << content;
    std::filesystem::rename(path + ".new", path);
  }

  const std::string certificate_;
  const std::string key_;
  const auth::CertificateAuthority authority_;
};

// What connections are shown that begin now.
std::string ServerName(const AnnexProcess& annex) {
  return TlsClient({.port = annex.port()}).server_name();
}

bool Eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace

TEST_CASE("a certificate whose files are replaced is shown without a restart", "[serve][tls]") {
  const TemporaryDirectory directory;
  ServingFiles files(directory.path());
  const auto annex = AnnexProcess::Standalone(directory.path() + "/data", files.Flags());
  CHECK(ServerName(*annex) == "first");
  files.Replace("second");
  CHECK(Eventually([&] { return ServerName(*annex) == "second"; }));
  files.Break();
  CHECK(Eventually([&] { return annex->Output().find("cannot be renewed") != std::string::npos; }));
  CHECK(ServerName(*annex) == "second");
  files.Replace("third");
  CHECK(Eventually([&] { return ServerName(*annex) == "third"; }));
}

TEST_CASE("Annex's own certificates are made again when their files are gone", "[serve][tls]") {
  const TemporaryDirectory directory;
  const auto annex = AnnexProcess::Standalone(directory.path());
  const std::string serving = directory.path() + "/pki/serving.crt";
  const std::string admin = directory.path() + "/pki/admin.crt";
  std::filesystem::remove(serving);
  std::filesystem::remove(admin);
  CHECK(Eventually([&] { return std::filesystem::exists(serving) && std::filesystem::exists(admin); }));
  CHECK(ServerName(*annex) == "annex");
  CHECK(Ask(annex->Admin(), "GET", "/api/v1/namespaces/default").status == 200);
}

}  // namespace annex::test
