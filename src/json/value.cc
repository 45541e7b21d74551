#include "annex/json/value.h"

#include <cmath>

namespace annex::json {

const Value* Find(const Value& value, std::string_view key) {
  if (!value.is_object()) return nullptr;
  const auto& object = value.get_ref<const Value::object_t&>();
  const auto member = object.find(key);
  return member == object.end() ? nullptr : &member->second;
}

Value* Find(Value& value, std::string_view key) {
  return const_cast<Value*>(Find(static_cast<const Value&>(value), key));
}

const Value* FindPath(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* current = &value;
  for (const std::string_view key : path) {
    current = Find(*current, key);
    if (current == nullptr) return nullptr;
  }
  return current;
}

const std::string& TextAt(const Value& value, std::initializer_list<std::string_view> path) {
  static const std::string kNone;
  const Value* found = FindPath(value, path);
  return found != nullptr && found->is_string() ? found->get_ref<const std::string&>() : kNone;
}

bool FlagAt(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* found = FindPath(value, path);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

std::int64_t IntegerAt(const Value& value, std::initializer_list<std::string_view> path,
                       std::int64_t otherwise) {
  const Value* found = FindPath(value, path);
  return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

const Value::array_t& ItemsAt(const Value& value, std::initializer_list<std::string_view> path) {
  static const Value::array_t kNone;
  const Value* found = FindPath(value, path);
  return found != nullptr && found->is_array() ? found->get_ref<const Value::array_t&>() : kNone;
}

bool IsWholeNumber(double number) {
  // 2^63 itself is not within int64; -2^63 is.
  constexpr double kLimit = 9223372036854775808.0;
  return number >= -kLimit && number < kLimit && std::trunc(number) == number;
}

std::string_view TypeName(const Value& value) {
  switch (value.type()) {
    case Value::value_t::boolean:
      return "boolean";
    case Value::value_t::number_integer:
    case Value::value_t::number_unsigned:
      return "integer";
    case Value::value_t::number_float:
      return "number";
    case Value::value_t::string:
      return "string";
    case Value::value_t::array:
      return "array";
    case Value::value_t::object:
      return "object";
    case Value::value_t::null:
    case Value::value_t::binary:
    case Value::value_t::discarded:
      return "null";
  }
  return "null";
}

}  // namespace annex::json
