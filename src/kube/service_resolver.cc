#include "annex/kube/service_resolver.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <utility>

namespace annex::kube {
namespace {

using json::Value;

auto Unavailable(const std::string& message) {
  return base::Error(base::Reason::kServiceUnavailable, message);
}

auto NotFound(const std::string& name) {
  return Unavailable("service " + base::Quote(name) + " not found");
}

// A Service's address inside the cluster.
base::Result<ServiceEndpoint> EndpointOf(const Value& service, const std::string& name, std::uint16_t port) {
  const std::string& type = json::TextAt(service, {"spec", "type"});
  if (type == "ExternalName") return ServiceEndpoint{json::TextAt(service, {"spec", "externalName"}), port};
  if (type != "ClusterIP" && type != "LoadBalancer" && type != "NodePort") {
    return Unavailable("unsupported service type " + base::Quote(type));
  }
  const std::string& address = json::TextAt(service, {"spec", "clusterIP"});
  if (type == "ClusterIP" && address == "None") {
    return Unavailable("cannot route to service with ClusterIP \"None\"");
  }
  const auto& ports = json::ItemsAt(service, {"spec", "ports"});
  const bool serves = std::any_of(ports.begin(), ports.end(), [port](const Value& item) {
    return json::IntegerAt(item, {"port"}) == port;
  });
  if (serves) return ServiceEndpoint{address, port};
  return Unavailable("no service port " + std::to_string(port) + " found for service " + base::Quote(name));
}

}  // namespace

base::Task<base::Result<ServiceEndpoint>> ClusterServices::Resolve(std::string namespace_name,
                                                                   std::string name, std::uint16_t port,
                                                                   base::Executor& executor) {
  Client::Call call;
  call.method = "GET";
  call.target = "/api/v1/namespaces/" + namespace_name + "/services/" + name;
  ANNEX_CO_TRY(const Answer answer, co_await client_.Send(std::move(call), executor));
  if (answer.status == 404) co_return NotFound(name);
  if (!answer.ok()) co_return Unavailable("reading service " + base::Quote(name) + ": " + answer.Message());
  co_return EndpointOf(answer.body, name, port);
}

base::Task<base::Result<ServiceEndpoint>> NoServices::Resolve(std::string namespace_name, std::string name,
                                                              std::uint16_t port, base::Executor& executor) {
  co_return NotFound(name);
}

}  // namespace annex::kube
