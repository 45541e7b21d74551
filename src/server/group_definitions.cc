#include "group_definitions.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/source/cluster_call.h"
#include "annex/source/definition_facts.h"

#include <utility>

namespace annex::server {
namespace {

using json::Value;

// Names are enough to find a group: some definitions are as large as a megabyte.
constexpr const char* kMetadataOnly = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
constexpr const char* kPage = "500";

bool HasVersion(const source::DefinitionsByName& definitions, const std::string& wanted) {
  for (const auto& [name, definition] : definitions) {
    for (const Value& version : json::ItemsAt(definition, {"spec", "versions"})) {
      if (json::TextAt(version, {"name"}) == wanted) return true;
    }
  }
  return false;
}

}  // namespace

base::Result<GroupName> ParseGroupName(const std::string& text) {
  const std::size_t slash = text.find('/');
  GroupName name;
  name.group = text.substr(0, slash);
  if (slash != std::string::npos) name.version = text.substr(slash + 1);
  const bool version_fits = slash == std::string::npos || base::CheckDns1035Label(name.version).empty();
  if (base::CheckDns1123Subdomain(name.group).empty() && version_fits) return name;
  return base::Error(base::Reason::kInvalid, base::Quote(text) +
                                                 " is no group; name one as in \"example.com\" or "
                                                 "\"example.com/v1\"");
}

base::Task<base::Result<std::vector<std::string>>> ListDefinitionNames(kube::Client& client,
                                                                       base::Executor& executor) {
  std::vector<std::string> names;
  std::string next;
  do {
    kube::Client::Call call;
    call.method = "GET";
    call.target = std::string(source::kDefinitionsPath) + "?limit=" + kPage;
    if (!next.empty()) call.target += "&continue=" + kube::EscapeQuery(next);
    call.accept = kMetadataOnly;
    ANNEX_CO_TRY(const Value page, co_await source::CallCluster(client, std::move(call), executor));
    for (const Value& item : json::ItemsAt(page, {"items"}))
      names.push_back(json::TextAt(item, {"metadata", "name"}));
    next = json::TextAt(page, {"metadata", "continue"});
  } while (!next.empty());
  co_return names;
}

base::Task<base::Result<Value>> ReadDefinition(kube::Client& client, std::string name,
                                               base::Executor& executor) {
  std::string target = std::string(source::kDefinitionsPath) + "/" + name;
  co_return co_await source::GetFromCluster(client, std::move(target), executor);
}

base::Task<base::Result<source::DefinitionsByName>> ReadGroup(kube::Client& client, GroupName group,
                                                              base::Executor& executor) {
  ANNEX_CO_TRY(const auto names, co_await ListDefinitionNames(client, executor));
  source::DefinitionsByName definitions;
  for (const std::string& name : names) {
    if (source::GroupOf(name) != group.group) continue;
    ANNEX_CO_TRY(definitions[name], co_await ReadDefinition(client, name, executor));
  }
  if (definitions.empty()) {
    co_return base::Error(base::Reason::kNotFound,
                          "the cluster has no CustomResourceDefinition of the group " +
                              base::Quote(group.group) + "; kubectl get crds lists those that it has");
  }
  if (!group.version.empty() && !HasVersion(definitions, group.version)) {
    co_return base::Error(base::Reason::kNotFound, "no CustomResourceDefinition of the group " +
                                                       base::Quote(group.group) + " has a version " +
                                                       base::Quote(group.version));
  }
  co_return definitions;
}

std::string ListPath(const Value& definition) {
  std::string chosen;
  for (const Value& version : json::ItemsAt(definition, {"spec", "versions"})) {
    if (!json::FlagAt(version, {"served"})) continue;
    if (chosen.empty() || json::FlagAt(version, {"storage"})) chosen = json::TextAt(version, {"name"});
  }
  return "/apis/" + json::TextAt(definition, {"spec", "group"}) + "/" + chosen + "/" +
         json::TextAt(definition, {"spec", "names", "plural"});
}

ConditionState ReadCondition(const Value& definition, const std::string& type) {
  for (const Value& condition : json::ItemsAt(definition, {"status", "conditions"})) {
    if (json::TextAt(condition, {"type"}) != type) continue;
    return {true, json::TextAt(condition, {"status"}) == "True", json::TextAt(condition, {"reason"}),
            json::TextAt(condition, {"message"})};
  }
  return {};
}

}  // namespace annex::server
