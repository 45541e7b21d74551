// Paths and operations of OpenAPI documents.
//
// They are made in their v2 form, which names the media types that an operation takes and gives and refers to
// shared parameters; the v3 form, which repeats both at every place, follows from it.
//
// Thread rule: free functions.
#pragma once

#include "annex/definition/registry.h"
#include "annex/json/value.h"

namespace annex::api {

// The v2 paths of a custom resource in a version.
json::Value PathsOf(const definition::Snapshot::Served& served);

// The v3 form of v2 paths.
json::Value PathsV3(const json::Value& paths);

}  // namespace annex::api
