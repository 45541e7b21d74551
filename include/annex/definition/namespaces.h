// NamespaceLookup: whether objects may be created in a namespace (admission plugin NamespaceLifecycle).
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace annex::definition {

enum class NamespaceState : std::uint8_t { kMissing, kActive, kTerminating };

// Thread rule: thread-safe.
class NamespaceLookup {
 public:
  virtual ~NamespaceLookup() = default;
  // What is known. Must not block.
  virtual NamespaceState State(std::string_view name) const = 0;

  // Asks for a namespace that State calls missing where it would be, since it may have been made a moment
  // ago; State knows it then. Errors: InternalError (nobody could be asked).
  virtual base::Task<base::Result<void>> Refresh(std::string name, base::Executor& executor) = 0;
};

}  // namespace annex::definition
