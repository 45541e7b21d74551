#include "annex/ownership/object_type.h"

#include "type_builder.h"

namespace annex::ownership {

const MapField* Type::FindField(std::string_view name) const {
  if (!map) return nullptr;
  const auto found = map->fields.find(name);
  return found == map->fields.end() ? nullptr : &found->second;
}

const Type* Type::Below(std::string_view name) const {
  const MapField* field = FindField(name);
  if (field != nullptr) return field->type;
  return map ? map->others : nullptr;
}

ObjectType::ObjectType(const schema::Node& schema) : root_(TypeBuilder(types_).ForCustomResource(schema)) {}

ObjectType::ObjectType(const schema::TypedStruct& structure)
    : root_(TypeBuilder(types_).ForStruct(structure)) {}

}  // namespace annex::ownership
