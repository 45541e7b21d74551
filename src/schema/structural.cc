// pkg/apiserver/schema/validation.go: what makes a schema structural.
#include "structural.h"

#include "annex/json/field_error.h"
#include "annex/schema/schema.h"
#include "compile.h"
#include "limits.h"
#include "path.h"

#include <algorithm>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::Value;

// Keywords that a structural schema does not keep.
bool IsDocumentation(std::string_view keyword) {
  return keyword == "externalDocs" || keyword == "example";
}

bool SaysOnlyType(const Value& schema, std::string_view type) {
  if (!schema.is_object() || TypeOf(schema) != type) return false;
  const auto& keywords = schema.get_ref<const Value::object_t&>();
  return std::none_of(keywords.begin(), keywords.end(), [](const auto& keyword) {
    return keyword.first != "type" && !IsDocumentation(keyword.first) && IsSpecified(keyword.second);
  });
}

// The two branches that say "an integer or a string", which alone may name types where no structure may
// stand.
bool IsIntOrStringPattern(const Value* any_of) {
  return any_of != nullptr && any_of->is_array() && any_of->size() == 2 &&
         SaysOnlyType((*any_of)[0], "integer") && SaysOnlyType((*any_of)[1], "string");
}

// allOf whose first branch is that pattern.
bool BeginsWithIntOrString(const Value* all_of) {
  return all_of != nullptr && all_of->is_array() && !all_of->empty() &&
         IsIntOrStringPattern(Keyword(all_of->front(), "anyOf"));
}

class Checker {
 public:
  Checker(FieldErrors& errors, PatternCheck patterns) : errors_(errors), patterns_(patterns) {}

  enum class Level : std::uint8_t { kRoot, kItem, kField };

  void CheckStructure(const Value& schema, Level level, const PathFrame& at) {
    if (errors_.size() >= kMaxErrors) return;
    CheckChildren(schema, level, at);
    CheckExtensions(schema, at);
    CheckValueValidation(
        schema,
        Skip{IsIntOrStringPattern(Keyword(schema, "anyOf")), BeginsWithIntOrString(Keyword(schema, "allOf"))},
        at);
    CheckType(schema, level, at);
    CheckMetaFields(schema, level, at);
    if (Flag(schema, "x-kubernetes-embedded-resource") &&
        !Flag(schema, "x-kubernetes-preserve-unknown-fields") && Members(schema, "properties").empty()) {
      Required(at.Property("properties"),
               "must not be empty if x-kubernetes-embedded-resource is true without "
               "x-kubernetes-preserve-unknown-fields");
    }
  }

 private:
  // Which branches were recognized and are not looked at.
  struct Skip {
    bool any_of = false;
    bool any_of_in_first_all_of = false;
  };

  static json::FieldPath PathOf(const PathFrame& at) { return json::FieldPath(FieldPathText(at)); }
  void Required(const PathFrame& at, std::string_view why) {
    errors_.push_back(json::RequiredError(PathOf(at), why));
  }
  void Forbidden(const PathFrame& at, std::string_view why) {
    errors_.push_back(json::ForbiddenError(PathOf(at), why));
  }
  void Invalid(const PathFrame& at, const Value& value, std::string_view why) {
    errors_.push_back(json::InvalidError(PathOf(at), value, why));
  }

  void CheckChildren(const Value& schema, Level level, const PathFrame& at) {
    const Value* items = Keyword(schema, "items");
    if (TypeOf(schema) == "array" && items == nullptr) Required(at.Property("items"), "must be specified");
    if (items != nullptr) CheckStructure(*items, Level::kItem, at.Property("items"));
    const PathFrame properties = at.Property("properties");
    for (const auto& [name, property] : Members(schema, "properties")) {
      CheckStructure(property, Level::kField, properties.Key(name));
    }
    const Value* additional = Keyword(schema, "additionalProperties");
    if (additional == nullptr) return;
    const PathFrame place = at.Property("additionalProperties");
    if (level == Level::kRoot) Forbidden(place, "must not be used at the root");
    if (additional->is_object()) CheckStructure(*additional, Level::kField, place);
    if (Flag(schema, "x-kubernetes-embedded-resource")) {
      Forbidden(place, "must not be used if x-kubernetes-embedded-resource is set");
    }
  }

  void CheckExtensions(const Value& schema, const PathFrame& at) {
    if (!Flag(schema, "x-kubernetes-int-or-string")) return;
    for (const std::string_view keyword :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (Flag(schema, keyword)) {
        Invalid(at.Property(keyword), true, "must be false if x-kubernetes-int-or-string is true");
      }
    }
  }

  void CheckType(const Value& schema, Level level, const PathFrame& at) {
    const std::string_view type = TypeOf(schema);
    const PathFrame place = at.Property("type");
    if (Flag(schema, "x-kubernetes-embedded-resource") && type != "object") {
      constexpr std::string_view kWhy = "must be object if x-kubernetes-embedded-resource is true";
      if (type.empty()) Required(place, kWhy);
      if (!type.empty()) Invalid(place, type, kWhy);
    } else if (type.empty() && !Flag(schema, "x-kubernetes-int-or-string") &&
               !Flag(schema, "x-kubernetes-preserve-unknown-fields")) {
      switch (level) {
        case Level::kRoot:
          Required(place, "must not be empty at the root");
          break;
        case Level::kItem:
          Required(place, "must not be empty for specified array items");
          break;
        case Level::kField:
          Required(place, "must not be empty for specified object fields");
          break;
      }
    }
    if (level == Level::kRoot && !type.empty() && type != "object")
      Invalid(place, type, "must be object at the root");
  }

