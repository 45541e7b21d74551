// Two kinds of equality of JSON values that Go's API machinery uses.
//
// Thread rule: free functions. Recursion goes as deep as the values.
#pragma once

#include "annex/json/value.h"

#include <string>

namespace annex::schema {

// reflect.DeepEqual on unstructured values: 1 and 1.0 differ.
bool IsSameValue(const json::Value& a, const json::Value& b);

// Equality of the JSON text: 1 and 1.0 are the same.
bool IsSameJson(const json::Value& a, const json::Value& b);

// A text that two values share exactly if IsSameValue holds.
std::string ValueKey(const json::Value& value);

}  // namespace annex::schema
