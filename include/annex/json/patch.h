// JSON Merge Patch (RFC 7386) and JSON Patch (RFC 6902) with the decisions and texts of the library that
// kube-apiserver uses (evanphx/json-patch v4), and what kube-apiserver's strict reading says about a JSON
// patch.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace annex::json {

// kube-apiserver's limits for one JSON patch: operations, and bytes that its copy operations may add up to.
inline constexpr std::size_t kMaxPatchOperations = 10000;
inline constexpr std::size_t kMaxPatchCopyBytes = 3UL << 20U;
// How many array items the insertions and removals of one JSON patch may shift: less than a second. 10000
// operations at the beginning of a large array would take a minute.
inline constexpr std::size_t kMaxPatchShifts = 20'000'000;

// Applies a merge patch: objects merge, null removes, everything else replaces. As in the library, nulls
// within objects that the patch adds are dropped, also inside of arrays, unless an array takes the place of
// an object. A patch that is no object takes the place of the whole.
void ApplyMergePatch(Value& target, const Value& patch);

// Applies the operations of `patch` (an array of RFC 6902 operations) to `target`, all or none. Afterwards
// `target` may be an array: "replace" of the whole document allows it.
//
// Errors: RequestEntityTooLarge (operations, shifted items), Invalid (a test failed, a path is missing,
// copies grow too large, the result nests deeper than kMaxDepth; the message says which; kube-apiserver shows
// clients a fixed text instead), BadRequest (`patch` is no array of objects).
base::Result<void> ApplyJsonPatch(Value& target, const Value& patch);

// What kube-apiserver checks before it applies a JSON patch, unless fieldValidation=Ignore.
// Result: the unknown fields of operations, each as `unknown field "[2].valeu"`. (Fields that occur twice are
// known only to the reader of the text, see ReadReport.)
//
// Errors: BadRequest, `error decoding patch: json: cannot unmarshal …`, where a field has a wrong type.
base::Result<std::vector<std::string>> CheckJsonPatch(const Value& patch);

}  // namespace annex::json
