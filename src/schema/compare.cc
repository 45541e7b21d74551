#include "compare.h"

#include "annex/json/write.h"

#include <algorithm>

namespace annex::schema {
namespace {

using json::Value;

// Walks both values; `same_scalar` decides for everything that is neither array nor object.
template <typename SameScalar>
bool Compare(const Value& a, const Value& b, const SameScalar& same_scalar) {
  if (a.is_object() && b.is_object()) {
    const auto& left = a.get_ref<const Value::object_t&>();
    const auto& right = b.get_ref<const Value::object_t&>();
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(), [&](const auto& x, const auto& y) {
             return x.first == y.first && Compare(x.second, y.second, same_scalar);
           });
  }
  if (a.is_array() && b.is_array()) {
    const auto& left = a.get_ref<const Value::array_t&>();
    const auto& right = b.get_ref<const Value::array_t&>();
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(),
                      [&](const auto& x, const auto& y) { return Compare(x, y, same_scalar); });
  }
  return !a.is_structured() && !b.is_structured() && same_scalar(a, b);
}

bool IsSameScalar(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_number_float() != b.is_number_float()) return false;
    return a.is_number_float() ? a.get<double>() == b.get<double>()
                               : a.get<std::int64_t>() == b.get<std::int64_t>();
  }
  return a.type() == b.type() && a == b;
}

bool IsSameScalarText(const Value& a, const Value& b) {
  if (IsSameScalar(a, b)) return true;
  return a.is_number() && b.is_number() && json::ToJson(a) == json::ToJson(b);
}

// Marks doubles apart from integers.
void AppendKey(std::string& key, const Value& value) {
  if (value.is_object()) {
    key += '{';
    for (const auto& [name, member] : value.get_ref<const Value::object_t&>()) {
      json::AppendJsonString(key, name);
      AppendKey(key, member);
    }
    key += '}';
  } else if (value.is_array()) {
    key += '[';
    for (const Value& item : value.get_ref<const Value::array_t&>()) {
      AppendKey(key, item);
      key += ',';
    }
    key += ']';
  } else {
    if (value.is_number_float()) key += 'f';
    json::AppendJson(key, value);
  }
}

}  // namespace

bool IsSameValue(const Value& a, const Value& b) {
  return Compare(a, b, IsSameScalar);
}
bool IsSameJson(const Value& a, const Value& b) {
  return Compare(a, b, IsSameScalarText);
}

std::string ValueKey(const Value& value) {
  std::string key;
  AppendKey(key, value);
  return key;
}

}  // namespace annex::schema
