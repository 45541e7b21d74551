// Shape: which of the forms that a type allows are meant by a value.
//
// A value of an allowed form chooses that form; null, and a value of a form that the type does not allow,
// choose none and leave all of them open.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"
#include "annex/ownership/object_type.h"

#include <cstdint>

namespace annex::ownership {

enum class Form : std::uint8_t { kMap, kScalar, kList, kNone };

struct Shape {
  bool map = false;
  bool scalar = false;
  bool list = false;
  bool operator==(const Shape&) const = default;

  // The form to go by where several are open.
  Form First() const {
    if (map) return Form::kMap;
    if (scalar) return Form::kScalar;
    return list ? Form::kList : Form::kNone;
  }
};

// `value` may be nullptr: all that the type allows.
inline Shape ShapeOf(const Type& type, const json::Value* value) {
  const Shape all{type.map.has_value(), type.scalar != Type::Scalar::kNone, type.list.has_value()};
  if (value == nullptr || value->is_null()) return all;
  if (value->is_object()) return all.map ? Shape{true, false, false} : all;
  if (value->is_array()) return all.list ? Shape{false, false, true} : all;
  return all.scalar ? Shape{false, true, false} : all;
}

// The members or items of a value that is an object or array; nullptr for anything else and for nullptr.
inline const json::Value::object_t* MembersOf(const json::Value* value) {
  return value != nullptr && value->is_object() ? &value->get_ref<const json::Value::object_t&>() : nullptr;
}
inline const json::Value::array_t* ItemsOf(const json::Value* value) {
  return value != nullptr && value->is_array() ? &value->get_ref<const json::Value::array_t&>() : nullptr;
}

// Calls visit(key, left, right) for each key of either object, in order; nullptr stands for a side without
// it. Both objects may be nullptr.
template <typename Visit>
void ZipMembers(const json::Value::object_t* left, const json::Value::object_t* right, Visit visit) {
  static const json::Value::object_t kNone;
  if (left == nullptr) left = &kNone;
  if (right == nullptr) right = &kNone;
  auto l = left->begin();
  auto r = right->begin();
  while (l != left->end() || r != right->end()) {
    int order = 0;
    if (l == left->end()) {
      order = 1;
    } else if (r == right->end()) {
      order = -1;
    } else {
      order = l->first.compare(r->first);
    }
    visit(order <= 0 ? l->first : r->first, order <= 0 ? &l->second : nullptr,
          order >= 0 ? &r->second : nullptr);
    if (order <= 0) ++l;
    if (order >= 0) ++r;
  }
}

}  // namespace annex::ownership
