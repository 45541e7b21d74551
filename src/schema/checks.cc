// k8s.io/kube-openapi/pkg/validation/validate: type.go, validator.go, values.go.
#include "checks.h"

#include "annex/base/strings.h"
#include "compare.h"
#include "numbers.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace annex::schema {
namespace {

using json::Value;

bool IsNumeric(Type type) {
  return type == Type::kInteger || type == Type::kNumber || type == Type::kIntOrString;
}

// Whether the type alone admits the value. An integer is a number; a double may pass as an integer.
bool Admits(Type type, const Value& value) {
  switch (value.type()) {
    case Value::value_t::object:
      return type == Type::kObject;
    case Value::value_t::array:
      return type == Type::kArray;
    case Value::value_t::string:
      return type == Type::kText || type == Type::kIntOrString;
    case Value::value_t::boolean:
      return type == Type::kBoolean;
    case Value::value_t::number_integer:
    case Value::value_t::number_unsigned:
      return IsNumeric(type);
    case Value::value_t::number_float:
      if (type == Type::kNumber) return true;
      return (type == Type::kInteger || type == Type::kIntOrString) && PassesAsInteger(value.get<double>());
    case Value::value_t::null:
    case Value::value_t::binary:
    case Value::value_t::discarded:
      return false;
  }
  return false;
}

// What Go makes of a number that is converted to a string: the character with that code.
std::string CharacterOf(std::int64_t code) {
  constexpr std::int64_t kLargest = 0x10FFFF;
  const bool valid = code >= 0 && code <= kLargest && (code < 0xD800 || code > 0xDFFF);
  std::string text;
  base::AppendUtf8(text, valid ? static_cast<char32_t>(code) : U'\uFFFD');
  return text;
}

bool IsInteger(const Value& value) {
  return value.is_number() && !value.is_number_float();
}

bool EqualsConverted(const Value& value, const Value& allowed) {
  if (allowed.is_null()) return false;
  if (IsInteger(value)) {
    const auto integer = value.get<std::int64_t>();
    if (allowed.is_string()) return allowed.get_ref<const std::string&>() == CharacterOf(integer);
    if (allowed.is_number_float()) return static_cast<double>(integer) == allowed.get<double>();
  } else if (value.is_number_float() && IsInteger(allowed)) {
    return TruncateToInt64(value.get<double>()) == allowed.get<std::int64_t>();
  }
  return IsSameValue(value, allowed);
}

}  // namespace

std::string_view TypeText(Type type) {
  switch (type) {
    case Type::kNone:
      return "";
    case Type::kObject:
      return "object";
    case Type::kArray:
      return "array";
    case Type::kText:
      return "string";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kBoolean:
      return "boolean";
    case Type::kIntOrString:
      return "integer,string";
  }
  return "";
}

bool FitsType(const Node& node, const Value& value) {
  if (node.validations.format.empty()) return node.type == Type::kNone || Admits(node.type, value);
  if ((value.is_string() || value.is_array()) && !IsNumeric(node.type)) return true;
  return Admits(node.type, value);
}

TypeMismatch ExplainType(const Node& node, const Value& value) {
  const std::string& format = node.validations.format;
  if (format.empty() || value.is_string() || value.is_array())
    return {TypeText(node.type), json::TypeName(value)};
  // With a format the complaint is about the format, and about the one that Go's type has by itself.
  if (value.is_number()) return {format, value.is_number_float() ? "float64" : "int64"};
  return {format, ""};
}

bool AllowsNull(const Node& node) {
  return node.type == Type::kNone || node.nullable;
}

bool FitsEnumeration(const Validations& validations, const Value& value) {
  const auto& allowed = validations.enumeration;
  if (allowed.empty()) return true;
  if (value.is_null()) return false;
  if (value.is_string() && !validations.enumerated_texts.empty()) {
    return std::binary_search(validations.enumerated_texts.begin(), validations.enumerated_texts.end(),
                              std::string_view(value.get_ref<const std::string&>()));
  }
  return std::any_of(allowed.begin(), allowed.end(),
                     [&value](const Value& candidate) { return EqualsConverted(value, candidate); });
}

bool FitsMaxLength(const Validations& validations, std::string_view text) {
  if (!validations.max_length) return true;
  // A character has one byte at least, so most texts need not be counted.
  if (!ExceedsLimit(text.size(), validations.max_length)) return true;
  return !ExceedsLimit(base::CountCodePoints(text), validations.max_length);
}

bool FitsMinLength(const Validations& validations, std::string_view text) {
  if (!UndercutsLimit(text.size() / 4, validations.min_length)) return true;
  return !UndercutsLimit(base::CountCodePoints(text), validations.min_length);
}

bool FitsMaximum(const Validations& validations, const Value& number) {
  const double max = *validations.maximum;
  if (IsInteger(number)) {
    const auto value = number.get<std::int64_t>();
    const std::int64_t limit = TruncateToInt64(max);
    return validations.exclusive_maximum ? value < limit : value <= limit;
  }
  const auto value = number.get<double>();
  return validations.exclusive_maximum ? value < max : value <= max;
}

bool FitsMinimum(const Validations& validations, const Value& number) {
  const double min = *validations.minimum;
  if (IsInteger(number)) {
    const auto value = number.get<std::int64_t>();
    const std::int64_t limit = TruncateToInt64(min);
    return validations.exclusive_minimum ? value > limit : value >= limit;
  }
  const auto value = number.get<double>();
  return validations.exclusive_minimum ? value > min : value >= min;
}

bool FitsMultipleOf(double factor, const Value& number) {
  if (IsInteger(number)) {
    const std::int64_t whole = TruncateToInt64(factor);
    return whole > 0 && number.get<std::int64_t>() % whole == 0;
  }
  if (factor <= 0) return false;
  const auto value = number.get<double>();
  return PassesAsInteger(factor < 1 ? 1 / factor * value : value / factor);
}

bool HasUniqueItems(const Value::array_t& items) {
  std::unordered_set<std::string> seen;
  return std::all_of(items.begin(), items.end(),
                     [&seen](const Value& item) { return seen.insert(ValueKey(item)).second; });
}

bool ExceedsLimit(std::size_t count, const std::optional<std::int64_t>& max) {
  return max && static_cast<std::int64_t>(count) > *max;
}

bool UndercutsLimit(std::size_t count, const std::optional<std::int64_t>& min) {
  return min && static_cast<std::int64_t>(count) < *min;
}

}  // namespace annex::schema
