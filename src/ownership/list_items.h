// What identifies the items of lists that are owned by item.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/ownership/object_type.h"
#include "annex/ownership/path_element.h"

#include <vector>

namespace annex::ownership {

// The element of an item of a list that is not atomic. Errors: BadRequest (an item that cannot be in such a
// list: a set's must be scalars, a map's objects with at least one key field).
base::Result<PathElement> ElementOf(const ListType& list, const json::Value& item);

struct ListItem {
  PathElement element;
  const json::Value* value;
};
// The items with their elements, in the list's order; those that cannot be in it are left out. `items` may be
// nullptr.
std::vector<ListItem> ElementsOf(const ListType& list, const json::Value::array_t* items);

}  // namespace annex::ownership
