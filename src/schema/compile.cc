#include "compile.h"

#include "annex/base/strings.h"
#include "annex/schema/schema.h"
#include "formats.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace annex::schema {
namespace {

using json::Value;

struct TypeWord {
  std::string_view word;
  Type type;
};
constexpr std::array<TypeWord, 6> kTypeWords = {{{"object", Type::kObject},
                                                 {"array", Type::kArray},
                                                 {"string", Type::kText},
                                                 {"integer", Type::kInteger},
                                                 {"number", Type::kNumber},
                                                 {"boolean", Type::kBoolean}}};

// Keywords that NewStructural refuses (pkg/apiserver/schema/convert.go), unless they are empty.
constexpr std::array<std::string_view, 7> kUnsupported = {
    "id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"};

// Reads one schema with everything below it. Each function returns false after setting error_.
class NodeReader {
 public:
  bool Read(const Value& schema, const PathFrame& at, Node& node) {
    if (!schema.is_object()) return Fail(at, "must be an object");
    return CheckSupported(schema, at) && ReadType(schema, at, node) && ReadGenerics(schema, at, node) &&
           ReadExtensions(schema, at, node) && ReadLimits(schema, at, node.validations) &&
           ReadTextRules(schema, at, node.validations) && ReadEnumeration(schema, at, node.validations) &&
           ReadRules(schema, at, node) && ReadChildren(schema, at, node) && ReadCombined(schema, at, node);
  }

  std::string& error() { return error_; }

 private:
  bool Fail(const PathFrame& at, std::string_view what) {
    const std::string path = FieldPathText(at);
    error_ = path.empty() ? "" : path + ": ";
    error_ += what;
    return false;
  }

  // The value of a keyword; nullptr for none, which null means too.
  static const Value* Get(const Value& schema, std::string_view keyword) {
    const Value* value = json::Find(schema, keyword);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  bool ReadText(const Value& schema, const PathFrame& at, std::string_view keyword, std::string& into) {
    const Value* value = Get(schema, keyword);
    if (value == nullptr) return true;
    if (!value->is_string()) return Fail(at.Property(keyword), "must be a string");
    into = value->get_ref<const std::string&>();
    return true;
  }
  bool ReadFlag(const Value& schema, const PathFrame& at, std::string_view keyword, bool& into) {
    const Value* value = Get(schema, keyword);
    if (value == nullptr) return true;
    if (!value->is_boolean()) return Fail(at.Property(keyword), "must be a boolean");
    into = value->get<bool>();
    return true;
  }
  bool ReadNumber(const Value& schema, const PathFrame& at, std::string_view keyword,
                  std::optional<double>& into) {
    const Value* value = Get(schema, keyword);
    if (value == nullptr) return true;
    if (!value->is_number()) return Fail(at.Property(keyword), "must be a number");
    into = value->get<double>();
    return true;
  }
  bool ReadCount(const Value& schema, const PathFrame& at, std::string_view keyword,
                 std::optional<std::int64_t>& into) {
    const Value* value = Get(schema, keyword);
    if (value == nullptr) return true;
    if (!value->is_number_integer()) return Fail(at.Property(keyword), "must be an integer");
    into = value->get<std::int64_t>();
    return true;
  }
  bool ReadTexts(const Value& schema, const PathFrame& at, std::string_view keyword,
                 std::vector<std::string>& into) {
    const Value* value = Get(schema, keyword);
    if (value == nullptr) return true;
    const auto is_text = [](const Value& item) { return item.is_string(); };
    if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_text)) {
      return Fail(at.Property(keyword), "must be a list of strings");
    }
    for (const Value& item : *value) into.push_back(item.get<std::string>());
    return true;
  }

  bool CheckSupported(const Value& schema, const PathFrame& at) {
    for (const std::string_view keyword : kUnsupported) {
      const Value* value = Get(schema, keyword);
      if (value == nullptr) continue;
      const bool empty = value->is_string()
                             ? value->get_ref<const std::string&>().empty()
                             : value->is_object() && keyword != "additionalItems" && value->empty();
      if (!empty) return Fail(at.Property(keyword), "is not supported");
    }
    return true;
  }

