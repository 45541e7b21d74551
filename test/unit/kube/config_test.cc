#include "annex/kube/config.h"

#include "support/temporary_directory.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

namespace annex::kube {
namespace {

struct Folder {
  test::TemporaryDirectory directory;
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = directory.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  base::Result<Config> Load(const std::string& text) const {
    return LoadKubeconfig(Write("kubeconfig", text));
  }
};

const std::string kGood = R"(
apiVersion: v1
kind: Config
current-context: here
contexts:
- {name: there, context: {cluster: c2, user: u}}
- {name: here, context: {cluster: c, user: u, namespace: apps}}
clusters:
- {name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: Q0E=}}
- {name: c2, cluster: {server: "https://10.0.0.2:6443"}}
users:
- {name: u, user: {token: secret}}
)";

TEST_CASE_METHOD(Folder, "a kubeconfig's current context says where and who", "[kube][config]") {
  const auto config = Load(kGood);
  REQUIRE(config);
  CHECK(config->server == "https://10.0.0.1:6443");
  CHECK(config->certificate_authority == "CA");
  CHECK(config->token == "secret");
  CHECK(config->namespace_name == "apps");
  CHECK_FALSE(config->insecure_skip_tls_verify);
}

TEST_CASE_METHOD(Folder, "another context than the current one can be named", "[kube][config]") {
  const std::string path = Write("kubeconfig", kGood);
  const auto config = LoadKubeconfig(path, "there");
  REQUIRE(config);
  CHECK(config->server == "https://10.0.0.2:6443");
  CHECK(config->namespace_name.empty());
  const auto missing = LoadKubeconfig(path, "nowhere");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("there is no entry named \"nowhere\"") != std::string::npos);
}

TEST_CASE_METHOD(Folder, "without a name, the kubeconfig is kubectl's", "[kube][config]") {
  const std::string path = Write("kubeconfig", kGood);
  const std::string other = Write("other", kGood);
  const auto find = [](const std::string& environment) {
    setenv("KUBECONFIG", environment.c_str(), 1);
    const auto config = FindConfig("", "");
    unsetenv("KUBECONFIG");
    return config;
  };
  CHECK(find(path));
  // kubectl passes over what is not there, as long as something is.
  CHECK(find("/nowhere/at/all:" + path));
  CHECK_FALSE(find("/nowhere/at/all"));
  const auto several = find(path + ":" + other);
  REQUIRE_FALSE(several);
  CHECK(several.error().message.find("several files") != std::string::npos);
  CHECK(FindConfig(path, "there")->server == "https://10.0.0.2:6443");
}

TEST_CASE_METHOD(Folder, "names of files in a kubeconfig are relative to its folder", "[kube][config]") {
  Write("ca.crt", "CA FILE");
  Write("client.crt", "CERTIFICATE");
  Write("client.key", "KEY");
  const auto config = Load(R"(
current-context: x
contexts: [{name: x, context: {cluster: x, user: x}}]
clusters: [{name: x, cluster: {server: "https://h", certificate-authority: ca.crt}}]
users: [{name: x, user: {client-certificate: client.crt, client-key: client.key}}]
)");
  REQUIRE(config);
  CHECK(config->certificate_authority == "CA FILE");
  CHECK(config->client_certificate == "CERTIFICATE");
  CHECK(config->client_key == "KEY");
}

TEST_CASE_METHOD(Folder, "a kubeconfig that cannot be used says which file and field", "[kube][config]") {
  const auto fails = [this](const std::string& text, const std::string& field) {
    const auto config = Load(text);
    REQUIRE_FALSE(config);
    INFO(config.error().message);
    CHECK(config.error().message.find("kubeconfig") != std::string::npos);
    CHECK(config.error().message.find(field) != std::string::npos);
  };
  fails("{not yaml", "");
  fails("apiVersion: v1\n", "current-context");
  fails("current-context: x\n", "context");
  fails("current-context: x\ncontexts: [{name: x, context: {cluster: gone, user: u}}]\n", "gone");
  fails(R"(
current-context: x
contexts: [{name: x, context: {cluster: x, user: x}}]
clusters: [{name: x, cluster: {server: "https://h", certificate-authority-data: "%%%"}}]
users: [{name: x, user: {}}]
)",
        "certificate-authority-data");
  const auto missing = LoadKubeconfig(directory.path() + "/none");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("/none") != std::string::npos);
}

}  // namespace
}  // namespace annex::kube
