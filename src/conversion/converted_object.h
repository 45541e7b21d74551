// What a webhook made of one object, held to the object that it was given.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstddef>
#include <string>

namespace annex::conversion {

// Checks that `converted` is `original` in `api_version`, and gives it the original's metadata but for labels
// and annotations, which are its own. `index` is its place in the answer, for messages. Errors: without a
// reason, with kube-apiserver's words.
base::Result<void> AcceptConverted(const json::Value& original, json::Value& converted,
                                   const std::string& api_version, std::size_t index);

// "conversion webhook for example.com/v1, Kind=Widget": how messages about an object begin.
std::string WebhookFor(const json::Value& object);

}  // namespace annex::conversion
