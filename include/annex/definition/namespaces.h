// NamespaceLookup: whether objects may be created in a namespace (admission plugin NamespaceLifecycle).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace annex::definition {

enum class NamespaceState : std::uint8_t { kMissing, kActive, kTerminating };

// Thread rule: thread-safe; must not block.
class NamespaceLookup {
 public:
  virtual ~NamespaceLookup() = default;
  virtual NamespaceState State(std::string_view name) const = 0;
};

}  // namespace annex::definition
