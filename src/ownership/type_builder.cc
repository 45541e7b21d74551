#include "type_builder.h"

#include "annex/schema/types.h"

#include <array>
#include <string_view>
#include <utility>

namespace annex::ownership {
namespace {

using schema::Node;

// The lists of built-in structs that are not atomic, as k8s.io's OpenAPI declares them.
struct GranularList {
  std::string_view place;  // "STRUCT.FIELD"
  std::string_view key;    // "" for a set
};
constexpr std::array kGranularLists = {
    GranularList{"ObjectMeta.finalizers", ""},
    GranularList{"ObjectMeta.ownerReferences", "uid"},
    GranularList{"CustomResourceDefinitionStatus.conditions", "type"},
    GranularList{"JSONSchemaProps.x-kubernetes-validations", "rule"},
    GranularList{"NamespaceStatus.conditions", "type"},
};

bool IsAtomicStruct(std::string_view name) {
  return name == "OwnerReference";
}

ListType GranularOr(const std::string& place, ListType list) {
  for (const GranularList& granular : kGranularLists) {
    if (granular.place != place) continue;
    list.atomic = false;
    if (!granular.key.empty()) list.keys = {std::string(granular.key)};
  }
  return list;
}

Type::Scalar ScalarOf(const Node& node) {
  switch (node.type) {
    case schema::Type::kText:
      // Texts with a format may be read from something else (times, quantities, int-or-string).
      return node.validations.format.empty() || node.validations.format == "byte" ? Type::Scalar::kText
                                                                                  : Type::Scalar::kAny;
    case schema::Type::kInteger:
    case schema::Type::kNumber:
      return Type::Scalar::kNumeric;
    case schema::Type::kBoolean:
      return Type::Scalar::kBoolean;
    case schema::Type::kNone:
    case schema::Type::kIntOrString:
      return Type::Scalar::kAny;
    case schema::Type::kObject:
    case schema::Type::kArray:
      return Type::Scalar::kNone;
  }
  return Type::Scalar::kNone;
}

}  // namespace

const Type* TypeBuilder::Scalar(Type::Scalar scalar) {
  Type* type = Add();
  type->scalar = scalar;
  return type;
}

const Type* TypeBuilder::Untyped() {
  if (untyped_ != nullptr) return untyped_;
  Type* type = Add();
  type->scalar = Type::Scalar::kAny;
  type->list.emplace().items = type;
  type->map.emplace().atomic = true;
  type->map->others = type;
  return untyped_ = type;
}

const Type* TypeBuilder::Deduced() {
  if (deduced_ != nullptr) return deduced_;
  Type* type = Add();
  type->scalar = Type::Scalar::kAny;
  type->list.emplace().items = Untyped();
  type->map.emplace().others = type;
  type->map->deduced = true;
  return deduced_ = type;
}

const Type* TypeBuilder::ForCustomResource(const Node& root) {
  root_ = &root;
  return ForNode(root, Unknown::kRefuse);
}

void TypeBuilder::AddObjectFields(MapType& map) {
  map.fields.insert_or_assign("apiVersion", MapField{Scalar(Type::Scalar::kText), {}});
  map.fields.insert_or_assign("kind", MapField{Scalar(Type::Scalar::kText), {}});
  map.fields.insert_or_assign("metadata", MapField{ForStruct(schema::ObjectMetaType()), {}});
  map.deduced = false;
}

const Type* TypeBuilder::ForNode(const Node& node, Unknown unknown) {
  if (node.preserve_unknown_fields) unknown = Unknown::kKeep;
  Type* type = Add();
  type->scalar = ScalarOf(node);
  const bool any = node.type == schema::Type::kNone || node.type == schema::Type::kIntOrString;
  if (any || node.type == schema::Type::kArray) type->list = ListOf(node, unknown);
  if (any || node.type == schema::Type::kObject) type->map = MapOf(node, unknown);
  return type;
}

ListType TypeBuilder::ListOf(const Node& node, Unknown unknown) {
  ListType list;
  list.items = node.items ? ForNode(*node.items, unknown) : Untyped();
  list.atomic = node.list_type == schema::ListType::kAtomic;
  if (node.list_type == schema::ListType::kMap) list.keys = node.list_map_keys;
  return list;
}

MapType TypeBuilder::MapOf(const Node& node, Unknown unknown) {
  MapType map;
  map.atomic = node.map_type == schema::MapType::kAtomic;
  map.others = OthersOf(node, unknown);
  for (const auto& [name, property] : node.properties) {
    map.fields.emplace(name, MapField{ForNode(property, unknown), property.default_value});
  }
  map.deduced = map.fields.empty() && map.others != nullptr && map.others != untyped_ &&
                map.others->scalar == Type::Scalar::kAny;
  if (IsObject(node)) AddObjectFields(map);
  return map;
}

const Type* TypeBuilder::OthersOf(const Node& node, Unknown unknown) {
  if (node.additional_properties) return ForNode(*node.additional_properties, unknown);
  if (node.additional_properties_allowed) return *node.additional_properties_allowed ? Deduced() : nullptr;
  // A place without any properties is one of free form.
  const bool free_form = node.properties.empty() && !IsObject(node);
  return unknown == Unknown::kKeep || free_form ? Deduced() : nullptr;
}

const Type* TypeBuilder::ForStruct(const schema::TypedStruct& structure) {
  if (const auto known = structs_.find(&structure); known != structs_.end()) return known->second;
  Type* type = Add();
  structs_.emplace(&structure, type);  // before its fields: they may lead back to it
  MapType map;
  map.atomic = IsAtomicStruct(structure.go_name);
  for (const schema::TypedField& field : structure.fields) {
    MapField declared{ForField(field.type, structure.go_name + "." + field.name), {}};
    const bool required_text =
        field.type.kind == schema::TypedType::Kind::kText && field.omit == schema::TypedField::Omit::kNever;
    if (required_text) declared.default_value = "";
    map.fields.emplace(field.name, std::move(declared));
  }
  if (structure.fields.empty()) map.others = Deduced();
  type->map = std::move(map);
  return type;
}

const Type* TypeBuilder::ForField(const schema::TypedType& type, const std::string& place) {
  using Kind = schema::TypedType::Kind;
  switch (type.kind) {
    case Kind::kText:
    case Kind::kBytes:
      return Scalar(Type::Scalar::kText);
    case Kind::kBoolean:
      return Scalar(Type::Scalar::kBoolean);
    case Kind::kInteger32:
    case Kind::kInteger64:
    case Kind::kFloat64:
      return Scalar(Type::Scalar::kNumeric);
    case Kind::kTime:
    case Kind::kMicroTime:
      return Scalar(Type::Scalar::kAny);
    case Kind::kRaw:
    case Kind::kChoice:
      return Deduced();
    case Kind::kStruct:
      return ForStruct(*type.structure);
    case Kind::kList: {
      Type* list = Add();
      list->list = GranularOr(place, {true, {}, ForField(*type.element, place)});
      return list;
    }
    case Kind::kMap: {
      Type* map = Add();
      map->map.emplace().others = ForField(*type.element, place);
      return map;
    }
  }
  return Deduced();
}

}  // namespace annex::ownership
