// ResourceVersions: the versions of a custom resource, as field ownership sees them.
//
// Thread rule: immutable and thread-safe. Ownership: shares the definition.
#pragma once

#include "annex/definition/resource.h"
#include "annex/ownership/field_manager.h"

#include <memory>
#include <string_view>

namespace annex::api {

class ResourceVersions final : public ownership::Versions {
 public:
  explicit ResourceVersions(std::shared_ptr<const definition::Resource> resource);

  const ownership::ObjectType* TypeOf(std::string_view api_version) const override;
  base::Result<json::Value> Convert(const json::Value& object, std::string_view api_version) const override;

 private:
  const std::shared_ptr<const definition::Resource> resource_;
};

}  // namespace annex::api
