// JSON Merge Patch (RFC 7386) and JSON Patch (RFC 6902) with the decisions and texts of the library that kube-apiserver uses.
//
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <string_view>

#include "annex/base/result.h"
#include "annex/json/value.h"

namespace annex::json {

// kube-apiserver's limits for one JSON patch: operations, and bytes that its copy operations may add up to.
inline constexpr std::size_t kMaxPatchOperations = 10000;
inline constexpr std::size_t kMaxPatchCopyBytes = 3 * 1024 * 1024;

// Applies a merge patch: objects merge, null removes, everything else replaces.
// REQUIRES: `patch` is an object (callers refuse other bodies with the text that fits).
void ApplyMergePatch(Value& target, const Value& patch);

// Applies the operations of `patch` (an array of RFC 6902 operations) to `target`, all or none.
// Errors: RequestEntityTooLarge (operation count), Invalid (a test failed, a path is missing, copies grow too large; the
// message says which; kube-apiserver shows clients a fixed text instead), BadRequest (an operation is malformed).
base::Result<void> ApplyJsonPatch(Value& target, const Value& patch);

}  // namespace annex::json
