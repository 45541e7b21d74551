// How much is reported about one object. kube-apiserver reports everything, which lets a body of 3 MiB ask
// for gigabytes of text: every error repeats its path, and some repeat the value.
#pragma once

#include <cstddef>

namespace annex::schema {

inline constexpr std::size_t kMaxErrors = 10'000;
inline constexpr std::size_t kMaxErrorBytes = 4UL * 1024 * 1024;

// What is left of the limits while one object is validated. Branches that are tried draw on it too, as long
// as what they found is kept: nested branches must not multiply the limits.
struct ErrorBudget {
  std::size_t errors = kMaxErrors;
  std::size_t bytes = kMaxErrorBytes;
};

}  // namespace annex::schema