  void CheckMetaFields(const Value& schema, Level level, const PathFrame& at) {
    const bool resource = level == Level::kRoot || Flag(schema, "x-kubernetes-embedded-resource");
    const auto& properties = Members(schema, "properties");
    const PathFrame place = at.Property("properties");
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const auto field = properties.find(name);
      if (!resource || field == properties.end() || TypeOf(field->second) == "string") continue;
      Invalid(place.Key(name).Property("type"), TypeOf(field->second), "must be string");
    }
    const auto metadata = properties.find("metadata");
    if (metadata == properties.end()) return;
    const PathFrame metadata_place = place.Key("metadata");
    if (resource && TypeOf(metadata->second) != "object") {
      Invalid(metadata_place.Property("type"), TypeOf(metadata->second), "must be object");
    }
    if (level == Level::kRoot && !RestrictsOnlyNames(metadata->second)) {
      Forbidden(
          metadata_place,
          "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  static bool RestrictsOnlyNames(const Value& metadata) {
    for (const auto& [name, property] : Members(metadata, "properties")) {
      if (name != "name" && name != "generateName") return false;
    }
    for (const auto& [keyword, value] : metadata.get_ref<const Value::object_t&>()) {
      const bool ignored = keyword == "type" || keyword == "default" || keyword == "properties" ||
                           keyword == "externalDocs" || keyword == "example";
      if (!ignored && (keyword == "additionalProperties" || IsSpecified(value))) return false;
    }
    return true;
  }

  void CheckValueValidation(const Value& schema, Skip skip, const PathFrame& at) {
    if (!skip.any_of) CheckBranches(schema, "anyOf", Skip{}, at);
    CheckBranches(schema, "allOf", Skip{skip.any_of_in_first_all_of, false}, at);
    CheckBranches(schema, "oneOf", Skip{}, at);
    if (const Value* not_schema = Keyword(schema, "not"))
      CheckNested(*not_schema, Skip{}, at.Property("not"));
    const Value* pattern = Keyword(schema, "pattern");
    if (patterns_ == PatternCheck::kSkip || pattern == nullptr || !pattern->is_string()) return;
    if (const auto compiled = Pattern::Compile(pattern->get_ref<const std::string&>()); !compiled) {
      Invalid(at.Property("pattern"), *pattern,
              "must be a valid regular expression, but isn't: " + compiled.error().message);
    }
  }

  void CheckBranches(const Value& schema, std::string_view keyword, Skip first, const PathFrame& at) {
    const Value* branches = Keyword(schema, keyword);
    if (branches == nullptr || !branches->is_array()) return;
    const PathFrame place = at.Property(keyword);
    for (std::size_t i = 0; i < branches->size(); ++i) {
      CheckNested((*branches)[i], i == 0 ? first : Skip{}, place.Index(i));
    }
  }

  // What stands inside allOf, anyOf, oneOf or not: checks of values, no structure.
  void CheckNested(const Value& schema, Skip skip, const PathFrame& at) {
    if (errors_.size() >= kMaxErrors) return;
    CheckValueValidation(schema, skip, at);
    if (const Value* items = Keyword(schema, "items")) CheckNested(*items, Skip{}, at.Property("items"));
    const PathFrame properties = at.Property("properties");
    for (const auto& [name, property] : Members(schema, "properties"))
      CheckNested(property, Skip{}, properties.Key(name));
    for (const auto& [keyword, why] : kNotNested) {
      const Value* value = Keyword(schema, keyword);
      if (value == nullptr || !IsSpecified(*value)) continue;
      Forbidden(at.Property(keyword), why);
    }
    if (Members(schema, "properties").contains("metadata")) {
      Forbidden(properties.Key("metadata"), "must not be specified in a nested context");
    }
  }

  FieldErrors& errors_;
  const PatternCheck patterns_;
};

}  // namespace

FieldErrors FindNotStructural(const Value& schema, const json::FieldPath& path, PatternCheck patterns) {
  FieldErrors errors;
  const PathFrame root = PathFrame::Root(path.Empty() ? std::string_view() : std::string_view(path.Text()));
  Checker(errors, patterns).CheckStructure(schema, Checker::Level::kRoot, root);
  CheckCompleteness(schema, root, errors);
  std::vector<std::pair<std::string, json::FieldError>> sorted;
  for (json::FieldError& error : errors) {
    std::string message = error.Message();
    sorted.emplace_back(std::move(message), std::move(error));
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  FieldErrors result;
  for (auto& [message, error] : sorted) result.push_back(std::move(error));
  return result;
}

FieldErrors CheckStructural(const Value& open_api_v3_schema, const json::FieldPath& path) {
  return FindNotStructural(open_api_v3_schema, path, PatternCheck::kInclude);
}

}  // namespace annex::schema
