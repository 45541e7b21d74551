// Definitions as kube-apiserver holds them while it validates: in a few messages its internal Go structs are
// shown as JSON, with the names of their fields (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions).
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"

#include <string>

namespace annex::definition {

// A schema (or an array of schemas at `items`), read through schema::JsonSchemaPropsType().
std::string InternalSchema(const json::Value& schema);
std::string InternalItems(const json::Value& items);

// Which parts of versions have moved to the spec, because all versions have the same.
struct CommonParts {
  bool schema = false;
  bool subresources = false;
  bool columns = false;
  bool selectable_fields = false;
};

// spec.versions; `versions` may be null.
std::string InternalVersions(const json::Value& versions, const CommonParts& common);

}  // namespace annex::definition