  bool ReadType(const Value& schema, const PathFrame& at, Node& node) {
    std::string word;
    bool int_or_string = false;
    if (!ReadText(schema, at, "type", word) ||
        !ReadFlag(schema, at, "x-kubernetes-int-or-string", int_or_string)) {
      return false;
    }
    if (!word.empty()) {
      const auto* found = std::find_if(kTypeWords.begin(), kTypeWords.end(),
                                       [&word](const TypeWord& known) { return known.word == word; });
      if (found == kTypeWords.end()) return Fail(at.Property("type"), base::Quote(word) + " is no type");
      node.type = found->type;
    }
    if (int_or_string) node.type = Type::kIntOrString;
    return true;
  }

  bool ReadGenerics(const Value& schema, const PathFrame& at, Node& node) {
    if (const Value* value = Get(schema, "default")) node.default_value = *value;
    return ReadFlag(schema, at, "nullable", node.nullable);
  }

  bool ReadExtensions(const Value& schema, const PathFrame& at, Node& node) {
    constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
    std::string list_type;
    std::string map_type;
    if (!ReadFlag(schema, at, kPreserve, node.preserve_unknown_fields) ||
        !ReadFlag(schema, at, "x-kubernetes-embedded-resource", node.embedded_resource) ||
        !ReadText(schema, at, "x-kubernetes-list-type", list_type) ||
        !ReadTexts(schema, at, "x-kubernetes-list-map-keys", node.list_map_keys) ||
        !ReadText(schema, at, "x-kubernetes-map-type", map_type)) {
      return false;
    }
    if (Get(schema, kPreserve) != nullptr && !node.preserve_unknown_fields) {
      return Fail(at.Property(kPreserve), "must be true or undefined");
    }
    node.list_type_given = !list_type.empty();
    if (list_type == "set") node.list_type = ListType::kSet;
    if (list_type == "map") node.list_type = ListType::kMap;
    if (node.list_type_given && list_type != "atomic" && node.list_type == ListType::kAtomic) {
      return Fail(at.Property("x-kubernetes-list-type"), "must be atomic, set or map");
    }
    if (map_type == "atomic") node.map_type = MapType::kAtomic;
    if (!map_type.empty() && map_type != "atomic" && map_type != "granular") {
      return Fail(at.Property("x-kubernetes-map-type"), "must be atomic or granular");
    }
    return true;
  }

  bool ReadLimits(const Value& schema, const PathFrame& at, Validations& into) {
    return ReadNumber(schema, at, "maximum", into.maximum) &&
           ReadFlag(schema, at, "exclusiveMaximum", into.exclusive_maximum) &&
           ReadNumber(schema, at, "minimum", into.minimum) &&
           ReadFlag(schema, at, "exclusiveMinimum", into.exclusive_minimum) &&
           ReadNumber(schema, at, "multipleOf", into.multiple_of) &&
           ReadCount(schema, at, "maxLength", into.max_length) &&
           ReadCount(schema, at, "minLength", into.min_length) &&
           ReadCount(schema, at, "maxItems", into.max_items) &&
           ReadCount(schema, at, "minItems", into.min_items) &&
           ReadFlag(schema, at, "uniqueItems", into.unique_items) &&
           ReadCount(schema, at, "maxProperties", into.max_properties) &&
           ReadCount(schema, at, "minProperties", into.min_properties) &&
           ReadTexts(schema, at, "required", into.required);
  }

  bool ReadTextRules(const Value& schema, const PathFrame& at, Validations& into) {
    std::string format;
    std::string pattern;
    if (!ReadText(schema, at, "format", format) || !ReadText(schema, at, "pattern", pattern)) return false;
    into.format_check = FindFormat(format);
    if (into.format_check != nullptr) into.format = std::move(format);
    if (pattern.empty()) return true;
    auto compiled = Pattern::Compile(pattern);
    if (!compiled) {
      return Fail(at.Property("pattern"),
                  "must be a valid regular expression, but isn't: " + compiled.error().message);
    }
    into.pattern = *std::move(compiled);
    pattern_instructions_ += into.pattern->size();
    if (pattern_instructions_ > kMaxPatternInstructions) {
      return Fail(at.Property("pattern"), "all patterns of the schema together are too large");
    }
    return true;
  }

  bool ReadEnumeration(const Value& schema, const PathFrame& at, Validations& into) {
    const Value* value = Get(schema, "enum");
    if (value == nullptr) return true;
    if (!value->is_array()) return Fail(at.Property("enum"), "must be a list");
    into.enumeration = value->get_ref<const Value::array_t&>();
    const auto is_text = [](const Value& item) { return item.is_string(); };
    if (!std::all_of(into.enumeration.begin(), into.enumeration.end(), is_text)) return true;
    for (const Value& item : into.enumeration)
      into.enumerated_texts.push_back(item.get_ref<const std::string&>());
    std::sort(into.enumerated_texts.begin(), into.enumerated_texts.end());
    return true;
  }

