// What the text of a YAML scalar stands for: YAML 1.1 as go-yaml v2, the library below Kubernetes,
// understands it.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace annex::json {

struct YamlScalar {
  enum class Type : std::uint8_t { kNull, kBoolean, kInteger, kUnsigned, kFloat, kTimestamp, kString };

  Type type = Type::kString;
  bool boolean = false;
  std::int64_t integer = 0;
  std::uint64_t unsigned_integer = 0;  // only for what is beyond `integer`
  double number = 0;
};

// A plain scalar without a tag. A kTimestamp reads as a string all the same; only writing quotes it.
YamlScalar ResolveYamlScalar(std::string_view text);

// A scalar with a tag in its long form ("tag:yaml.org,2002:int"); "" is none. Other tags than the core ones
// make strings. Errors: BadRequest where the text does not fit the tag.
base::Result<YamlScalar> ResolveYamlScalar(std::string_view tag, std::string_view text);

inline constexpr std::string_view kYamlTagPrefix = "tag:yaml.org,2002:";
inline constexpr std::string_view kYamlBinaryTag = "tag:yaml.org,2002:binary";
inline constexpr std::string_view kYamlMergeTag = "tag:yaml.org,2002:merge";

}  // namespace annex::json
