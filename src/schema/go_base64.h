// Standard base64 as Go's encoding/base64 reads it: line ends are skipped, padding is required.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"

#include <string>
#include <string_view>

namespace annex::schema {

// The bytes, or Go's error: "illegal base64 data at input byte 4".
tl::expected<std::string, std::string> DecodeBase64(std::string_view text);

}  // namespace annex::schema
