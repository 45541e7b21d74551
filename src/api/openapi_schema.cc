#include "openapi_schema.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

// Where in a schema: below allOf, anyOf, oneOf and not only values may be restricted, and
// additionalProperties are not published.
enum class Place : std::uint8_t { kStructure, kAlternative };

// How a member of a schema is published.
enum class Rule : std::uint8_t {
  kText,          // unless empty
  kName,          // even if empty
  kFlag,          // if true
  kNumber,        // any number, as a double
  kCount,         // an integer
  kAny,           // unless null
  kList,          // unless empty
  kRules,         // x-kubernetes-validations
  kSchema,        // a schema
  kAlternative,   // a schema of kind Place::kAlternative
  kAlternatives,  // a list of them, unless empty
  kSchemaMap,     // schemas by name, unless empty
  kSchemaOrFlag,  // additionalProperties
};

struct Member {
  std::string_view key;
  Rule rule;
};

// Everything else (id, $ref, example, externalDocs, …) is unknown to a structural schema and not published.
constexpr std::array kMembers = std::to_array<Member>({
    {"additionalProperties", Rule::kSchemaOrFlag},
    {"allOf", Rule::kAlternatives},
    {"anyOf", Rule::kAlternatives},
    {"default", Rule::kAny},
    {"description", Rule::kText},
    {"enum", Rule::kList},
    {"exclusiveMaximum", Rule::kFlag},
    {"exclusiveMinimum", Rule::kFlag},
    {"format", Rule::kText},
    {"items", Rule::kSchema},
    {"maxItems", Rule::kCount},
    {"maxLength", Rule::kCount},
    {"maxProperties", Rule::kCount},
    {"maximum", Rule::kNumber},
    {"minItems", Rule::kCount},
    {"minLength", Rule::kCount},
    {"minProperties", Rule::kCount},
    {"minimum", Rule::kNumber},
    {"multipleOf", Rule::kNumber},
    {"not", Rule::kAlternative},
    {"nullable", Rule::kFlag},
    {"oneOf", Rule::kAlternatives},
    {"pattern", Rule::kText},
    {"properties", Rule::kSchemaMap},
    {"required", Rule::kList},
    {"title", Rule::kText},
    {"type", Rule::kText},
    {"uniqueItems", Rule::kFlag},
    {"x-kubernetes-embedded-resource", Rule::kFlag},
    {"x-kubernetes-int-or-string", Rule::kFlag},
    {"x-kubernetes-list-map-keys", Rule::kList},
    {"x-kubernetes-list-type", Rule::kName},
    {"x-kubernetes-map-type", Rule::kName},
    {"x-kubernetes-preserve-unknown-fields", Rule::kFlag},
    {"x-kubernetes-validations", Rule::kRules},
});

std::optional<Rule> RuleOf(std::string_view key) {
  const auto found =
      std::lower_bound(kMembers.begin(), kMembers.end(), key,
                       [](const Member& member, std::string_view wanted) { return member.key < wanted; });
  if (found == kMembers.end() || found->key != key) return std::nullopt;
  return found->rule;
}

Value Publish(const Value& schema, Place place);

std::optional<Value> PublishList(const Value& schemas) {
  if (!schemas.is_array() || schemas.empty()) return std::nullopt;
  Value published = Value::array();
  for (const Value& schema : schemas) published.push_back(Publish(schema, Place::kAlternative));
  return published;
}

std::optional<Value> PublishMap(const Value& schemas, Place place) {
  if (!schemas.is_object() || schemas.empty()) return std::nullopt;
  Value published = Value::object();
  for (const auto& [name, schema] : schemas.get_ref<const Value::object_t&>())
    published[name] = Publish(schema, place);
  return published;
}

std::optional<Value> PublishRules(const Value& rules) {
  if (!rules.is_array() || rules.empty()) return std::nullopt;
  Value published = Value::array();
  for (const Value& rule : rules) {
    Value one = {{"rule", json::TextAt(rule, {"rule"})}};
    for (const char* key : {"message", "messageExpression", "reason", "fieldPath"}) {
      if (const std::string& text = json::TextAt(rule, {key}); !text.empty()) one[key] = text;
    }
    const Value* optional = json::Find(rule, "optionalOldSelf");
    if (optional != nullptr && optional->is_boolean()) one["optionalOldSelf"] = *optional;
    published.push_back(std::move(one));
  }
  return published;
}

std::optional<Value> If(bool wanted, const Value& value) {
  return wanted ? std::optional<Value>(value) : std::nullopt;
}

std::optional<Value> PublishMember(Rule rule, const Value& value, Place place) {
  switch (rule) {
    case Rule::kText:
      return If(value.is_string() && !value.get_ref<const std::string&>().empty(), value);
    case Rule::kName:
      return If(value.is_string(), value);
    case Rule::kFlag:
      return If(value.is_boolean() && value.get<bool>(), value);
    // Go holds these in a float64: beyond 2^53 that shows.
    case Rule::kNumber:
      return If(value.is_number(), value.is_number() ? Value(value.get<double>()) : Value());
    case Rule::kCount:
      return If(value.is_number_integer(), value);
    case Rule::kAny:
      return If(!value.is_null(), value);
    case Rule::kList:
      return If(value.is_array() && !value.empty(), value);
    case Rule::kRules:
      return PublishRules(value);
    case Rule::kSchema:
      return Publish(value, place);
    case Rule::kAlternative:
      return Publish(value, Place::kAlternative);
    case Rule::kAlternatives:
      return PublishList(value);
    case Rule::kSchemaMap:
      return PublishMap(value, place);
    case Rule::kSchemaOrFlag:
      if (place == Place::kAlternative) return std::nullopt;
      return value.is_boolean() ? value : Publish(value, place);
  }
  return std::nullopt;
}

// Says that an int-or-string is an integer or a string, unless its schema does so already.
void UnfoldIntOrString(Value& schema) {
  if (!json::FlagAt(schema, {"x-kubernetes-int-or-string"})) return;
  const Value either = {{{"type", "integer"}}, {{"type", "string"}}};
  const Value* any_of = json::Find(schema, "anyOf");
  if (any_of != nullptr && *any_of == either) return;
  const auto& all_of = json::ItemsAt(schema, {"allOf"});
  const Value* first = all_of.empty() ? nullptr : json::Find(all_of.front(), "anyOf");
  if (first != nullptr && *first == either) return;
  if (any_of == nullptr) {
    schema["anyOf"] = either;
    return;
  }
  Value::array_t longer(1, Value::object({{"anyOf", either}}));
  longer.insert(longer.end(), all_of.begin(), all_of.end());
  schema["allOf"] = std::move(longer);
}

Value Publish(const Value& schema, Place place) {
  Value published = Value::object();
  if (!schema.is_object()) return published;
  for (const auto& [key, value] : schema.get_ref<const Value::object_t&>()) {
    const auto rule = RuleOf(key);
    if (!rule) continue;
    if (auto member = PublishMember(*rule, value, place)) published[key] = *std::move(member);
  }
  if (place == Place::kStructure) UnfoldIntOrString(published);
  return published;
}

}  // namespace

Value PublishedSchema(const Value& schema) {
  return Publish(schema, Place::kStructure);
}

}  // namespace annex::api
