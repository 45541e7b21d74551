// Fits: whether a value is valid. The way of nearly every write: it allocates nothing and stops at the first
// complaint.
//
// Thread rule: a free function. Recursion goes as deep as the schema.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/node.h"

namespace annex::schema {

// Exactly when Validator finds nothing.
bool Fits(const Node& node, const json::Value& value);

}  // namespace annex::schema
