// ClusterAuthentication: keeps a RequestAuthenticator at what the cluster says in the ConfigMap
// kube-system/extension-apiserver-authentication: whose certificates name users, and who may name users in
// headers.
//
// A ConfigMap that cannot be used leaves the last good configuration in force.
// Thread rule: Start and Ready are thread-safe; everything else runs on `executor`.
// Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/auth/request_authenticator.h"
#include "annex/base/executor.h"
#include "annex/base/random.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/kube/reflector.h"

#include <atomic>
#include <memory>

namespace annex::auth {

// The configuration in the ConfigMap. Errors: Invalid, naming the field of its data.
base::Result<std::shared_ptr<const AuthenticationConfig>> ReadAuthenticationConfig(
    const json::Value& config_map);

class ClusterAuthentication {
 public:
  ClusterAuthentication(kube::Client& client, RequestAuthenticator& authenticator, base::Random& random,
                        base::Executor& executor);

  void Start();
  // Whether a configuration was loaded.
  bool Ready() const { return ready_; }

 private:
  void OnConfigMap(const json::Value& config_map, bool deleted);

  RequestAuthenticator& authenticator_;
  base::Executor& executor_;
  kube::Reflector reflector_;
  std::atomic<bool> ready_ = false;
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::auth
