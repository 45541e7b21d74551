// Reading a CustomResourceDefinition that did not come through the API: from a file.
//
// Thread rule: a free function.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <string>
#include <vector>

namespace annex::definition {

// Brings a definition into the form that validate.h wants, that of a new one: read as Go reads it, completed,
// its status that of a definition that was just made. Returns the paths of fields that there are none of.
// Errors: BadRequest (a field has the wrong type).
base::Result<std::vector<std::string>> ReadNewDefinition(json::Value& definition);

}  // namespace annex::definition
