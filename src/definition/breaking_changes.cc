#include "annex/definition/breaking_changes.h"

#include "annex/json/write.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace annex::definition {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

// Compares the schemas of one place and of all below it.
class SchemaComparison {
 public:
  explicit SchemaComparison(FieldErrors& errors) : errors_(errors) {}

  void Compare(const Value& now, const Value& before, const FieldPath& path) {
    CompareTypes(now, before, path);
    CompareRequired(now, before, path);
    CompareEnums(now, before, path);
    CompareLimits(now, before, path);
    for (const char* keyword : {"pattern", "format", "multipleOf", "uniqueItems", "allOf", "anyOf", "oneOf",
                                "not", "x-kubernetes-validations", "x-kubernetes-list-type",
                                "x-kubernetes-list-map-keys", "x-kubernetes-embedded-resource"}) {
      RefuseChange(now, before, keyword, path);
    }
    CompareProperties(now, before, path);
    CompareBelow(now, before, "items", path);
    CompareBelow(now, before, "additionalProperties", path);
  }

 private:
  void Report(const FieldPath& path, std::string what) {
    errors_.push_back({json::FieldErrorType::kInvalid, path.Text(), std::move(what)});
  }

  void CompareTypes(const Value& now, const Value& before, const FieldPath& path) {
    const std::string& type = json::TextAt(now, {"type"});
    const std::string& old_type = json::TextAt(before, {"type"});
    const bool wider = old_type == "integer" && type == "number";
    const bool any = type.empty() && (json::FlagAt(now, {"x-kubernetes-preserve-unknown-fields"}) ||
                                      (json::FlagAt(now, {"x-kubernetes-int-or-string"}) &&
                                       (old_type == "integer" || old_type == "string")));
    if (type != old_type && !wider && !any)
      Report(path.Child("type"), "was \"" + old_type + "\", is \"" + type + "\"");
    if (json::FlagAt(before, {"nullable"}) && !json::FlagAt(now, {"nullable"}))
      Report(path.Child("nullable"), "null is no longer taken");
  }

  void CompareRequired(const Value& now, const Value& before, const FieldPath& path) {
    const auto& old_names = json::ItemsAt(before, {"required"});
    for (const Value& name : json::ItemsAt(now, {"required"})) {
      if (std::find(old_names.begin(), old_names.end(), name) != old_names.end()) continue;
      const std::string& text = name.get_ref<const std::string&>();
      if (json::FindPath(now, {"properties", text, "default"}) == nullptr)
        Report(path.Child("required"), "\"" + text + "\" is needed now");
    }
  }

  void CompareEnums(const Value& now, const Value& before, const FieldPath& path) {
    const auto& values = json::ItemsAt(now, {"enum"});
    if (values.empty()) return;
    const auto& old_values = json::ItemsAt(before, {"enum"});
    if (old_values.empty()) Report(path.Child("enum"), "only some values are taken now");
    for (const Value& value : old_values) {
      if (std::find(values.begin(), values.end(), value) == values.end())
        Report(path.Child("enum"), json::ShowValue(value) + " is no longer taken");
    }
  }

  void CompareLimits(const Value& now, const Value& before, const FieldPath& path) {
    for (const char* keyword : {"maximum", "maxLength", "maxItems", "maxProperties"})
      CompareLimit(now, before, keyword, 1, path);
    for (const char* keyword : {"minimum", "minLength", "minItems", "minProperties"})
      CompareLimit(now, before, keyword, -1, path);
    for (const char* keyword : {"exclusiveMaximum", "exclusiveMinimum"}) {
      if (json::FlagAt(now, {keyword}) && !json::FlagAt(before, {keyword}))
        Report(path.Child(keyword), "the limit itself is no longer taken");
    }
  }

  // `sign`: 1 for an upper limit, -1 for a lower one.
  void CompareLimit(const Value& now, const Value& before, const char* keyword, double sign,
                    const FieldPath& path) {
    const Value* limit = json::Find(now, keyword);
    const Value* old_limit = json::Find(before, keyword);
    if (limit == nullptr || !limit->is_number()) return;
    const bool had = old_limit != nullptr && old_limit->is_number();
    if (!had || sign * limit->get<double>() < sign * old_limit->get<double>())
      Report(path.Child(keyword),
             "is narrower: " + json::ToJson(*limit) + (had ? ", was " + json::ToJson(*old_limit) : ""));
  }

  void RefuseChange(const Value& now, const Value& before, const char* keyword, const FieldPath& path) {
    const Value* value = json::Find(now, keyword);
    const Value* old_value = json::Find(before, keyword);
    if (value == nullptr || (old_value != nullptr && *value == *old_value)) return;
    Report(path.Child(keyword), old_value == nullptr ? "is new" : "is another");
  }

