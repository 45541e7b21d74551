#include "fits.h"

#include "checks.h"

#include <algorithm>

namespace annex::schema {
namespace {

using json::Value;

bool FitsBranches(const Node& node, const Value& value) {
  const auto fits = [&value](const Node& branch) { return Fits(branch, value); };
  if (!node.any_of.empty() && std::none_of(node.any_of.begin(), node.any_of.end(), fits)) return false;
  if (!node.one_of.empty()) {
    int fitting = 0;
    for (const Node& branch : node.one_of) {
      fitting += fits(branch) ? 1 : 0;
      if (fitting > 1) return false;
    }
    if (fitting != 1) return false;
  }
  return std::all_of(node.all_of.begin(), node.all_of.end(), fits) &&
         !(node.not_schema && fits(*node.not_schema));
}

bool FitsText(const Validations& rules, const std::string& text) {
  return FitsMaxLength(rules, text) && FitsMinLength(rules, text) &&
         (!rules.pattern || rules.pattern->Matches(text)) &&
         (rules.format_check == nullptr || rules.format_check(text));
}

bool FitsNumber(const Validations& rules, const Value& number) {
  return (!rules.multiple_of || FitsMultipleOf(*rules.multiple_of, number)) &&
         (!rules.maximum || FitsMaximum(rules, number)) && (!rules.minimum || FitsMinimum(rules, number));
}

bool FitsArray(const Node& node, const Value::array_t& items) {
  const Validations& rules = node.validations;
  if (UndercutsLimit(items.size(), rules.min_items) || ExceedsLimit(items.size(), rules.max_items))
    return false;
  if (node.items &&
      !std::all_of(items.begin(), items.end(), [&](const Value& item) { return Fits(*node.items, item); })) {
    return false;
  }
  return !rules.unique_items || HasUniqueItems(items);
}

bool FitsObject(const Node& node, const Value::object_t& members) {
  const Validations& rules = node.validations;
  if (UndercutsLimit(members.size(), rules.min_properties) ||
      ExceedsLimit(members.size(), rules.max_properties)) {
    return false;
  }
  for (const std::string& name : rules.required) {
    if (!members.contains(name)) return false;
  }
  const bool closed = node.additional_properties_allowed.has_value() && !*node.additional_properties_allowed;
  for (const auto& [name, member] : members) {
    const auto property = node.properties.find(name);
    if (property != node.properties.end()) {
      if (!Fits(property->second, member)) return false;
    } else if (closed || (node.additional_properties && !Fits(*node.additional_properties, member))) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool Fits(const Node& node, const Value& value) {
  const Validations& rules = node.validations;
  if (value.is_null()) return AllowsNull(node) && rules.enumeration.empty();
  if (!FitsType(node, value) || !FitsBranches(node, value)) return false;
  if (value.is_string()) {
    if (!FitsText(rules, value.get_ref<const std::string&>())) return false;
  } else if (value.is_number()) {
    if (!FitsNumber(rules, value)) return false;
  } else if (value.is_array()) {
    if (!FitsArray(node, value.get_ref<const Value::array_t&>())) return false;
  } else if (value.is_object()) {
    if (!FitsObject(node, value.get_ref<const Value::object_t&>())) return false;
  }
  return FitsEnumeration(rules, value);
}

}  // namespace annex::schema
