#include "annex/kube/config.h"

#include "annex/base/strings.h"
#include "annex/json/value.h"
#include "annex/json/yaml.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace annex::kube {
namespace {

constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

base::Status Invalid(const std::string& path, const std::string& message) {
  return {base::Reason::kInvalid, "kubeconfig " + path + ": " + message};
}

// The entry `name` of one of a kubeconfig's lists of named things; what it holds is in its member `kind`.
base::Result<json::Value> Named(const json::Value& document, const std::string& path, const char* list,
                                const char* kind, const std::string& name) {
  for (const json::Value& entry : json::ItemsAt(document, {list})) {
    if (json::TextAt(entry, {"name"}) != name) continue;
    const json::Value* value = json::Find(entry, kind);
    return value == nullptr ? json::Value::object() : *value;
  }
  return base::Error(Invalid(path, std::string(list) + ": there is no entry named " + base::Quote(name)));
}

// A PEM that stands in the kubeconfig itself (`<field>-data`, base64) or in a file that it names.
base::Result<std::string> PemAt(const json::Value& entry, const std::string& path, const std::string& field) {
  if (const std::string& data = json::TextAt(entry, {field + "-data"}); !data.empty()) {
    auto pem = base::Base64Decode(data);
    if (!pem) return base::Error(Invalid(path, field + "-data: not valid base64"));
    return *std::move(pem);
  }
  const std::string& file = json::TextAt(entry, {field});
  if (file.empty()) return std::string();
  const auto resolved = std::filesystem::path(path).parent_path() / file;
  return ReadConfigFile(resolved.string());
}

base::Result<void> ReadCluster(const json::Value& cluster, const std::string& path, Config& config) {
  config.server = json::TextAt(cluster, {"server"});
  if (!config.server.starts_with("https://") && !config.server.starts_with("http://")) {
    return base::Error(Invalid(path, "cluster.server: " + base::Quote(config.server) + " is no http(s) URL"));
  }
  while (config.server.ends_with('/')) config.server.pop_back();
  for (const char* field : {"tls-server-name", "proxy-url"}) {
    if (!json::TextAt(cluster, {field}).empty()) {
      return base::Error(Invalid(path, "cluster." + std::string(field) +
                                           " is not supported; remove it and reach the server directly"));
    }
  }
  config.insecure_skip_tls_verify = json::FlagAt(cluster, {"insecure-skip-tls-verify"});
  ANNEX_TRY(config.certificate_authority, PemAt(cluster, path, "certificate-authority"));
  return {};
}

base::Result<void> ReadUser(const json::Value& user, const std::string& path, Config& config) {
  for (const char* field : {"exec", "auth-provider", "username"}) {
    if (json::Find(user, field) != nullptr) {
      return base::Error(
          Invalid(path, "user." + std::string(field) +
                            " is not supported; use a client certificate, a token or a tokenFile, or for a "
                            "command --server with the URL of kubectl proxy"));
    }
  }
  ANNEX_TRY(config.client_certificate, PemAt(user, path, "client-certificate"));
  ANNEX_TRY(config.client_key, PemAt(user, path, "client-key"));
  if (config.client_certificate.empty() != config.client_key.empty()) {
    return base::Error(Invalid(path, "user: client-certificate and client-key go together"));
  }
  config.token = json::TextAt(user, {"token"});
  if (const std::string& file = json::TextAt(user, {"tokenFile"}); !file.empty()) {
    config.token_file = (std::filesystem::path(path).parent_path() / file).string();
  }
  return {};
}

// The files that $KUBECONFIG names. One of several that is not there is passed over, as kubectl does.
std::vector<std::string> KubeconfigsOfEnvironment() {
  std::vector<std::string> named;
  std::vector<std::string> present;
  const char* list = ::secure_getenv("KUBECONFIG");
  for (const std::string_view file : base::Split(list == nullptr ? "" : list, ':')) {
    if (file.empty()) continue;
    named.emplace_back(file);
    std::error_code error;
    if (std::filesystem::exists(file, error)) present.emplace_back(file);
  }
  return present.empty() ? named : present;
}

}  // namespace

base::Result<std::string> ReadConfigFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Error(base::Reason::kInvalid, path + ": " + std::generic_category().message(errno));
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return base::Error(base::Reason::kInvalid, path + ": cannot be read");
  return content;
}

base::Result<Config> LoadKubeconfig(const std::string& path, const std::string& context_asked) {
  ANNEX_TRY(const std::string text, ReadConfigFile(path));
  auto parsed = json::ParseYaml(text);
  if (!parsed) return base::Error(Invalid(path, parsed.error().message));
  const json::Value& document = *parsed;
  const std::string& context_name =
      context_asked.empty() ? json::TextAt(document, {"current-context"}) : context_asked;
  if (context_name.empty())
    return base::Error(Invalid(path, "current-context: not set; set it to one of the contexts"));
  ANNEX_TRY(const json::Value context, Named(document, path, "contexts", "context", context_name));
  ANNEX_TRY(const json::Value cluster,
            Named(document, path, "clusters", "cluster", json::TextAt(context, {"cluster"})));
  ANNEX_TRY(const json::Value user, Named(document, path, "users", "user", json::TextAt(context, {"user"})));
  Config config;
  config.namespace_name = json::TextAt(context, {"namespace"});
  ANNEX_RETURN_IF_ERROR(ReadCluster(cluster, path, config));
  ANNEX_RETURN_IF_ERROR(ReadUser(user, path, config));
  return config;
}

base::Result<Config> InClusterConfig() {
  const char* host = ::secure_getenv("KUBERNETES_SERVICE_HOST");
  const char* port = ::secure_getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) {
    return base::Error(base::Reason::kInvalid,
                       "this process does not run in a pod (KUBERNETES_SERVICE_HOST is not set); name the "
                       "cluster with --kubeconfig, "
                       "or run without one with --standalone");
  }
  Config config;
  config.in_pod = true;
  const std::string address = host;
  config.server =
      "https://" + (address.find(':') == std::string::npos ? address : "[" + address + "]") + ":" + port;
  ANNEX_TRY(config.certificate_authority, ReadConfigFile(std::string(kServiceAccount) + "ca.crt"));
  config.token_file = std::string(kServiceAccount) + "token";
  ANNEX_TRY(config.namespace_name, ReadConfigFile(std::string(kServiceAccount) + "namespace"));
  return config;
}

base::Result<Config> FindConfig(const std::string& kubeconfig, const std::string& context) {
  if (!kubeconfig.empty()) return LoadKubeconfig(kubeconfig, context);
  const std::vector<std::string> named = KubeconfigsOfEnvironment();
  if (named.size() > 1) {
    return base::Error(base::Reason::kInvalid,
                       "KUBECONFIG names several files, which are not merged; name one with --kubeconfig");
  }
  if (!named.empty()) return LoadKubeconfig(named.front(), context);
  const char* home = ::secure_getenv("HOME");
  const std::string usual = home == nullptr ? "" : std::string(home) + "/.kube/config";
  if (!usual.empty() && std::filesystem::exists(usual)) return LoadKubeconfig(usual, context);
  auto pod = InClusterConfig();
  if (pod) return pod;
  return base::Error(base::Reason::kInvalid,
                     "there is no kubeconfig (KUBECONFIG is not set, and there is no ~/.kube/config); name "
                     "one with --kubeconfig");
}

}  // namespace annex::kube
