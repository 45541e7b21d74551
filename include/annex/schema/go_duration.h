// Durations as Go's time.ParseDuration reads them ("1h30m", "-1.5s", "0"), with its words for what is wrong.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"

#include <string>
#include <string_view>

namespace annex::schema {

// Nothing, or Go's error: `time: missing unit in duration "5"`.
tl::expected<void, std::string> CheckGoDuration(std::string_view text);

}  // namespace annex::schema
