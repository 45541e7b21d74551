// The annotation of client-side apply, which kubectl's server-side apply takes over from
// (k8s.io/apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go, lastappliedupdater.go).
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"
#include "annex/ownership/field_set.h"
#include "annex/ownership/object_type.h"

#include <optional>

namespace annex::ownership {

// The fields of the object in live's annotation that are in `live` as they were applied: changing them is no
// conflict for kubectl. nullopt if there is no annotation, or none that fits.
std::optional<FieldSet> FieldsFromLastApplied(const Type& type, const json::Value& live);

// Makes the annotation, if `object` has one, say that `applied` was applied last. It goes if it gets too
// large.
void UpdateLastApplied(json::Value& object, json::Value applied);

}  // namespace annex::ownership
