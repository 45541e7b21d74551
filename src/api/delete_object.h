// Deleting one object: at once, or, if something must happen before (finalizers), by marking it
// (k8s.io/apiserver/pkg/registry/generic/registry/store.go, Delete).
#pragma once

#include "annex/base/task.h"
#include "context.h"
#include "options.h"

#include <cstdint>
#include <optional>
#include <string>

namespace annex::api {

struct Deleted {
  bool gone = false;
  std::string uid;
  // The object as it is now (marked), or as it was (gone and the strategy returns it), with its
  // resourceVersion.
  json::Value object;
};

// Whether the caller wants Deleted::object and uid. Who deletes thousands does not, and most objects then go
// without being parsed.
enum class LastState : std::uint8_t { kWanted, kUnwanted };

// Deletes the object with a key of the context's resource. Errors: NotFound, Conflict (a precondition),
// Forbidden. REQUIRES: `options` outlives the task.
base::Task<base::Result<Deleted>> DeleteObject(Context& context, std::string key,
                                               const DeleteOptions& options, LastState last_state);

}  // namespace annex::api
