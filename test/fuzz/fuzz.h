// What the fuzz targets share. A target is a function of bytes; ANNEX_CHECK ends it where a promise is
// broken.
#pragma once

#include "annex/base/check.h"
#include "annex/json/value.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace annex::fuzz {

inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The input up to the first NUL, and what follows it: two documents in one input.
inline std::pair<std::string_view, std::string_view> Split(std::string_view input) {
  const auto end = input.find('\0');
  if (end == std::string_view::npos) return {input, {}};
  return {input.substr(0, end), input.substr(end + 1)};
}

}  // namespace annex::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
