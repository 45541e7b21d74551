// ServiceResolver: where a Service of the cluster is reached from here
// (k8s.io/apiserver/pkg/util/proxy, ResolveCluster).
//
// Thread rule: thread-safe. Tasks go on on the executor that was given.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"

#include <cstdint>
#include <string>

namespace annex::kube {

struct ServiceEndpoint {
  std::string host;
  std::uint16_t port = 0;
};

class ServiceResolver {
 public:
  virtual ~ServiceResolver() = default;
  // Errors: ServiceUnavailable with kube-apiserver's words (`service "a" not found`).
  virtual base::Task<base::Result<ServiceEndpoint>> Resolve(std::string namespace_name, std::string name,
                                                            std::uint16_t port, base::Executor& executor) = 0;
};

// Asks the cluster for the Service, anew each time: connections to it are kept.
// Lifetime: the client must outlive it.
class ClusterServices final : public ServiceResolver {
 public:
  explicit ClusterServices(Client& client) : client_(client) {}
  base::Task<base::Result<ServiceEndpoint>> Resolve(std::string namespace_name, std::string name,
                                                    std::uint16_t port, base::Executor& executor) override;

 private:
  Client& client_;
};

// Without a cluster there are none.
class NoServices final : public ServiceResolver {
 public:
  base::Task<base::Result<ServiceEndpoint>> Resolve(std::string namespace_name, std::string name,
                                                    std::uint16_t port, base::Executor& executor) override;
};

}  // namespace annex::kube
