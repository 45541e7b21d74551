// What a set of fields means by a type.

#include "shape.h"
#include "typed_value.h"

#include <utility>

namespace annex::ownership {
namespace {

// The type below an element; nullptr if the type knows of none.
const Type* TypeBelow(const Type& type, const PathElement& element) {
  if (element.IsField()) return type.map ? type.Below(element.field_name()) : nullptr;
  return type.list ? type.list->items : nullptr;
}

FieldSet DeclaredParents(const Type* type, const FieldSet& fields) {
  FieldSet result;
  result.Reserve(fields.nodes().size());
  for (const FieldSet::Node& node : fields.nodes()) {
    const bool declared = type != nullptr && node.children && node.element.IsField() &&
                          type->FindField(node.element.field_name()) != nullptr;
    FieldSet below;
    if (node.children)
      below = DeclaredParents(type == nullptr ? nullptr : TypeBelow(*type, node.element), *node.children);
    result.Append(node.element, node.member || declared, std::move(below));
  }
  return result;
}

// Whether what lies below a place is owned as a whole.
bool IsWhole(const Type& type) {
  switch (ShapeOf(type, nullptr).First()) {
    case Form::kMap:
      return type.map->atomic && !type.map->deduced;
    case Form::kList:
      return type.list->atomic;
    case Form::kScalar:
    case Form::kNone:
      break;
  }
  return false;
}

// Fields that the schema does not know are left alone.
const Type* ReconciledBelow(const Type& type, const PathElement& element) {
  switch (ShapeOf(type, nullptr).First()) {
    case Form::kMap:
      if (type.map->deduced) return nullptr;
      return element.IsField() ? type.Below(element.field_name()) : type.map->others;
    case Form::kList:
      return type.list->items;
    case Form::kScalar:
    case Form::kNone:
      break;
  }
  return nullptr;
}

// nullopt if nothing changes.
std::optional<FieldSet> ReconcileBelow(const Type& type, const FieldSet& fields) {
  std::optional<FieldSet> result;
  const auto& nodes = fields.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const FieldSet::Node& node = nodes[i];
    const Type* below = node.children ? ReconciledBelow(type, node.element) : nullptr;
    const bool whole = below != nullptr && IsWhole(*below);
    std::optional<FieldSet> changed;
    if (below != nullptr && !whole) changed = ReconcileBelow(*below, *node.children);
    if (!result && (whole || changed)) {
      result.emplace();
      for (std::size_t j = 0; j < i; ++j) result->Insert(nodes[j]);
    }
    if (!result) continue;
    if (whole) {
      result->Append(node.element, true, {});
    } else if (changed) {
      result->Append(node.element, node.member, *std::move(changed));
    } else {
      result->Insert(node);
    }
  }
  return result;
}

}  // namespace

FieldSet WithDeclaredParents(const Type& type, const FieldSet& fields) {
  return DeclaredParents(&type, fields);
}

FieldSet Reconcile(const Type& type, const FieldSet& fields) {
  if (IsWhole(type)) return fields;
  auto changed = ReconcileBelow(type, fields);
  return changed ? *std::move(changed) : fields;
}

}  // namespace annex::ownership
