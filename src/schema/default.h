// Default values.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/schema/node.h"

#include <cstddef>

namespace annex::schema {

// How much may be set in one object, counted as JSON. Lists of empty objects as defaults of one another make
// any number of values out of a few bytes; kube-apiserver's storage takes half as much.
inline constexpr std::size_t kMaxDefaultBytes = 3UL * 1024 * 1024;

// Sets what is missing below `value` and has a default, also within defaults that were set. A null that is
// not allowed counts as missing. Errors: RequestEntityTooLarge; `value` is then unspecified.
base::Result<void> SetDefaults(json::Value& value, const Node& node);

}  // namespace annex::schema
