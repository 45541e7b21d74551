// What a change of a definition would break: objects that are stored, and clients that know the old one.
//
// kube-apiserver lets most of it pass. Some schemas refuse more although nothing here says so: that one
// pattern takes all that another one takes cannot be found out, so every change of it counts.
//
// Thread rule: a free function.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

namespace annex::definition {

// The breaking changes from `old_definition` to `definition`, each with the field of `definition` that it is
// in: another scope, group or kind; versions and subresources that are gone; schemas that refuse or drop what
// the old ones took.
json::FieldErrors FindBreakingChanges(const json::Value& definition, const json::Value& old_definition);

}  // namespace annex::definition