  bool ReadRules(const Value& schema, const PathFrame& at, Node& node) {
    constexpr std::string_view kKeyword = "x-kubernetes-validations";
    const Value* list = Get(schema, kKeyword);
    if (list == nullptr) return true;
    if (!list->is_array()) return Fail(at.Property(kKeyword), "must be a list");
    const PathFrame place = at.Property(kKeyword);
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Value& item = (*list)[i];
      const PathFrame here = place.Index(i);
      if (!item.is_object()) return Fail(here, "must be an object");
      Rule& rule = node.rules.emplace_back();
      bool optional_old_self = false;
      if (!ReadText(item, here, "rule", rule.rule) || !ReadText(item, here, "message", rule.message) ||
          !ReadText(item, here, "messageExpression", rule.message_expression) ||
          !ReadText(item, here, "reason", rule.reason) ||
          !ReadText(item, here, "fieldPath", rule.field_path) ||
          !ReadFlag(item, here, "optionalOldSelf", optional_old_self)) {
        return false;
      }
      if (Get(item, "optionalOldSelf") != nullptr) rule.optional_old_self = optional_old_self;
    }
    return true;
  }

  bool ReadChildren(const Value& schema, const PathFrame& at, Node& node) {
    if (const Value* properties = Get(schema, "properties")) {
      const PathFrame place = at.Property("properties");
      if (!properties->is_object()) return Fail(place, "must be an object");
      for (const auto& [name, property] : properties->get_ref<const Value::object_t&>()) {
        if (!Read(property, place.Key(name), node.properties[name])) return false;
      }
    }
    if (const Value* items = Get(schema, "items")) {
      const PathFrame place = at.Property("items");
      if (items->is_array()) return Fail(place, "must be a schema, but is an array");
      node.items = std::make_unique<Node>();
      if (!Read(*items, place, *node.items)) return false;
    }
    const Value* additional = Get(schema, "additionalProperties");
    if (additional == nullptr) return true;
    if (additional->is_boolean()) {
      node.additional_properties_allowed = additional->get<bool>();
      return true;
    }
    node.additional_properties_allowed = true;
    node.additional_properties = std::make_unique<Node>();
    return Read(*additional, at.Property("additionalProperties"), *node.additional_properties);
  }

  bool ReadCombined(const Value& schema, const PathFrame& at, Node& node) {
    if (!ReadNodes(schema, at, "allOf", node.all_of) || !ReadNodes(schema, at, "anyOf", node.any_of) ||
        !ReadNodes(schema, at, "oneOf", node.one_of)) {
      return false;
    }
    const Value* not_schema = Get(schema, "not");
    if (not_schema == nullptr) return true;
    node.not_schema = std::make_unique<Node>();
    return Read(*not_schema, at.Property("not"), *node.not_schema);
  }

  bool ReadNodes(const Value& schema, const PathFrame& at, std::string_view keyword,
                 std::vector<Node>& into) {
    const Value* list = Get(schema, keyword);
    if (list == nullptr) return true;
    const PathFrame place = at.Property(keyword);
    if (!list->is_array()) return Fail(place, "must be a list");
    into.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!Read((*list)[i], place.Index(i), into.emplace_back())) return false;
    }
    return true;
  }

  std::size_t pattern_instructions_ = 0;
  std::string error_;
};

}  // namespace

base::Result<std::unique_ptr<Node>> ReadNode(const Value& schema) {
  auto node = std::make_unique<Node>();
  NodeReader reader;
  if (!reader.Read(schema, PathFrame::Root(), *node)) {
    return base::Error(base::Reason::kInvalid, std::move(reader.error()));
  }
  return node;
}

void Summarize(Node& node) {
  node.embedded_below = node.embedded_resource;
  node.list_types_below = node.list_type != ListType::kAtomic;
  const auto include = [&node](Node& child) {
    Summarize(child);
    node.defaults_below = node.defaults_below || child.default_value || child.defaults_below;
    node.embedded_below = node.embedded_below || child.embedded_below;
    node.list_types_below = node.list_types_below || child.list_types_below;
  };
  for (auto& [name, property] : node.properties) include(property);
  if (node.items) include(*node.items);
  if (node.additional_properties) include(*node.additional_properties);
}

}  // namespace annex::schema
