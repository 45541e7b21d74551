// RequestAuthenticator: Kubernetes' chain of authenticators over a configuration that may change at any time.
//
// Front proxy: kube-apiserver names the user in headers. They count only if *this connection's* certificate
// chains to the request-header CA and carries an allowed name. Names of headers match exactly: kube-apiserver
// takes a client's own X-Remote-User away, but lets look-alikes such as X_Remote_User through, and those must
// name nobody.
//
// Thread rule: thread-safe.
#pragma once

#include "annex/auth/authenticator.h"
#include "annex/auth/trust_bundle.h"
#include "annex/base/clock.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace annex::auth {

// What kube-system/extension-apiserver-authentication says. Header names are lower-case.
struct FrontProxyConfig {
  std::shared_ptr<const TrustBundle> authorities;
  std::vector<std::string> allowed_names;  // common names; empty: every certificate of the authorities
  std::vector<std::string> username_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_prefixes;
  std::vector<std::string> uid_headers;
};

struct AuthenticationConfig {
  std::shared_ptr<const FrontProxyConfig> front_proxy;    // nullptr: headers name nobody
  std::shared_ptr<const TrustBundle> client_authorities;  // nullptr: certificates name nobody
};

// Asks somebody who knows about bearer tokens.
class TokenAuthenticator {
 public:
  virtual ~TokenAuthenticator() = default;
  // Errors: Unauthorized (the token is not valid), InternalError (nobody could be asked).
  virtual base::Task<base::Result<User>> AuthenticateToken(std::string token, base::Executor& executor) = 0;
};

class RequestAuthenticator final : public Authenticator {
 public:
  // `tokens` may be nullptr: then bearer tokens are not valid. Until SetConfig, a connection with a
  // certificate is told ServiceUnavailable, and to try again.
  RequestAuthenticator(const base::Clock& clock, TokenAuthenticator* tokens);

  // Takes effect for requests that begin from now on, also on open connections.
  void SetConfig(std::shared_ptr<const AuthenticationConfig> config) { config_.store(std::move(config)); }

  base::Task<base::Result<User>> Authenticate(Credentials credentials) override;

 private:
  const base::Clock& clock_;
  TokenAuthenticator* const tokens_;
  std::atomic<std::shared_ptr<const AuthenticationConfig>> config_;
};

}  // namespace annex::auth
