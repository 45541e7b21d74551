// ApiServiceRegistrar: keeps the cluster's APIService objects (apiregistration.k8s.io/v1) at what Annex
// serves: one for each group and version, leading to Annex's Service, with its CA bundle.
//
// Annex changes an APIService that leads to its own Service or that it made, and deletes only what it made
// (its label and its Service's name in an annotation tell). Those of kube-apiserver itself it changes if
// their group was adopted; kube-apiserver makes them anew when Annex's are gone. Any other is left alone, and
// the log says so. kube-apiserver reads a group's discovery and OpenAPI again when an APIService of the group
// changes, so each carries a fingerprint of the group's definitions, and is changed once by each process:
// after a failure kube-apiserver tries ever more rarely by itself. Each names the ClusterOwner; once that is
// gone, nothing more is registered.
//
// Thread rule: Start and Kick may be called from any thread; everything else runs on `executor`.
// Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/metrics.h"
#include "annex/base/random.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/registry.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/kube/reflector.h"
#include "annex/source/cluster_owner.h"
#include "annex/source/resource_publisher.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace annex::source {

class ApiServiceRegistrar {
 public:
  // The Service through which kube-apiserver reaches this process.
  struct Service {
    std::string namespace_name;
    std::string name;
    std::int64_t port = 443;
    std::string ca_bundle;  // PEM
  };
  struct Parts {
    kube::Client& client;
    ClusterOwner& owner;
    const definition::Registry& registry;
    const ResourcePublisher& publisher;
    const base::Clock& clock;
    base::Random& random;
    base::Metrics& metrics;
    base::Executor& executor;  // the publisher's
    std::function<bool()>
        answers;  // whether kube-apiserver's requests can be answered; nothing is told before
  };
  ApiServiceRegistrar(Parts parts, Service service);

  // Begins. REQUIRES: the registry has everything that is served.
  void Start();
  // What is served has changed.
  void Kick();
  // A group that the cluster serves itself by definitions of its own is Annex's from now on: its APIServices,
  // which kube-apiserver made, are led here. On the executor.
  void Adopt(const std::string& group);
  // The opposite: its APIServices become kube-apiserver's own again, each by one change, so that requests are
  // answered all the time. On the executor.
  void GiveBack(const std::string& group);
  // What kube-apiserver shall verify Annex with from now on, PEM.
  void SetCaBundle(const std::string& ca_bundle);

 private:
  using Objects = std::map<std::string, json::Value>;

  void OnApiService(const json::Value& object, bool deleted);
  void Wake();
  base::Task<void> Work();
  // True if everything is as it shall be.
  base::Task<bool> Reconcile();
  base::Task<bool> BringAll(json::Value owners);
  base::Task<base::Result<void>> Bring(std::string name, json::Value wanted);
  base::Task<base::Result<void>> Remove(json::Value object);
  base::Task<base::Result<void>> GiveBackOne(json::Value object);
  // Sends one change, and remembers the object that comes back.
  base::Task<base::Result<void>> Change(kube::Client::Call call);

  Objects WantedObjects(const json::Value& owners) const;
  std::string ServiceName() const;  // "namespace/name"
  bool MadeHere(const json::Value& object) const;
  bool IsOurs(const json::Value& object) const;
  // Whether it is kube-apiserver's own, of a group that was adopted.
  bool IsAdopted(const json::Value& object) const;
  void ComplainOnce(const std::string& name, const json::Value& object);

  const Parts parts_;
  Service service_;
  const std::string since_;  // when this process began
  base::MetricFamily<base::Gauge>& states_;
  kube::Reflector reflector_;
  Objects cluster_;  // the APIServices that the cluster has
  bool synced_ = false;
  bool started_ = false;
  bool working_ = false;
  bool again_ = false;
  bool owner_gone_ = false;
  std::set<std::string> complained_;
  std::set<std::string> announced_;   // those that tell since when this process serves them
  std::set<std::string> adopted_;     // groups
  std::set<std::string> given_back_;  // groups
  base::TaskScope tasks_;             // last: they use all of the above
};

}  // namespace annex::source
