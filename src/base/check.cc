#include "annex/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace annex::base {

void CheckFailed(const char* expression, const char* file, int line, const char* why) {
  // stderr directly: the logger may be what is broken.
  std::fprintf(stderr, "%s:%d: check failed: %s: %s\n", file, line, expression, why);
  std::fflush(stderr);
  std::abort();
}

}  // namespace annex::base
