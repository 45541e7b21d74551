// What a change of an object does to those who own its fields
// (sigs.k8s.io/structured-merge-diff/merge/update.go).
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/ownership/field_manager.h"
#include "annex/ownership/managed_fields.h"
#include "conflicts.h"
#include "typed_value.h"

#include <string>

namespace annex::ownership {

// `object` in a version; checked against its type if it had to be converted.
// REQUIRES: the version exists. Errors: Unknown.
base::Result<json::Value> InVersion(const Versions& versions, const json::Value& object,
                                    const std::string& api_version);

// Brings entries in line with the schemas of today; drops those of versions that are gone.
// Errors: Unknown (the object cannot be converted to an entry's version).
base::Result<void> ReconcileOwners(const Versions& versions, const json::Value& live, ManagedFields& managed);

// An object changes.
struct ObjectChange {
  const std::string& api_version;  // of both states, whatever `after` claims
  const json::Value& before;
  const json::Value& after;
  const FieldSet& reset_fields;  // changes of these do not count
  const ManagerId* self;  // who makes the change and keeps what it owns; nullptr for none of the owners
};

struct OwnersChange {
  Comparison comparison;  // in the change's version
  // What owners lose. Unless forced, nothing was taken from anybody if there are conflicts.
  Conflicts conflicts;
};
enum class Force : std::uint8_t { kNo, kYes };

// Takes changed and removed fields from their owners; owners of nothing go. Errors: Unknown, as above.
base::Result<OwnersChange> TakeFields(const Versions& versions, const ObjectChange& change,
                                      ManagedFields& managed, Force force);

}  // namespace annex::ownership
