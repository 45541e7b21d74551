// Taking out of an object what its schema does not know.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/node.h"

#include <string>
#include <vector>

namespace annex::schema {

// Removes the fields of a whole object that the schema does not specify. apiVersion, kind and metadata stay,
// here and in embedded resources. The paths of what was removed are appended in bytewise order;
// `unknown_fields` may be nullptr.
void PruneObject(json::Value& object, const Node& root, std::vector<std::string>* unknown_fields);

// Removes fields that are null although the schema is not nullable, unless a default will take their place.
void PruneNulls(json::Value& value, const Node& node);

}  // namespace annex::schema
