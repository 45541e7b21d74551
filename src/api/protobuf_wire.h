// WireReader: protobuf's wire format, field by field, with the words of the readers that Kubernetes generates
// for its types.
//
// Thread rule: a value type for one thread. Ownership: the bytes stay the caller's and have to outlive the
// reader and what it gives out. Failure: BadRequest; the reader is then of no further use.
#pragma once

#include "annex/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace annex::api {

// What begins a Kubernetes object in protobuf (k8s.io/apimachinery/pkg/runtime/serializer/protobuf).
inline constexpr std::string_view kProtobufMark("k8s\0", 4);

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroupStart = 3,
  kGroupEnd = 4,
  kFixed32 = 5,
};

struct WireTag {
  std::int32_t number = 0;            // of the field, at least 1
  WireType type = WireType::kVarint;  // 6 and 7, which mean nothing, are possible too
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool AtEnd() const { return rest_.empty(); }

  // The tag that begins a field; `message` names the type in errors. REQUIRES: not at the end.
  base::Result<WireTag> ReadTag(std::string_view message);
  // The value that follows a tag of the fitting type.
  base::Result<std::uint64_t> ReadVarint();
  base::Result<std::uint64_t> ReadFixed64();
  base::Result<std::string_view> ReadBytes();
  // Passes over the value that follows `tag`, whatever its type.
  base::Result<void> Skip(WireTag tag);

 private:
  base::Result<void> Advance(std::uint64_t count);
  base::Result<void> SkipScalar(std::uint64_t type);

  std::string_view rest_;
};

}  // namespace annex::api
