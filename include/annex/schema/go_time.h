// Times as Go's time.Parse reads them, with its words for what is wrong.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace annex::schema {

struct Moment {
  std::int64_t seconds = 0;  // since 1970, UTC
  std::int32_t nanoseconds = 0;
};

enum class TimeLayout : std::uint8_t {
  kRfc3339,       // metav1.Time: "2006-01-02T15:04:05Z07:00"; a fraction of a second is taken too
  kRfc3339Micro,  // metav1.MicroTime: "2006-01-02T15:04:05.000000Z07:00", exactly six digits
  kDate,          // "2006-01-02"
};

// The moment, or Go's error: `parsing time "x" as "2006-01-02": cannot parse "x" as "2006"`.
tl::expected<Moment, std::string> ParseTime(std::string_view text, TimeLayout layout);

// Go's zero time, 0001-01-01T00:00:00Z, which counts as no time.
bool IsZeroTime(const Moment& moment);

// In UTC: "2006-01-02T15:04:05Z", or with six digits of the second. kDate is not written.
std::string FormatTime(const Moment& moment, TimeLayout layout);

}  // namespace annex::schema
