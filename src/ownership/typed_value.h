// Working on values by their types (sigs.k8s.io/structured-merge-diff/typed): what fields a value has, how
// two values differ, merging, removing.
//
// Values given to anything but Validate have been validated.
//
// Thread rule: free functions. Recursion goes as deep as the document.
#pragma once

#include "annex/json/value.h"
#include "annex/ownership/field_set.h"
#include "annex/ownership/object_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace annex::ownership {

enum class Duplicates : std::uint8_t { kRefuse, kAllow };

// What keeps `value` from being of the type: ".spec.q: field not declared in schema", each with its path.
// Of several fields that are not declared in one object only the first is reported.
std::vector<std::string> Validate(const Type& type, const json::Value& value, Duplicates duplicates);
// The same as one text; "" if nothing is wrong.
std::string ValidationText(const Type& type, const json::Value& value, Duplicates duplicates);

// The fields that `value` has: scalars, what is owned as a whole, items of lists, keys that are not declared.
FieldSet FieldsOf(const Type& type, const json::Value& value);

// How one value became another. A field is in one of the sets at most.
struct Comparison {
  FieldSet removed;
  FieldSet modified;
  FieldSet added;
  bool IsSame() const { return removed.Empty() && modified.Empty() && added.Empty(); }
};
Comparison Compare(const Type& type, const json::Value& before, const json::Value& after);

// `live` with all that `applied` has. Items of lists owned by item come in the order of `applied`, with the
// items that only `live` has kept before the items that they stood before.
json::Value Merge(const Type& type, const json::Value& live, const json::Value& applied);

// `value` without the fields and items in `fields`; what loses all that it had becomes null.
json::Value RemoveItems(const Type& type, const json::Value& value, const FieldSet& fields);

// `fields`, and all declared fields that something in it lies below.
FieldSet WithDeclaredParents(const Type& type, const FieldSet& fields);

// `fields` as they are to be understood if the schema has changed since they were written: what lies below a
// list or map that is owned as a whole now is the whole.
FieldSet Reconcile(const Type& type, const FieldSet& fields);

}  // namespace annex::ownership
