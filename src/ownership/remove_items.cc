#include "list_items.h"
#include "shape.h"
#include "typed_value.h"

#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

const FieldSet& ChildrenOf(const FieldSet::Node* node) {
  static const FieldSet kNone;
  return node != nullptr && node->children ? *node->children : kNone;
}

Value FromMap(const Type& type, const Value& value, const FieldSet& fields) {
  const auto* members = MembersOf(&value);
  if (members == nullptr || type.map->atomic) return nullptr;
  Value kept = Value::object();
  for (const auto& [key, member] : *members) {
    const FieldSet::Node* node = fields.Find(PathElement::Field(key));
    if (node != nullptr && node->member) continue;
    const Type* below = type.Below(key);
    const FieldSet& inner = ChildrenOf(node);
    kept[key] = inner.Empty() || below == nullptr ? member : RemoveItems(*below, member, inner);
  }
  return kept.empty() ? Value() : kept;
}

Value FromList(const ListType& list, const Value& value, const FieldSet& fields) {
  const auto* items = ItemsOf(&value);
  if (items == nullptr || list.atomic) return nullptr;
  Value kept = Value::array();
  for (const ListItem& item : ElementsOf(list, items)) {
    const FieldSet::Node* node = fields.Find(item.element);
    if (node != nullptr && node->member) continue;
    const FieldSet& inner = ChildrenOf(node);
    kept.push_back(inner.Empty() ? *item.value : RemoveItems(*list.items, *item.value, inner));
  }
  return kept.empty() ? Value() : kept;
}

}  // namespace

Value RemoveItems(const Type& type, const Value& value, const FieldSet& fields) {
  switch (ShapeOf(type, &value).First()) {
    case Form::kMap:
      return FromMap(type, value, fields);
    case Form::kList:
      return FromList(*type.list, value, fields);
    case Form::kScalar:
      return value;
    case Form::kNone:
      break;
  }
  return nullptr;
}

}  // namespace annex::ownership
