// What Go makes of numbers in conversions and comparisons, where clients can see it.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"

#include <cstdint>

namespace annex::schema {

// A double as an int64, as amd64 converts it: towards zero, and the smallest int64 for whatever does not fit.
std::int64_t TruncateToInt64(double number);

// Whether kube-openapi lets a double pass as an integer: whole, or nearer to a whole number than one part in
// 10^9, within ±(2^53-1).
bool PassesAsInteger(double number);

// The value of a number. REQUIRES: value.is_number().
double DoubleOf(const json::Value& value);

}  // namespace annex::schema
