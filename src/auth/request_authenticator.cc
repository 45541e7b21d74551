#include "annex/auth/request_authenticator.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <optional>

namespace annex::auth {
namespace {

base::Status Unauthorized() {
  return {base::Reason::kUnauthorized, "Unauthorized"};
}

// Until it is known whose certificates count, nobody is refused for good: 401 would end what only has to be
// tried again, such as the requests that kube-apiserver sends on while this server starts.
base::Status NotReady() {
  base::Status status{base::Reason::kServiceUnavailable,
                      "the server has not learnt yet whose certificates name users"};
  status.details.present = true;
  status.details.retry_after_seconds = 1;
  return status;
}

// Verifies unless the connection remembers the outcome for the same authorities.
const CachedVerification& Verified(const TrustBundle& bundle, const std::vector<std::string>& certificates,
                                   std::optional<CachedVerification>& cache,
                                   std::chrono::system_clock::time_point now) {
  if (!cache || cache->trust_generation != bundle.generation() || now >= cache->expires)
    cache = bundle.Verify(certificates, now);
  return *cache;
}

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// %XX where it is well formed, else as it is.
std::string DecodeExtraKey(std::string_view key) {
  const auto digit = [](char character) {
    const auto found = std::string_view("0123456789abcdef").find(static_cast<char>(character | 0x20));
    return found == std::string_view::npos ? -1 : static_cast<int>(found);
  };
  std::string decoded;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] != '%') {
      decoded += key[i];
      continue;
    }
    const int high = i + 2 < key.size() ? digit(key[i + 1]) : -1;
    const int low = i + 2 < key.size() ? digit(key[i + 2]) : -1;
    if (high < 0 || low < 0) return std::string(key);
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::optional<User> UserInHeaders(const base::Headers& headers, const FrontProxyConfig& config) {
  User user;
  for (const std::string& name : config.username_headers) {
    user.name = headers.First(name);
    if (!user.name.empty()) break;
  }
  if (user.name.empty()) return std::nullopt;
  for (const std::string& name : config.uid_headers) {
    user.uid = headers.First(name);
    if (!user.uid.empty()) break;
  }
  for (const std::string& name : config.group_headers) {
    for (const std::string_view group : headers.All(name)) user.groups.emplace_back(group);
  }
  for (const base::Header& header : headers) {
    for (const std::string& prefix : config.extra_prefixes) {
      if (header.name.size() <= prefix.size() || !header.name.starts_with(prefix)) continue;
      user.extra[DecodeExtraKey(header.name.substr(prefix.size()))].push_back(header.value);
      break;
    }
  }
  return user;
}

std::optional<User> FromFrontProxy(const FrontProxyConfig& config, const Credentials& credentials,
                                   std::chrono::system_clock::time_point now) {
  if (!config.authorities || credentials.peer.certificates.empty()) return std::nullopt;
  const auto& proxy =
      Verified(*config.authorities, credentials.peer.certificates, credentials.peer.front_proxy, now);
  if (!proxy.valid) return std::nullopt;
  if (!config.allowed_names.empty() && !Contains(config.allowed_names, proxy.common_name))
    return std::nullopt;
  return UserInHeaders(credentials.headers, config);
}

std::optional<std::string> BearerToken(const base::Headers& headers) {
  const std::string_view value = base::TrimSpace(headers.First("authorization"));
  constexpr std::string_view kScheme = "bearer ";
  if (value.size() <= kScheme.size() || !base::EqualsIgnoreCase(value.substr(0, kScheme.size()), kScheme))
    return std::nullopt;
  const std::string_view token = base::TrimSpace(value.substr(kScheme.size()));
  if (token.empty()) return std::nullopt;
  return std::string(token);
}

User Authenticated(User user) {
  if (!user.InGroup(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
  return user;
}

}  // namespace

RequestAuthenticator::RequestAuthenticator(const base::Clock& clock, TokenAuthenticator* tokens)
    : clock_(clock), tokens_(tokens) {}

base::Task<base::Result<User>> RequestAuthenticator::Authenticate(Credentials credentials) {
  const auto config = config_.load();
  const auto now = clock_.Now();
  if (!config && !credentials.peer.certificates.empty()) co_return base::Error(NotReady());
  bool refused = false;
  if (config && config->front_proxy) {
    if (auto user = FromFrontProxy(*config->front_proxy, credentials, now))
      co_return Authenticated(*std::move(user));
  }
  if (config && config->client_authorities && !credentials.peer.certificates.empty()) {
    const auto& client =
        Verified(*config->client_authorities, credentials.peer.certificates, credentials.peer.client, now);
    if (client.valid && !client.common_name.empty()) {
      User user;
      user.name = client.common_name;
      user.groups = client.organizations;
      co_return Authenticated(std::move(user));
    }
    refused = true;
  }
  if (auto token = BearerToken(credentials.headers)) {
    refused = true;
    if (tokens_ != nullptr) {
      auto user = co_await tokens_->AuthenticateToken(*std::move(token), credentials.executor);
      if (user) co_return Authenticated(*std::move(user));
    }
  }
  // Who showed something that does not hold is not anonymous.
  if (refused) co_return base::Error(Unauthorized());
  User anonymous;
  anonymous.name = kAnonymousUser;
  anonymous.groups.emplace_back(kUnauthenticatedGroup);
  co_return anonymous;
}

}  // namespace annex::auth
