#include "openapi_schema.h"

#include <algorithm>
#include <string_view>

namespace annex::api {
namespace {

using json::Value;

constexpr std::string_view kV3Prefix = "#/components/schemas/";
constexpr std::string_view kV2Prefix = "#/definitions/";

void EraseRequired(Value& schema, const std::string& name) {
  Value* required = json::Find(schema, "required");
  if (required == nullptr || !required->is_array()) return;
  auto& names = required->get_ref<Value::array_t&>();
  names.erase(std::remove(names.begin(), names.end(), Value(name)), names.end());
  if (names.empty()) schema.erase("required");
}

void EraseMembers(Value& schema, std::initializer_list<const char*> keys) {
  for (const char* key : keys) schema.erase(key);
}

// What one node of a schema loses; its children are still in v3 form.
void ReduceNode(Value& schema) {
  EraseMembers(schema, {"allOf", "anyOf", "oneOf", "not", "default"});
  // kubectl refuses fields that a schema does not list, and null where it has a type.
  if (json::FlagAt(schema, {"nullable"})) EraseMembers(schema, {"nullable", "type", "items", "properties"});
  const bool open = json::FlagAt(schema, {"x-kubernetes-preserve-unknown-fields"});
  if (open) EraseMembers(schema, {"items", "properties"});
  const std::string& type = json::TextAt(schema, {"type"});
  // kubectl cannot read an array without items.
  if ((type == "array" && !schema.contains("items")) || (type == "object" && open)) schema.erase("type");
  if (const Value* properties = json::Find(schema, "properties")) {
    for (const auto& [name, property] : properties->get_ref<const Value::object_t&>()) {
      if (json::FlagAt(property, {"nullable"})) EraseRequired(schema, name);
    }
  }
  if (json::FlagAt(schema, {"additionalProperties", "nullable"})) schema.erase("required");
}

template <typename Change>
void ForEachChild(Value& schema, Change change) {
  if (Value* properties = json::Find(schema, "properties")) {
    for (auto& [name, property] : properties->get_ref<Value::object_t&>()) change(property);
  }
  for (const char* key : {"items", "additionalProperties"}) {
    Value* child = json::Find(schema, key);
    if (child != nullptr && child->is_object()) change(*child);
  }
}

// Brings a reference to the form that v2 has it in: "allOf" around it only keeps v3 from having members
// beside it.
void RestoreReference(Value& schema) {
  schema.erase("default");
  const auto& wrapped = json::ItemsAt(schema, {"allOf"});
  if (wrapped.size() == 1 && wrapped.front().contains("$ref")) {
    const std::string target = json::TextAt(wrapped.front(), {"$ref"});
    schema.erase("allOf");
    schema["$ref"] = target;
  }
  if (const std::string& target = json::TextAt(schema, {"$ref"}); target.starts_with(kV3Prefix)) {
    schema["$ref"] = std::string(kV2Prefix) + target.substr(kV3Prefix.size());
  }
  ForEachChild(schema, RestoreReference);
}

}  // namespace

void ReduceToV2(Value& schema) {
  ReduceNode(schema);
  ForEachChild(schema, ReduceToV2);
}

Value SharedTypeV2(const Value& schema) {
  Value reduced = schema;
  RestoreReference(reduced);
  return reduced;
}

Value OpenApiReference(const std::string& type_name, OpenApiVersion form) {
  return {{"$ref", std::string(form == OpenApiVersion::kV2 ? kV2Prefix : kV3Prefix) + type_name}};
}

}  // namespace annex::api
