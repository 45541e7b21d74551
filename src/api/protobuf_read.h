// Objects in Kubernetes' protobuf form, which typed Go clients send: read into the JSON that the same object
// would have been.
//
// A document is "k8s\0" and a runtime.Unknown: apiVersion and kind, and the object's own message as bytes.
// Only what has a fixed type can be read so; custom resources have none.
//
// Thread rule: free functions. Failure: BadRequest with the text of Kubernetes' readers, for whatever the
// bytes are.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/schema/typed.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace annex::api {

// Messages nest at most so deep: reading recurses, and the deepest schemas that people write stay below a
// tenth of it.
inline constexpr std::size_t kMaxProtobufDepth = 1000;

struct ProtobufDocument {
  std::string api_version;
  std::string kind;
  std::string_view message;  // part of the text that it was read from
};

base::Result<ProtobufDocument> ReadProtobufDocument(std::string_view body);

// The object in `message`, without apiVersion and kind. What the bytes do not say is absent;
// schema::ReadTyped completes it. Fields that `structure` does not have are passed over, as Kubernetes does.
base::Result<json::Value> ReadProtobufMessage(std::string_view message, const schema::TypedStruct& structure);

}  // namespace annex::api
