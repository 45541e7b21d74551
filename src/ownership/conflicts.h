// Conflicts: the fields that an apply would change although others own them.
//
// Thread rule: value types and free functions.
#pragma once

#include "annex/base/status.h"
#include "annex/ownership/field_set.h"
#include "annex/ownership/managed_fields.h"

#include <vector>

namespace annex::ownership {

struct Conflict {
  ManagerId id;
  FieldSet fields;
};
using Conflicts = std::vector<Conflict>;

// Conflict: "Apply failed with 1 conflict: …" with a cause for each field. REQUIRES: there are conflicts.
base::Status ConflictStatus(Conflicts conflicts);

}  // namespace annex::ownership
