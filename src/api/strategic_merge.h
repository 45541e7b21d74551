// Strategic merge patch: a merge patch whose lists may be merged too, by a key or as sets, and that has
// directives (k8s.io/apimachinery/pkg/util/strategicpatch). kubectl sends it for built-in types.
//
//   {"metadata":{"finalizers":["a"],"$deleteFromPrimitiveList/finalizers":["b"],"$setElementOrder/finalizers":["a","c"]}}
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <string>
#include <vector>

namespace annex::api {

// A list that is merged; all others are replaced.
struct MergedList {
  std::string path;      // "status.conditions"
  std::string key = {};  // which member tells its objects apart; "" for a set of scalars
};

// Applies `patch`, an object, to `object`. Errors: BadRequest; `object` is then unspecified.
base::Result<void> ApplyStrategicMergePatch(json::Value& object, const json::Value& patch,
                                            const std::vector<MergedList>& lists);

}  // namespace annex::api
