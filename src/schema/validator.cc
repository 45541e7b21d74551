// k8s.io/kube-openapi/pkg/validation/validate: schema.go, object_validator.go, slice_validator.go,
// validator.go; ratcheting as in pkg/apiserver/validation/ratcheting.go.
//
// Match counts follow upstream's Result exactly: each check that applies counts one, the type check, the
// branches, numbers and arrays count one more of their own when they do not fail early, and a value counts
// one at its end.
#include "validator.h"

#include "checks.h"
#include "numbers.h"

#include <string>

namespace annex::schema {
namespace {

using json::Value;

bool IsTypeMeta(std::string_view field) {
  return field == "apiVersion" || field == "kind";
}

// The old value of a field. Those of apiVersion and kind at the root are not what they were: both objects
// have been converted.
Correlated* FieldOf(Correlated* correlated, const PathFrame& at, std::string_view field) {
  if (correlated == nullptr || (at.kind == PathFrame::Kind::kRoot && IsTypeMeta(field))) return nullptr;
  return correlated->Key(field);
}

// A limit as messages show it: a number of the type of the value.
std::string ShowLimit(double limit, const Value& value) {
  return json::ShowValue(value.is_number_float() ? Value(limit) : Value(TruncateToInt64(limit)));
}

}  // namespace

std::int64_t Validator::Validate(const Node& node, const Value& value, const PathFrame& at,
                                 Correlated* correlated) {
  const Failures::Mark mark = failures_.mark();
  const std::int64_t matches = ValidateAll(node, value, at, correlated);
  if (correlated != nullptr && failures_.AnySince(mark) && correlated->IsUnchanged())
    failures_.RollBack(mark);
  return matches;
}

std::int64_t Validator::ValidateAll(const Node& node, const Value& value, const PathFrame& at,
                                    Correlated* correlated) {
  const Validations& rules = node.validations;
  if (value.is_null()) return ValidateNull(node, at);
  std::int64_t matches = ValidateType(node, value, at);
  matches += ValidateBranches(node, value, at) + 1;
  if (value.is_string()) {
    ValidateText(rules, value, at);
    matches += rules.format_check == nullptr ? 1 : 2;
  } else if (value.is_number()) {
    ValidateNumber(rules, value, at);
    matches += 2;
  } else if (value.is_array()) {
    matches += ValidateArray(node, value, at, correlated) + 2;
  }
  if (!FitsEnumeration(rules, value)) failures_.AddNotAllowedValue(at, value, rules.enumeration);
  if (value.is_object()) matches += ValidateObject(node, value, at, correlated) + 1;
  // The check of allowed values applies to everything, and then there is the value itself.
  return matches + 2;
}

std::int64_t Validator::ValidateNull(const Node& node, const PathFrame& at) {
  const bool allowed = AllowsNull(node);
  if (!allowed) failures_.AddType(at, TypeText(node.type), "null");
  if (!node.validations.enumeration.empty())
    failures_.AddNotAllowedValue(at, nullptr, node.validations.enumeration);
  return allowed ? 1 : 0;
}

std::int64_t Validator::ValidateType(const Node& node, const Value& value, const PathFrame& at) {
  if (node.type == Type::kNone && node.validations.format.empty()) return 0;
  if (FitsType(node, value)) return 2;
  const TypeMismatch mismatch = ExplainType(node, value);
  failures_.AddType(at, mismatch.expected, mismatch.found);
  return 1;
}

// Only the first complaint about a text is made, its format aside.
void Validator::ValidateText(const Validations& rules, const Value& value, const PathFrame& at) {
  const auto& text = value.get_ref<const std::string&>();
  if (!FitsMaxLength(rules, text)) {
    failures_.AddTooLong(at, *rules.max_length);
  } else if (!FitsMinLength(rules, text)) {
    failures_.AddInvalid(at, value,
                         "should be at least " + std::to_string(*rules.min_length) + " chars long");
  } else if (rules.pattern && !rules.pattern->Matches(text)) {
    failures_.AddInvalid(at, value, "should match '" + rules.pattern->text() + "'");
  }
  if (rules.format_check != nullptr && !rules.format_check(text)) failures_.AddFormat(at, rules.format, text);
}

void Validator::ValidateNumber(const Validations& rules, const Value& value, const PathFrame& at) {
  if (rules.multiple_of && !FitsMultipleOf(*rules.multiple_of, value)) {
    const double factor = *rules.multiple_of;
    const std::string shown = ShowLimit(factor, value);
    const bool integer = !value.is_number_float();
    if (integer ? TruncateToInt64(factor) <= 0 : factor <= 0) {
      const Value limit = integer ? Value(TruncateToInt64(factor)) : Value(factor);
      failures_.AddInvalidText(
          at, limit, "factor MultipleOf declared for " + OpenApiPath(at) + " must be positive: " + shown);
    } else {
      failures_.AddInvalid(at, value, "should be a multiple of " + shown);
    }
  }
  if (rules.minimum && !FitsMinimum(rules, value)) {
    const std::string_view words =
        rules.exclusive_minimum ? "should be greater than " : "should be greater than or equal to ";
    failures_.AddInvalid(at, value, std::string(words) + ShowLimit(*rules.minimum, value));
  }
  if (rules.maximum && !FitsMaximum(rules, value)) {
    const std::string_view words =
        rules.exclusive_maximum ? "should be less than " : "should be less than or equal to ";
    failures_.AddInvalid(at, value, std::string(words) + ShowLimit(*rules.maximum, value));
  }
}

std::int64_t Validator::ValidateArray(const Node& node, const Value& value, const PathFrame& at,
                                      Correlated* correlated) {
  const Validations& rules = node.validations;
  const auto& items = value.get_ref<const Value::array_t&>();
  const auto count = items.size();
  std::int64_t matches = 0;
  if (node.items) {
    for (std::size_t i = 0; i < count; ++i) {
      Correlated* item = correlated == nullptr ? nullptr : correlated->Index(i);
      matches += Validate(*node.items, items[i], at.Index(i), item);
    }
  }
  if (UndercutsLimit(count, rules.min_items)) {
    failures_.AddInvalid(at, count, "should have at least " + std::to_string(*rules.min_items) + " items");
  }
  if (ExceedsLimit(count, rules.max_items)) failures_.AddTooMany(at, count, *rules.max_items);
  if (rules.unique_items && !HasUniqueItems(items))
    failures_.AddInvalid(at, "", "shouldn't contain duplicates");
  return matches;
}

std::int64_t Validator::ValidateObject(const Node& node, const Value& value, const PathFrame& at,
                                       Correlated* correlated) {
  const Validations& rules = node.validations;
  const auto& members = value.get_ref<const Value::object_t&>();
  const auto count = members.size();
  if (UndercutsLimit(count, rules.min_properties)) {
    failures_.AddInvalid(at, count,
                         "should have at least " + std::to_string(*rules.min_properties) + " properties");
  }
  if (ExceedsLimit(count, rules.max_properties)) failures_.AddTooMany(at, count, *rules.max_properties);
  std::int64_t matches = ValidateAdditional(node, members, at, correlated);
  for (const auto& [name, member] : members) {
    const auto property = node.properties.find(name);
    if (property == node.properties.end()) continue;
    matches += Validate(property->second, member, at.Property(name), FieldOf(correlated, at, name));
  }
  for (const std::string& name : rules.required) {
    if (!members.contains(name)) failures_.AddRequired(at.Key(name));
  }
  return matches;
}

// Members that are no properties.
std::int64_t Validator::ValidateAdditional(const Node& node, const Value::object_t& members,
                                           const PathFrame& at, Correlated* correlated) {
  const bool closed = node.additional_properties_allowed.has_value() && !*node.additional_properties_allowed;
  if (!closed && !node.additional_properties) return 0;
  std::int64_t matches = 0;
  for (const auto& [name, member] : members) {
    if (node.properties.contains(name)) continue;
    if (closed) {
      failures_.AddInvalidText(at, name, OpenApiPath(at) + "." + name + " in body is a forbidden property");
    } else {
      matches += Validate(*node.additional_properties, member, at.Key(name), FieldOf(correlated, at, name));
    }
  }
  return matches;
}

json::FieldErrors Explain(const Node& node, const Value& value, std::string_view field,
                          Correlated* correlated) {
  ErrorBudget budget;
  Failures failures(field, budget);
  Validator(failures).Validate(node, value, PathFrame::Root(), correlated);
  return failures.Take();
}

}  // namespace annex::schema