  void CompareProperties(const Value& now, const Value& before, const FieldPath& path) {
    const Value* old_properties = json::Find(before, "properties");
    const bool keeps = json::FlagAt(now, {"x-kubernetes-preserve-unknown-fields"});
    if (json::FlagAt(before, {"x-kubernetes-preserve-unknown-fields"}) && !keeps)
      Report(path.Child("x-kubernetes-preserve-unknown-fields"), "unknown fields are no longer kept");
    if (old_properties == nullptr || !old_properties->is_object()) return;
    for (const auto& [name, old_property] : old_properties->get_ref<const Value::object_t&>()) {
      const Value* property = json::FindPath(now, {"properties", name});
      const FieldPath place = path.Child("properties").Key(name);
      if (property != nullptr) {
        Compare(*property, old_property, place);
      } else if (!keeps) {
        Report(place, "is gone: what objects have there is dropped");
      }
    }
  }

  // `keyword` holds one schema, or true.
  void CompareBelow(const Value& now, const Value& before, const char* keyword, const FieldPath& path) {
    const Value* old_schema = json::Find(before, keyword);
    const Value* schema = json::Find(now, keyword);
    if (old_schema == nullptr || old_schema->is_null()) return;
    const bool any = schema == nullptr ? json::FlagAt(now, {"x-kubernetes-preserve-unknown-fields"})
                                       : schema->is_boolean() && schema->get<bool>();
    if (any) return;
    if (schema != nullptr && schema->is_object() && old_schema->is_object()) {
      Compare(*schema, *old_schema, path.Child(keyword));
    } else if (schema == nullptr || *schema != *old_schema) {
      Report(path.Child(keyword), "takes less than it did");
    }
  }

  FieldErrors& errors_;
};

const Value* FindVersion(const Value& definition, const std::string& name, std::size_t& index) {
  const auto& versions = json::ItemsAt(definition, {"spec", "versions"});
  for (index = 0; index < versions.size(); ++index) {
    if (json::TextAt(versions[index], {"name"}) == name) return &versions[index];
  }
  return nullptr;
}

void CompareVersions(const Value& version, const Value& old_version, const FieldPath& path,
                     FieldErrors& errors) {
  const auto report = [&](const FieldPath& place, std::string what) {
    errors.push_back({json::FieldErrorType::kInvalid, place.Text(), std::move(what)});
  };
  if (json::FlagAt(old_version, {"served"}) && !json::FlagAt(version, {"served"}))
    report(path.Child("served"), "clients of this version are no longer served");
  for (const char* subresource : {"status", "scale"}) {
    if (json::FindPath(old_version, {"subresources", subresource}) != nullptr &&
        json::FindPath(version, {"subresources", subresource}) == nullptr)
      report(path.Child("subresources").Child(subresource), "is gone");
  }
  const Value* schema = json::FindPath(version, {"schema", "openAPIV3Schema"});
  const Value* old_schema = json::FindPath(old_version, {"schema", "openAPIV3Schema"});
  if (schema != nullptr && old_schema != nullptr)
    SchemaComparison(errors).Compare(*schema, *old_schema, path.Child("schema").Child("openAPIV3Schema"));
}

}  // namespace

FieldErrors FindBreakingChanges(const Value& definition, const Value& old_definition) {
  FieldErrors errors;
  const auto require_same = [&](const FieldPath& path, const std::string& now, const std::string& before) {
    if (now == before) return;
    errors.push_back(
        {json::FieldErrorType::kInvalid, path.Text(), "was \"" + before + "\", is \"" + now + "\""});
  };
  const FieldPath spec("spec");
  require_same(spec.Child("scope"), json::TextAt(definition, {"spec", "scope"}),
               json::TextAt(old_definition, {"spec", "scope"}));
  require_same(spec.Child("names").Child("kind"), json::TextAt(definition, {"spec", "names", "kind"}),
               json::TextAt(old_definition, {"spec", "names", "kind"}));
  for (const Value& old_version : json::ItemsAt(old_definition, {"spec", "versions"})) {
    const std::string& name = json::TextAt(old_version, {"name"});
    std::size_t index = 0;
    if (const Value* version = FindVersion(definition, name, index)) {
      CompareVersions(*version, old_version, spec.Child("versions").Index(index), errors);
    } else {
      errors.push_back({json::FieldErrorType::kInvalid, "spec.versions",
                        "version \"" + name + "\" is gone, with its clients and the objects stored in it"});
    }
  }
  return errors;
}

}  // namespace annex::definition
