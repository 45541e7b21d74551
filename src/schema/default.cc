// pkg/apiserver/schema/defaulting/algorithm.go.
#include "default.h"

#include <string>

namespace annex::schema {
namespace {

using json::Value;

// About as many bytes as a value takes as JSON.
std::size_t SizeOf(const Value& value) {
  constexpr std::size_t kScalar = 8;
  constexpr std::size_t kPunctuation = 2;
  std::size_t size = kPunctuation;
  if (value.is_string()) return size + value.get_ref<const std::string&>().size();
  if (value.is_array()) {
    for (const Value& item : value.get_ref<const Value::array_t&>()) size += SizeOf(item) + kPunctuation;
    return size;
  }
  if (!value.is_object()) return kScalar;
  for (const auto& [name, member] : value.get_ref<const Value::object_t&>())
    size += name.size() + SizeOf(member) + 2 * kPunctuation;
  return size;
}

// Sets the defaults of one object as long as there is room for them.
class Defaulter {
 public:
  // False if there was no room.
  bool Below(Value& value, const Node& node) {
    if (!node.defaults_below) return true;
    if (value.is_object()) return InObject(value.get_ref<Value::object_t&>(), node);
    if (!value.is_array() || !node.items) return true;
    for (Value& item : value.get_ref<Value::array_t&>()) {
      if (!InPlaceOfNull(item, *node.items) || !Below(item, *node.items)) return false;
    }
    return true;
  }

 private:
  bool Set(Value& place, const Node& node) {
    const std::size_t size = SizeOf(*node.default_value);
    if (size > left_) return false;
    left_ -= size;
    place = *node.default_value;
    return true;
  }

  bool InPlaceOfNull(Value& value, const Node& node) {
    const bool forbidden = value.is_null() && !node.nullable;
    return !forbidden || !node.default_value || Set(value, node);
  }

  bool SetMissing(Value::object_t& members, const Node& node) {
    for (const auto& [name, property] : node.properties) {
      if (!property.default_value) continue;
      const auto [member, missing] = members.try_emplace(name);
      if (!(missing ? Set(member->second, property) : InPlaceOfNull(member->second, property))) return false;
    }
    return true;
  }

  bool InObject(Value::object_t& members, const Node& node) {
    if (!SetMissing(members, node)) return false;
    for (auto& [name, member] : members) {
      const auto property = node.properties.find(name);
      if (property != node.properties.end()) {
        if (!Below(member, property->second)) return false;
      } else if (node.additional_properties) {
        const Node& any = *node.additional_properties;
        if (!InPlaceOfNull(member, any) || !Below(member, any)) return false;
      }
    }
    return true;
  }

  std::size_t left_ = kMaxDefaultBytes;
};

}  // namespace

base::Result<void> SetDefaults(Value& value, const Node& node) {
  if (Defaulter().Below(value, node)) return {};
  return base::Error(base::Reason::kRequestEntityTooLarge, "the default values of the schema add more than " +
                                                               std::to_string(kMaxDefaultBytes) +
                                                               " bytes to the object");
}

}  // namespace annex::schema
