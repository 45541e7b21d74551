// pkg/apiserver/schema/defaulting/algorithm.go.
#include "default.h"

namespace annex::schema {
namespace {

using json::Value;

bool IsForbiddenNull(const Value& value, const Node& node) {
  return value.is_null() && !node.nullable;
}

void SetDefaultOf(Value& value, const Node& node) {
  if (IsForbiddenNull(value, node) && node.default_value) value = *node.default_value;
}

void SetMissing(Value::object_t& members, const Node& node) {
  for (const auto& [name, property] : node.properties) {
    if (!property.default_value) continue;
    const auto [member, missing] = members.try_emplace(name);
    if (missing) {
      member->second = *property.default_value;
    } else {
      SetDefaultOf(member->second, property);
    }
  }
}

}  // namespace

void SetDefaults(Value& value, const Node& node) {
  if (!node.defaults_below) return;
  if (value.is_object()) {
    auto& members = value.get_ref<Value::object_t&>();
    SetMissing(members, node);
    for (auto& [name, member] : members) {
      const auto property = node.properties.find(name);
      if (property != node.properties.end()) {
        SetDefaults(member, property->second);
      } else if (node.additional_properties) {
        SetDefaultOf(member, *node.additional_properties);
        SetDefaults(member, *node.additional_properties);
      }
    }
  } else if (value.is_array() && node.items) {
    for (Value& item : value.get_ref<Value::array_t&>()) {
      SetDefaultOf(item, *node.items);
      SetDefaults(item, *node.items);
    }
  }
}

}  // namespace annex::schema
