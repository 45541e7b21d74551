// From JSON to Node.
#pragma once

#include "annex/base/result.h"
#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "annex/schema/node.h"
#include "path.h"

#include <memory>

namespace annex::schema {

// The node of a schema and of everything below it, as it is written: defaults are not pruned, nothing is
// summarized. Errors: Invalid (wrong types, a keyword that no structural schema has, a pattern that cannot be
// compiled).
base::Result<std::unique_ptr<Node>> ReadNode(const json::Value& schema);

// Default values lose what reading an object would take from them (pkg/apiserver/schema/defaulting/prune.go).
// Errors: Invalid (the root has a default that is no object).
base::Result<void> PruneDefaults(Node& root);

// Fills in what Node says about everything below it.
void Summarize(Node& node);

enum class PatternCheck : std::uint8_t { kInclude, kSkip };
json::FieldErrors FindNotStructural(const json::Value& schema, const json::FieldPath& path,
                                    PatternCheck patterns);

}  // namespace annex::schema
