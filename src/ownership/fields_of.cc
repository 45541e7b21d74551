#include "list_items.h"
#include "shape.h"
#include "typed_value.h"

#include <algorithm>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

struct Fields {
  bool self = false;  // the value counts as one field
  FieldSet below;
};

Fields Collect(const Type& type, const Value& value);

FieldSet OfMembers(const Type& type, const Value::object_t& members) {
  FieldSet set;
  set.Reserve(members.size());
  for (const auto& [key, member] : members) {
    const MapField* declared = type.FindField(key);
    const Type* below = declared != nullptr ? declared->type : type.map->others;
    if (below == nullptr) continue;
    Fields fields = Collect(*below, member);
    const bool empty = member.is_null() || (member.is_object() && member.empty());
    set.Append(PathElement::Field(key), fields.self || empty || declared == nullptr, std::move(fields.below));
  }
  return set;
}

// Items that occur more than once are owned as one, whatever they hold.
FieldSet OfItems(const ListType& list, const Value::array_t& items) {
  std::vector<ListItem> elements = ElementsOf(list, &items);
  std::stable_sort(elements.begin(), elements.end(),
                   [](const ListItem& a, const ListItem& b) { return a.element < b.element; });
  FieldSet set;
  set.Reserve(elements.size());
  for (auto first = elements.begin(); first != elements.end();) {
    auto end = std::next(first);
    while (end != elements.end() && end->element == first->element) ++end;
    FieldSet below;
    if (std::next(first) == end) below = Collect(*list.items, *first->value).below;
    set.Append(std::move(first->element), true, std::move(below));
    first = end;
  }
  return set;
}

Fields Collect(const Type& type, const Value& value) {
  switch (ShapeOf(type, &value).First()) {
    case Form::kMap:
      if (type.map->atomic) return {true, {}};
      if (const auto* members = MembersOf(&value)) return {false, OfMembers(type, *members)};
      return {};
    case Form::kScalar:
      return {true, {}};
    case Form::kList:
      if (type.list->atomic) return {true, {}};
      if (const auto* items = ItemsOf(&value)) return {false, OfItems(*type.list, *items)};
      return {};
    case Form::kNone:
      return {};
  }
  return {};
}

}  // namespace

FieldSet FieldsOf(const Type& type, const Value& value) {
  return Collect(type, value).below;
}

}  // namespace annex::ownership
