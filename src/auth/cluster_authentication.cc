#include "annex/auth/cluster_authentication.h"

#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/json/read.h"

#include <utility>

namespace annex::auth {
namespace {

using json::Value;

constexpr const char* kConfigMaps = "/api/v1/namespaces/kube-system/configmaps";
constexpr const char* kSelector = "metadata.name%3Dextension-apiserver-authentication";

auto Wrong(const std::string& field, const std::string& why) {
  return base::Error(base::Reason::kInvalid, "data." + field + ": " + why);
}

// A bundle of certificates; nullptr where the field is missing or empty.
base::Result<std::shared_ptr<const TrustBundle>> BundleAt(const Value& config_map, const char* field) {
  const std::string& pem = json::TextAt(config_map, {"data", field});
  if (pem.empty()) return nullptr;
  auto bundle = TrustBundle::Parse(pem);
  if (!bundle) return Wrong(field, bundle.error().message);
  return bundle;
}

// A list of strings, written as JSON; empty where the field is missing.
base::Result<std::vector<std::string>> ListAt(const Value& config_map, const char* field) {
  std::vector<std::string> list;
  const std::string& text = json::TextAt(config_map, {"data", field});
  if (text.empty()) return list;
  ANNEX_TRY(const Value value, json::Parse(text));
  if (!value.is_array()) return Wrong(field, "must be a list of strings, as JSON");
  for (const Value& item : value) {
    if (!item.is_string()) return Wrong(field, "must be a list of strings, as JSON");
    list.push_back(item.get<std::string>());
  }
  return list;
}

// Names of headers, in lower case.
base::Result<std::vector<std::string>> HeadersAt(const Value& config_map, const char* field) {
  ANNEX_TRY(auto list, ListAt(config_map, field));
  for (std::string& name : list) name = base::AsciiLower(name);
  return list;
}

base::Result<std::shared_ptr<const FrontProxyConfig>> ReadFrontProxy(const Value& config_map,
                                                                     const TrustBundle* client_authorities) {
  auto config = std::make_shared<FrontProxyConfig>();
  ANNEX_TRY(config->authorities, BundleAt(config_map, "requestheader-client-ca-file"));
  if (!config->authorities) return nullptr;
  ANNEX_TRY(config->allowed_names, ListAt(config_map, "requestheader-allowed-names"));
  ANNEX_TRY(config->username_headers, HeadersAt(config_map, "requestheader-username-headers"));
  ANNEX_TRY(config->uid_headers, HeadersAt(config_map, "requestheader-uid-headers"));
  ANNEX_TRY(config->group_headers, HeadersAt(config_map, "requestheader-group-headers"));
  ANNEX_TRY(config->extra_prefixes, HeadersAt(config_map, "requestheader-extra-headers-prefix"));
  // Then every user with a certificate of the cluster could say to be anybody.
  if (config->allowed_names.empty() && client_authorities != nullptr &&
      config->authorities->SharesAuthorityWith(*client_authorities)) {
    base::LogError(
        "Identities in headers are refused: requestheader-client-ca-file and client-ca-file have an "
        "authority in common and "
        "requestheader-allowed-names is empty; name kube-apiserver's proxy client certificate there");
    return nullptr;
  }
  return config;
}

}  // namespace

base::Result<std::shared_ptr<const AuthenticationConfig>> ReadAuthenticationConfig(const Value& config_map) {
  auto config = std::make_shared<AuthenticationConfig>();
  ANNEX_TRY(config->client_authorities, BundleAt(config_map, "client-ca-file"));
  ANNEX_TRY(config->front_proxy, ReadFrontProxy(config_map, config->client_authorities.get()));
  return config;
}

ClusterAuthentication::ClusterAuthentication(kube::Client& client, RequestAuthenticator& authenticator,
                                             base::Random& random, base::Executor& executor)
    : authenticator_(authenticator),
      executor_(executor),
      reflector_(client, {.path = kConfigMaps, .field_selector = kSelector}, random, executor) {}

void ClusterAuthentication::Start() {
  executor_.Post([this] {
    kube::Reflector::Handlers handlers;
    handlers.on_begin = [] {};
    handlers.on_object = [this](const Value& object, bool deleted) { OnConfigMap(object, deleted); };
    handlers.on_synced = [this] {
      if (!ready_)
        base::LogError(
            "The cluster has no ConfigMap kube-system/extension-apiserver-authentication; waiting for it");
    };
    tasks_.Spawn(reflector_.Run(std::move(handlers)));
  });
}

void ClusterAuthentication::OnConfigMap(const Value& config_map, bool deleted) {
  if (deleted) {
    base::LogWarning(
        "The ConfigMap kube-system/extension-apiserver-authentication was deleted; its last content stays in "
        "force");
    return;
  }
  auto config = ReadAuthenticationConfig(config_map);
  if (!config) {
    base::LogError(
        "The ConfigMap kube-system/extension-apiserver-authentication cannot be used; its last good content "
        "stays in force",
        {{"error", config.error().message}});
    return;
  }
  authenticator_.SetConfig(*std::move(config));
  base::LogInfo("Loaded the cluster's authentication configuration",
                {{"resourceVersion", json::TextAt(config_map, {"metadata", "resourceVersion"})}});
  ready_ = true;
}

}  // namespace annex::auth
