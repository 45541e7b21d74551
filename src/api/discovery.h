// Discovery: which groups, versions and resources are served, in the legacy documents and in the aggregated
// one (KEP-3352).
//
// Documents are made from memory alone, whatever the store's state: a cluster's discovery must not suffer
// from a sick store.
//
// Thread rule: thread-safe.
#pragma once

#include "annex/base/mutex.h"
#include "annex/definition/registry.h"
#include "annex/json/value.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::api {

// One resource as discovery shows it.
struct DiscoveredResource {
  std::string group;
  std::string version;
  definition::Names names;
  bool namespaced = false;
  std::vector<std::string> verbs;
  bool status = false;
  bool scale = false;
  bool compiled_in = false;  // a type of Kubernetes itself
  std::string storage_version;
};

class Discovery {
 public:
  // `builtins`: whether the built-in types of standalone mode are served.
  explicit Discovery(bool builtins) : builtins_(builtins) {}

  // GET /api and /apis. `server_address` is how the client reached the server.
  json::Value CoreVersions(const std::string& server_address) const;
  json::Value GroupList(const definition::Snapshot& snapshot) const;
  // GET /apis/G and /apis/G/V; nullopt if nothing of it is served.
  std::optional<json::Value> Group(const definition::Snapshot& snapshot, std::string_view group) const;
  std::optional<json::Value> ResourceList(const definition::Snapshot& snapshot, std::string_view group,
                                          std::string_view version) const;

  // apidiscovery.k8s.io/v2 APIGroupDiscoveryList of /api (core) or /apis.
  struct Aggregated {
    std::string body;
    std::string etag;  // without quotes
  };
  std::shared_ptr<const Aggregated> AggregatedList(const definition::Snapshot& snapshot, bool core);

  // Every path that answers, for GET /.
  std::vector<std::string> Paths(const definition::Snapshot& snapshot) const;

 private:
  struct VersionView {
    std::string name;
    std::vector<DiscoveredResource> resources;
  };
  struct GroupView {
    std::string name;
    std::vector<VersionView> versions;
  };
  std::vector<GroupView> Groups(const definition::Snapshot& snapshot) const;
  std::optional<GroupView> FindGroup(const definition::Snapshot& snapshot, std::string_view group) const;

  const bool builtins_;
  base::Mutex mutex_;
  // The last document made for /api and for /apis, with the snapshot that it shows.
  std::map<bool, std::pair<std::uint64_t, std::shared_ptr<const Aggregated>>> aggregated_
      ANNEX_GUARDED_BY(mutex_);
};

// base64 of the first 8 bytes of SHA-256 of GROUP/VERSION/KIND: tells clients when stored objects changed
// their version.
std::string StorageVersionHash(const std::string& group, const std::string& version, const std::string& kind);

}  // namespace annex::api
