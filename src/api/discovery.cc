#include "discovery.h"

#include "annex/auth/digest.h"
#include "annex/base/strings.h"
#include "annex/schema/types_discovery.h"

#include <algorithm>

namespace annex::api {
namespace {

using json::Value;

const std::vector<std::string> kSubresourceVerbs = {"get", "patch", "update"};
const std::vector<std::string> kBuiltinVerbs = {"create", "delete", "deletecollection", "get",
                                                "list",   "patch",  "update",           "watch"};

DiscoveredResource DefinitionsResource() {
  DiscoveredResource resource;
  resource.compiled_in = true;
  resource.group = "apiextensions.k8s.io";
  resource.version = "v1";
  resource.names = {"customresourcedefinitions", "customresourcedefinition",     {"crd", "crds"},
                    "CustomResourceDefinition",  "CustomResourceDefinitionList", {"api-extensions"}};
  resource.verbs = kBuiltinVerbs;
  resource.status = true;
  // Upstream still names the version that it was first stored in.
  resource.storage_version = "v1beta1";
  return resource;
}

DiscoveredResource NamespacesResource() {
  DiscoveredResource resource;
  resource.compiled_in = true;
  resource.version = "v1";
  resource.names = {"namespaces", "namespace", {"ns"}, "Namespace", "NamespaceList", {}};
  resource.verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
  resource.status = true;
  resource.storage_version = "v1";
  return resource;
}

DiscoveredResource CustomResource(const definition::Snapshot::Served& served) {
  DiscoveredResource resource;
  resource.group = served.resource->group();
  resource.version = served.version->name;
  resource.names = served.resource->names();
  resource.namespaced = served.resource->namespaced();
  resource.verbs = {"delete", "deletecollection", "get", "list"};
  if (!served.resource->terminating()) {
    for (const char* verb : {"patch", "create", "update"}) resource.verbs.emplace_back(verb);
  }
  resource.verbs.emplace_back("watch");
  resource.status = served.version->has_status;
  resource.scale = served.version->scale.has_value();
  resource.storage_version = served.resource->storage_version().name;
  return resource;
}

Value LegacySubresource(const DiscoveredResource& resource, const char* subresource) {
  return {{"name", resource.names.plural + "/" + subresource},
          {"singularName", ""},
          {"namespaced", resource.namespaced},
          {"kind", resource.names.kind},
          {"verbs", kSubresourceVerbs}};
}

void AppendLegacy(const DiscoveredResource& resource, Value::array_t& list) {
  Value entry = {{"name", resource.names.plural},
                 {"singularName", resource.names.singular},
                 {"namespaced", resource.namespaced},
                 {"kind", resource.names.kind},
                 {"verbs", resource.verbs},
                 {"storageVersionHash",
                  StorageVersionHash(resource.group, resource.storage_version, resource.names.kind)}};
  if (!resource.names.short_names.empty()) entry["shortNames"] = resource.names.short_names;
  if (!resource.names.categories.empty()) entry["categories"] = resource.names.categories;
  list.push_back(std::move(entry));
  if (resource.status) list.push_back(LegacySubresource(resource, "status"));
  if (resource.scale) {
    Value scale = LegacySubresource(resource, "scale");
    scale["group"] = "autoscaling";
    scale["version"] = "v1";
    scale["kind"] = "Scale";
    list.push_back(std::move(scale));
  }
}

Value ResponseKind(const std::string& group, const std::string& version, const std::string& kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

Value AggregatedResource(const DiscoveredResource& resource) {
  // Upstream leaves out what a compiled-in type has in common with its group and version.
  const Value own_kind = resource.compiled_in
                             ? ResponseKind("", "", resource.names.kind)
                             : ResponseKind(resource.group, resource.version, resource.names.kind);
  Value entry = {{"resource", resource.names.plural},
                 {"responseKind", own_kind},
                 {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                 {"singularResource", resource.names.singular},
                 {"verbs", resource.verbs}};
  if (!resource.names.short_names.empty()) entry["shortNames"] = resource.names.short_names;
  if (!resource.names.categories.empty()) entry["categories"] = resource.names.categories;
  Value::array_t subresources;
  if (resource.status) {
    subresources.push_back(
        {{"subresource", "status"}, {"responseKind", own_kind}, {"verbs", kSubresourceVerbs}});
  }
  if (resource.scale) {
    subresources.push_back({{"subresource", "scale"},
                            {"responseKind", ResponseKind("autoscaling", "v1", "Scale")},
                            {"verbs", kSubresourceVerbs}});
  }
  if (!subresources.empty()) entry["subresources"] = std::move(subresources);
  return entry;
}

Value GroupVersionEntry(const std::string& group, const std::string& version) {
  return {{"groupVersion", group + "/" + version}, {"version", version}};
}

}  // namespace

std::string StorageVersionHash(const std::string& group, const std::string& version,
                               const std::string& kind) {
  return base::Base64Encode(auth::Sha256(group + "/" + version + "/" + kind).substr(0, 8));
}

std::vector<Discovery::GroupView> Discovery::Groups(const definition::Snapshot& snapshot) const {
  std::vector<GroupView> groups;
  if (builtins_) groups.push_back({"apiextensions.k8s.io", {{"v1", {DefinitionsResource()}}}});
  for (const auto& [name, group] : snapshot.groups()) {
    GroupView view{name, {}};
    for (const auto& version : group.versions) {
      VersionView version_view{version.name, {}};
      for (const auto& [plural, served] : version.resources)
        version_view.resources.push_back(CustomResource(served));
      view.versions.push_back(std::move(version_view));
    }
    groups.push_back(std::move(view));
  }
  return groups;
}

std::optional<Discovery::GroupView> Discovery::FindGroup(const definition::Snapshot& snapshot,
                                                         std::string_view group) const {
  for (GroupView& view : Groups(snapshot)) {
    if (view.name == group) return std::move(view);
  }
  return std::nullopt;
}

Value Discovery::CoreVersions(const std::string& server_address) const {
  Value versions = Value::array();
  if (builtins_) versions.push_back("v1");
  return {{"kind", "APIVersions"},
          {"versions", versions},
          {"serverAddressByClientCIDRs", {{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}}}}};
}

namespace {

Value GroupEntry(const std::string& name, const std::vector<std::string>& versions) {
  Value list = Value::array();
  for (const std::string& version : versions) list.push_back(GroupVersionEntry(name, version));
  return {
      {"name", name}, {"versions", list}, {"preferredVersion", GroupVersionEntry(name, versions.front())}};
}

template <typename View>
std::vector<std::string> VersionNames(const View& group) {
  std::vector<std::string> names;
  names.reserve(group.versions.size());
  for (const auto& version : group.versions) names.push_back(version.name);
  return names;
}

}  // namespace

Value Discovery::GroupList(const definition::Snapshot& snapshot) const {
  Value groups = Value::array();
  for (const GroupView& group : Groups(snapshot))
    groups.push_back(GroupEntry(group.name, VersionNames(group)));
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", groups}};
}

std::optional<Value> Discovery::Group(const definition::Snapshot& snapshot, std::string_view group) const {
  const auto view = FindGroup(snapshot, group);
  if (!view) return std::nullopt;
  Value entry = GroupEntry(view->name, VersionNames(*view));
  entry["kind"] = "APIGroup";
  entry["apiVersion"] = "v1";
  return entry;
}

std::optional<Value> Discovery::ResourceList(const definition::Snapshot& snapshot, std::string_view group,
                                             std::string_view version) const {
  std::vector<DiscoveredResource> resources;
  if (group.empty()) {
    if (!builtins_ || version != "v1") return std::nullopt;
    resources.push_back(NamespacesResource());
  } else {
    const auto view = FindGroup(snapshot, group);
    if (!view) return std::nullopt;
    const auto found = std::find_if(view->versions.begin(), view->versions.end(),
                                    [version](const VersionView& known) { return known.name == version; });
    if (found == view->versions.end()) return std::nullopt;
    resources = found->resources;
  }
  Value::array_t list;
  for (const DiscoveredResource& resource : resources) AppendLegacy(resource, list);
  std::string group_version(group);
  if (!group.empty()) group_version += '/';
  group_version += version;
  Value document = {{"kind", "APIResourceList"}, {"groupVersion", group_version}, {"resources", list}};
  // The core group's document does not say what version it is of itself.
  if (!group.empty()) document["apiVersion"] = "v1";
  return document;
}

std::shared_ptr<const Discovery::Aggregated> Discovery::AggregatedList(const definition::Snapshot& snapshot,
                                                                       bool core) {
  const base::MutexLock lock(mutex_);
  auto& [generation, document] = aggregated_[core];
  if (document && generation == snapshot.generation()) return document;
  std::vector<GroupView> groups;
  if (!core) groups = Groups(snapshot);
  if (core && builtins_) groups.push_back({"", {{"v1", {NamespacesResource()}}}});
  Value items = Value::array();
  for (const GroupView& group : groups) {
    Value versions = Value::array();
    for (const VersionView& version : group.versions) {
      Value resources = Value::array();
      for (const DiscoveredResource& resource : version.resources)
        resources.push_back(AggregatedResource(resource));
      versions.push_back({{"version", version.name}, {"resources", resources}, {"freshness", "Current"}});
    }
    Value metadata = Value::object();
    if (!group.name.empty()) metadata["name"] = group.name;
    items.push_back({{"metadata", metadata}, {"versions", versions}});
  }
  auto made = std::make_shared<Aggregated>();
  const Value whole = {{"kind", "APIGroupDiscoveryList"},
                       {"apiVersion", "apidiscovery.k8s.io/v2"},
                       {"metadata", Value::object()},
                       {"items", items}};
  schema::AppendTyped(made->body, whole, schema::ApiGroupDiscoveryListType());
  made->body += '\n';
  made->etag = base::AsciiUpper(base::HexEncode(auth::Sha512(made->body)));
  generation = snapshot.generation();
  document = std::move(made);
  return document;
}

std::vector<std::string> Discovery::Paths(const definition::Snapshot& snapshot) const {
  std::vector<std::string> paths = {"/api",        "/apis",       "/healthz", "/livez",  "/metrics",
                                    "/openapi/v2", "/openapi/v3", "/readyz",  "/version"};
  if (builtins_) paths.emplace_back("/api/v1");
  for (const GroupView& group : Groups(snapshot)) {
    paths.push_back("/apis/" + group.name);
    for (const VersionView& version : group.versions)
      paths.push_back("/apis/" + group.name + "/" + version.name);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace annex::api
