#include "typed_build.h"

#include <algorithm>

namespace annex::schema::build {
namespace {

TypedType Scalar(TypedType::Kind kind, std::string go_name) {
  TypedType type;
  type.kind = kind;
  type.go_name = std::move(go_name);
  return type;
}

TypedType Container(TypedType::Kind kind, std::string go_name, TypedType element) {
  TypedType type = Scalar(kind, std::move(go_name));
  type.element = std::make_shared<const TypedType>(std::move(element));
  return type;
}

}  // namespace

TypedType Text(std::string go_name) {
  return Scalar(TypedType::Kind::kText, std::move(go_name));
}
TypedType Boolean() {
  return Scalar(TypedType::Kind::kBoolean, "bool");
}
TypedType Integer32() {
  return Scalar(TypedType::Kind::kInteger32, "int32");
}
TypedType Integer64() {
  return Scalar(TypedType::Kind::kInteger64, "int64");
}
TypedType Float64() {
  return Scalar(TypedType::Kind::kFloat64, "float64");
}
TypedType Time() {
  return Scalar(TypedType::Kind::kTime, "v1.Time");
}
TypedType Raw(std::string go_name) {
  return Scalar(TypedType::Kind::kRaw, std::move(go_name));
}
TypedType Bytes() {
  return Scalar(TypedType::Kind::kBytes, "[]uint8");
}

TypedType ListOf(TypedType element) {
  std::string go_name = "[]" + element.go_name;
  return Container(TypedType::Kind::kList, std::move(go_name), std::move(element));
}

TypedType MapOf(TypedType element) {
  std::string go_name = "map[string]" + element.go_name;
  return Container(TypedType::Kind::kMap, std::move(go_name), std::move(element));
}

TypedType StructOf(const TypedStruct& structure) {
  TypedType type = Scalar(TypedType::Kind::kStruct, structure.go_package + "." + structure.go_name);
  type.structure = &structure;
  return type;
}

TypedType Choice(std::string go_name, std::vector<TypedType> alternatives, std::string mismatch) {
  TypedType type = Scalar(TypedType::Kind::kChoice, std::move(go_name));
  type.alternatives = std::move(alternatives);
  type.mismatch = std::move(mismatch);
  return type;
}

TypedType Pointer(TypedType type) {
  type.pointer = true;
  return type;
}

TypedType Named(std::string go_name, TypedType type) {
  type.go_name = std::move(go_name);
  return type;
}

TypedStruct Make(std::string go_name, std::vector<TypedField> fields) {
  TypedStruct structure{std::move(go_name), "v1", {}, {}};
  std::vector<std::string> declared;
  declared.reserve(fields.size());
  for (const TypedField& field : fields) declared.push_back(field.name);
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const std::string& name : declared) {
    const auto at = std::find_if(fields.begin(), fields.end(),
                                 [&name](const TypedField& field) { return field.name == name; });
    structure.order.push_back(static_cast<std::size_t>(at - fields.begin()));
  }
  structure.fields = std::move(fields);
  return structure;
}

std::vector<TypedField> WithTypeMeta(std::vector<TypedField> fields) {
  fields.insert(fields.begin(), {{"kind", Text()}, {"apiVersion", Text()}});
  return fields;
}

}  // namespace annex::schema::build
