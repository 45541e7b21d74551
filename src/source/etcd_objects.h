// EtcdObjects: the objects of one resource that the cluster has in etcd, by the version that EtcdVersion
// adds.
//
// Thread rule: used on one executor. Errors: as CallCluster.
#pragma once

#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/source/cluster_call.h"

#include <cstdint>
#include <string>
#include <vector>

namespace annex::source {

class EtcdObjects {
 public:
  // REQUIRES: the version of `definition` is open.
  EtcdObjects(ClusterCall call, const json::Value& definition);

  // What identifies an object, and the state that it is in.
  struct Held {
    std::string key;  // "NAMESPACE/NAME", or "NAME" for a cluster-scoped object
    std::string uid;
    std::string revision;
    std::string created;  // RFC 3339
    bool deleting = false;
    bool has_finalizers = false;
  };
  Held HeldOf(const json::Value& object) const;

  struct Page {
    std::vector<json::Value> objects;
    std::string next;            // what the next page is asked for by; empty: this was the last
    std::int64_t following = 0;  // objects behind this page
  };
  // `from`: Page::next of the page before, empty for the first. All pages show the same moment.
  base::Task<base::Result<Page>> List(std::string from);
  base::Task<base::Result<std::int64_t>> Count();

  // Takes the finalizers of an object away, and deletes it. One that is gone is no error.
  base::Task<base::Result<void>> Remove(Held held);

  // Each returns the object as it is then. `object` is what shall be stored, in any version of the resource,
  // without what kube-apiserver gives to an object itself (uid, resourceVersion, …).
  base::Task<base::Result<json::Value>> Create(json::Value object);
  // Errors: also Conflict (it is not as `held` any more), Invalid.
  base::Task<base::Result<json::Value>> Replace(Held held, json::Value object);
  // Deletes an object that has finalizers: it stays, and waits for them.
  base::Task<base::Result<json::Value>> BeginDeletion(Held held);

 private:
  // A write makes Annex an owner of what it writes. Only a further one, which changes nothing else, can say
  // who the owners are.
  base::Task<base::Result<json::Value>> SetOwners(Held held, json::Value managed_fields);
  std::string PathOf(const std::string& key) const;

  const ClusterCall call_;
  const std::string api_version_;
  const std::string api_;  // "/apis/GROUP/VERSION/"
  const std::string plural_;
  const bool namespaced_;
};

}  // namespace annex::source
