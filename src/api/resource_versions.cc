#include "resource_versions.h"

#include <string>
#include <utility>

namespace annex::api {

ResourceVersions::ResourceVersions(std::shared_ptr<const definition::Resource> resource)
    : resource_(std::move(resource)) {}

const ownership::ObjectType* ResourceVersions::TypeOf(std::string_view api_version) const {
  const std::string& group = resource_->group();
  if (!api_version.starts_with(group) || api_version.size() <= group.size() ||
      api_version[group.size()] != '/')
    return nullptr;
  const definition::Version* version = resource_->FindVersion(api_version.substr(group.size() + 1));
  return version == nullptr ? nullptr : version->object_type.get();
}

// Without a webhook only the apiVersion changes: unlike for clients, nothing is pruned or defaulted.
base::Result<json::Value> ResourceVersions::Convert(const json::Value& object,
                                                    std::string_view api_version) const {
  json::Value converted = object;
  converted["apiVersion"] = api_version;
  return converted;
}

}  // namespace annex::api
