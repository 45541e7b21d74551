// ANNEX_CHECK ends the process when an invariant of Annex itself is broken.
//
// Never on outside input: bytes, files, peers and library return codes are handled with base::Result. A check
// that fails means that memory or logic can no longer be trusted, and serving on could lose or leak data.
#pragma once

namespace annex::base {

// Writes the expression, its place and `why` to stderr and aborts. Thread-safe.
[[noreturn]] void CheckFailed(const char* expression, const char* file, int line, const char* why);

}  // namespace annex::base

#define ANNEX_CHECK(condition, why)                                    \
  do {                                                                 \
    if (!(condition)) [[unlikely]] {                                   \
      ::annex::base::CheckFailed(#condition, __FILE__, __LINE__, why); \
    }                                                                  \
  } while (false)
