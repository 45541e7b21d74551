// Checks and changes that every write makes to a request's object, whatever its resource.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "context.h"

#include <string>

namespace annex::api {

// The object's namespace must be the request's; it is filled in where it is missing and dropped for
// cluster-scoped resources. Errors: BadRequest.
base::Result<void> EnsureNamespace(const Context& context, json::Value& object);

// The object's name must be the URL's. Errors: BadRequest.
base::Result<void> CheckNameMatches(const Context& context, const json::Value& object);

// When kube-apiserver looks for duplicates: a patch's result is looked at after admission, which the warning
// says.
enum class DedupTime : std::uint8_t { kBeforeAdmission, kAfterAdmission };

// Removes owner references that are there twice, with a warning.
void DedupOwnerReferences(Context& context, json::Value& object,
                          DedupTime time = DedupTime::kBeforeAdmission);

// Namespace lifecycle (the first of the admission plugins): nothing is created in a namespace that is missing
// or going. `create`: whether the write creates; an update only needs the namespace to exist. Errors:
// NotFound, Forbidden.
base::Result<void> CheckNamespaceLifecycle(const Context& context, const std::string& object_name,
                                           bool create);

// Fields that only the server sets: wipes what the client sent, as kube-apiserver does on create.
void WipeSystemFields(json::Value& object);
void FillSystemFields(const Context& context, json::Value& object);

}  // namespace annex::api
