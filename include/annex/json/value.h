// Value: a JSON document in memory, and the few look-ups that every layer needs.
//
// Objects keep their keys in bytewise order, as Go's encoder writes maps. Integers within int64 are integers;
// every other number is a double (as Kubernetes' unstructured objects have it), so number_unsigned never
// occurs in a Value that Parse made.
//
// Thread rule: a value type.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace annex::json {

using Value = nlohmann::json;

// The member `key` of an object; nullptr if `value` is no object or has no such member.
const Value* Find(const Value& value, std::string_view key);
Value* Find(Value& value, std::string_view key);

// Follows object members: FindPath(crd, {"spec", "names", "kind"}).
const Value* FindPath(const Value& value, std::initializer_list<std::string_view> path);

// The text at a path; "" if it is missing or no string. The reference lives as long as `value` is unchanged.
const std::string& TextAt(const Value& value, std::initializer_list<std::string_view> path);

// The boolean at a path; false if it is missing or no boolean.
bool FlagAt(const Value& value, std::initializer_list<std::string_view> path);

// The integer at a path; `otherwise` if it is missing or no integer.
std::int64_t IntegerAt(const Value& value, std::initializer_list<std::string_view> path,
                       std::int64_t otherwise = 0);

// The items of the array at a path; an empty array if it is missing or no array.
const Value::array_t& ItemsAt(const Value& value, std::initializer_list<std::string_view> path);

// Whether a double holds a whole number within int64 and so prints and counts as an integer (1.0, 1e3).
bool IsWholeNumber(double number);

// The name that kube-apiserver's messages give to a value's type: null, boolean, integer, number, string,
// array, object.
std::string_view TypeName(const Value& value);

}  // namespace annex::json
