#include "dependents.h"

#include <algorithm>
#include <set>
#include <utility>

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kDiscovery =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
constexpr const char* kMetadataOnly =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
constexpr int kPageSize = 500;

bool HasVerbs(const Value& resource) {
  const auto& verbs = json::ItemsAt(resource, {"verbs"});
  const auto has = [&verbs](const char* verb) {
    return std::find(verbs.begin(), verbs.end(), Value(verb)) != verbs.end();
  };
  return has("list") && has("patch");
}

// The path of each resource, in the version that the server prefers.
std::vector<std::string> PathsIn(const Value& discovery) {
  std::vector<std::string> paths;
  for (const Value& group : json::ItemsAt(discovery, {"items"})) {
    const std::string& name = json::TextAt(group, {"metadata", "name"});
    std::set<std::string> seen;
    for (const Value& version : json::ItemsAt(group, {"versions"})) {
      const std::string prefix = name.empty() ? "/api/" : "/apis/" + name + "/";
      for (const Value& resource : json::ItemsAt(version, {"resources"})) {
        const std::string& plural = json::TextAt(resource, {"resource"});
        if (!HasVerbs(resource) || !seen.insert(plural).second) continue;
        std::string path = prefix;
        path.append(json::TextAt(version, {"version"})).append("/").append(plural);
        paths.push_back(std::move(path));
      }
    }
  }
  return paths;
}

// The path of one object of the resource at `path`.
std::string ObjectPath(const std::string& path, const Value& metadata) {
  const std::string& space = json::TextAt(metadata, {"namespace"});
  const std::string& name = json::TextAt(metadata, {"name"});
  if (space.empty()) return path + "/" + name;
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash) + "/namespaces/" + space + path.substr(slash) + "/" + name;
}

}  // namespace

base::Task<base::Result<Dependents::Found>> Dependents::Rename() {
  Found found;
  for (const char* root : {"/api", "/apis"}) {
    kube::Client::Call call;
    call.method = "GET";
    call.target = root;
    call.accept = kDiscovery;
    ANNEX_CO_TRY(const Value discovery, co_await call_(std::move(call)));
    for (std::string& path : PathsIn(discovery)) co_await RenameIn(std::move(path), found);
  }
  co_return found;
}

base::Task<void> Dependents::RenameIn(std::string path, Found& found) {
  std::string next;
  do {
    kube::Client::Call call;
    call.method = "GET";
    call.target = path + "?limit=" + std::to_string(kPageSize);
    if (!next.empty()) call.target += "&continue=" + kube::EscapeQuery(next);
    call.accept = kMetadataOnly;
    const auto page = co_await call_(std::move(call));
    if (!page) {
      found.unknown.push_back(page.error().message);
      co_return;
    }
    for (const Value& object : json::ItemsAt(*page, {"items"})) {
      const Value* shown = json::Find(object, "metadata");
      Value metadata = shown == nullptr ? Value::object() : *shown;
      if (!owners_.Rename(metadata)) continue;
      std::string target = ObjectPath(path, metadata);
      const auto renamed = co_await RenameOne(std::move(target), std::move(metadata), found);
      if (!renamed) found.unknown.push_back(renamed.error().message);
    }
    next = json::TextAt(*page, {"metadata", "continue"});
  } while (!next.empty());
}

base::Task<base::Result<void>> Dependents::RenameOne(std::string path, Value metadata, Found& found) {
  kube::Client::Call call;
  call.method = "PATCH";
  call.target = std::move(path) + "?fieldManager=annex";
  call.content_type = "application/merge-patch+json";
  call.body["metadata"] = {{"uid", metadata["uid"]},
                           {"resourceVersion", metadata["resourceVersion"]},
                           {"ownerReferences", metadata["ownerReferences"]}};
  const auto patched = co_await call_(std::move(call));
  if (patched) {
    ++found.renamed;
  } else if (patched.error().reason == base::Reason::kConflict) {
    found.again = true;
  } else if (patched.error().reason != base::Reason::kNotFound) {
    co_return base::Error(patched.error());
  }
  co_return base::Result<void>();
}

}  // namespace annex::source
