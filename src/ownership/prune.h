// Pruning: what a manager applied before and does not apply any more goes, unless somebody else owns it.
//
// Thread rule: free function.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/ownership/field_manager.h"
#include "annex/ownership/managed_fields.h"

namespace annex::ownership {

// `merged` (the live object with what is applied now) without what only `last`, the manager's entry of its
// last apply, accounts for. `managed` already has the entry of this apply. The result is in merged's version.
// Errors: Unknown.
base::Result<json::Value> Prune(const Versions& versions, const json::Value& merged,
                                const ManagedFields& managed, const ManagedEntry& last);

}  // namespace annex::ownership
