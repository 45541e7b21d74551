#include "nested_field.h"

#include "annex/json/float_text.h"
#include "annex/json/write.h"
#include "status_text.h"

#include <cstddef>

namespace annex::api {
namespace {

using json::Value;

const char* GoType(const Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  if (value.is_boolean()) return "bool";
  if (value.is_string()) return "string";
  return value.is_number_integer() ? "int64" : "float64";
}

// As Go's %v: map[a:1 b:[x y]].
void AppendGoText(std::string& text, const Value& value) {
  if (value.is_null()) {
    text += "<nil>";
  } else if (value.is_string()) {
    text += value.get_ref<const std::string&>();
  } else if (value.is_array()) {
    text += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i != 0) text += ' ';
      AppendGoText(text, value[i]);
    }
    text += ']';
  } else if (value.is_object()) {
    text += "map[";
    bool first = true;
    for (const auto& [key, member] : value.get_ref<const Value::object_t&>()) {
      if (!first) text += ' ';
      first = false;
      text.append(key).append(":");
      AppendGoText(text, member);
    }
    text += ']';
  } else if (value.is_number_float()) {
    json::AppendFloat(text, value.get<double>());
  } else {
    json::AppendJson(text, value);
  }
}

std::string Problem(const definition::KeyPath& path, std::size_t keys, const Value& value,
                    const char* wanted) {
  std::string text;
  for (std::size_t i = 0; i < keys; ++i) text.append(".").append(path[i]);
  text += " accessor error: ";
  AppendGoText(text, value);
  return text.append(" is of the type ").append(GoType(value)).append(", expected ").append(wanted);
}

}  // namespace

base::Result<const Value*> NestedField(const Value& object, const definition::KeyPath& path) {
  const Value* current = &object;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (current->is_null()) return nullptr;
    if (!current->is_object())
      return base::Error(Unspecified(Problem(path, i + 1, *current, "map[string]interface{}")));
    const auto& members = current->get_ref<const Value::object_t&>();
    const auto found = members.find(path[i]);
    if (found == members.end()) return nullptr;
    current = &found->second;
  }
  return current;
}

std::string AccessorProblem(const definition::KeyPath& path, const Value& value, const char* wanted) {
  return Problem(path, path.size(), value, wanted);
}

}  // namespace annex::api
