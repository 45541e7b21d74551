// Node: one place of a compiled schema. Plain data, immutable after Schema::Compile.
//
// Thread rule: thread-safe, as nothing changes. Ownership: a node owns everything below it; the Schema owns
// the root.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/pattern.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::schema {

enum class Type : std::uint8_t { kNone, kObject, kArray, kText, kInteger, kNumber, kBoolean, kIntOrString };
enum class ListType : std::uint8_t { kAtomic, kSet, kMap };
enum class MapType : std::uint8_t { kGranular, kAtomic };

// Whether a text has a format.
using FormatCheck = bool (*)(std::string_view text);

// What validation checks at a place; also used alone inside allOf, anyOf, oneOf and not, where nothing else
// may stand.
struct Validations {
  std::optional<double> maximum;
  bool exclusive_maximum = false;
  std::optional<double> minimum;
  bool exclusive_minimum = false;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> min_length;
  std::shared_ptr<const Pattern> pattern;
  std::optional<std::int64_t> max_items;
  std::optional<std::int64_t> min_items;
  bool unique_items = false;
  std::optional<double> multiple_of;
  std::optional<std::int64_t> max_properties;
  std::optional<std::int64_t> min_properties;
  std::vector<std::string> required;
  std::vector<json::Value> enumeration;
  // If every allowed value is a text: the texts in order, for a quick search. They lie in `enumeration`.
  std::vector<std::string_view> enumerated_texts;
  // As the schema writes it, such as "date-time"; "" for a format that is not checked (int32, k8s-short-name,
  // …).
  std::string format;
  FormatCheck format_check = nullptr;
};

// One of x-kubernetes-validations, not compiled.
struct Rule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;
  std::string field_path;
  std::optional<bool> optional_old_self;
};

class Node {
 public:
  Type type = Type::kNone;
  bool nullable = false;
  std::optional<json::Value> default_value;
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;
  ListType list_type = ListType::kAtomic;
  bool list_type_given = false;
  std::vector<std::string> list_map_keys;
  MapType map_type = MapType::kGranular;
  Validations validations;
  std::vector<Rule> rules;

  std::map<std::string, Node, std::less<>> properties;
  std::unique_ptr<Node> items;
  // additionalProperties: a schema, or true/false.
  std::unique_ptr<Node> additional_properties;
  std::optional<bool> additional_properties_allowed;

  std::vector<Node> all_of;
  std::vector<Node> any_of;
  std::vector<Node> one_of;
  std::unique_ptr<Node> not_schema;

  // What there is below this node (properties, items, additionalProperties), so that a walk can skip the
  // rest.
  bool defaults_below = false;
  bool embedded_below = false;    // or at this node itself
  bool list_types_below = false;  // sets and maps; or at this node itself

  // The schema of a field: its property, else that of every key of a map; nullptr if neither is specified.
  const Node* Field(std::string_view name) const;
  // The node at a path of field names, this one for the empty path; nullptr if there is none.
  const Node* Find(const std::vector<std::string>& path) const;
};

}  // namespace annex::schema
