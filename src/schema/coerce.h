// Embedded resources (x-kubernetes-embedded-resource) read as Kubernetes objects.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/schema/node.h"
#include "annex/schema/object_meta.h"

#include <string>
#include <string_view>
#include <vector>

namespace annex::schema {

// Reads a value as ObjectMeta. `place` is its path, for the report; see CoerceObjectMeta.
base::Result<void> ReadObjectMeta(json::Value& metadata, MalformedFields malformed, std::string_view place,
                                  std::vector<std::string>* unknown_fields);

struct EmbeddedOptions {
  MalformedFields malformed = MalformedFields::kRefuse;
  bool root_is_resource = false;  // whether the root counts as embedded too
};

// Brings apiVersion, kind and metadata of every embedded resource into the form of their types. The paths of
// unknown fields of metadata are appended in bytewise order; `unknown_fields` may be nullptr. Errors:
// BadRequest, not with MalformedFields::kDrop.
base::Result<void> CoerceEmbedded(json::Value& object, const Node& root, EmbeddedOptions options,
                                  std::vector<std::string>* unknown_fields);

}  // namespace annex::schema
