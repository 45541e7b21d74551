#include "annex/json/write.h"
#include "annex/schema/typed.h"

#include <algorithm>

namespace annex::schema {
namespace {

using Kind = TypedType::Kind;
using json::Value;

void AppendValue(std::string& out, const Value& value, const TypedType& type);

void AppendList(std::string& out, const Value& list, const TypedType& element) {
  out += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    AppendValue(out, list[i], element);
  }
  out += ']';
}

void AppendMap(std::string& out, const Value& map, const TypedType& element) {
  out += '{';
  bool first = true;
  for (const auto& [key, member] : map.get_ref<const Value::object_t&>()) {
    if (!first) out += ',';
    first = false;
    json::AppendJsonString(out, key);
    out += ':';
    AppendValue(out, member, element);
  }
  out += '}';
}

// What the choice is, which the value's own kind tells.
const TypedType* Chosen(const Value& value, const TypedType& choice) {
  const auto at =
      std::find_if(choice.alternatives.begin(), choice.alternatives.end(), [&](const TypedType& type) {
        return (type.kind == Kind::kStruct && value.is_object()) ||
               (type.kind == Kind::kList && value.is_array());
      });
  return at == choice.alternatives.end() ? nullptr : &*at;
}

void AppendValue(std::string& out, const Value& value, const TypedType& type) {
  if (type.kind == Kind::kStruct && value.is_object()) return AppendTyped(out, value, *type.structure);
  if (type.kind == Kind::kList && value.is_array()) return AppendList(out, value, *type.element);
  if (type.kind == Kind::kMap && value.is_object()) return AppendMap(out, value, *type.element);
  if (type.kind == Kind::kChoice) {
    if (const TypedType* chosen = Chosen(value, type)) return AppendValue(out, value, *chosen);
  }
  json::AppendJson(out, value);
}

}  // namespace

std::vector<TypedMember> MembersInOrder(const Value& object, const TypedStruct& structure) {
  const auto& members = object.get_ref<const Value::object_t&>();
  std::vector<TypedMember> ordered;
  ordered.reserve(members.size());
  for (const std::size_t index : structure.order) {
    const TypedField& field = structure.fields[index];
    const auto member = members.find(field.name);
    if (member != members.end()) ordered.push_back({member->first, &member->second, &field.type});
  }
  if (ordered.size() == members.size()) return ordered;
  for (const auto& [name, value] : members) {
    const bool known = std::any_of(structure.fields.begin(), structure.fields.end(),
                                   [&name = name](const TypedField& field) { return field.name == name; });
    if (!known) ordered.push_back({name, &value, nullptr});
  }
  return ordered;
}

void AppendTyped(std::string& out, const TypedMember& member) {
  if (member.type == nullptr) return json::AppendJson(out, *member.value);
  AppendValue(out, *member.value, *member.type);
}

void AppendTyped(std::string& out, const Value& value, const TypedStruct& structure) {
  if (!value.is_object()) return json::AppendJson(out, value);
  out += '{';
  bool first = true;
  for (const TypedMember& member : MembersInOrder(value, structure)) {
    if (!first) out += ',';
    first = false;
    json::AppendJsonString(out, member.name);
    out += ':';
    AppendTyped(out, member);
  }
  out += '}';
}

}  // namespace annex::schema
