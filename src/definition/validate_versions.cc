#include "validate_versions.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/definition/resource.h"
#include "annex/definition/validate.h"
#include "annex/schema/node.h"
#include "annex/schema/schema.h"
#include "validate_schema.h"

#include <algorithm>
#include <set>
#include <string>

namespace annex::definition {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

const Value& Part(const Value& version, const char* field) {
  static const Value kNone;
  const Value* part = json::Find(version, field);
  return part == nullptr ? kNone : *part;
}

// Where kube-apiserver sees a part of a version: with the version, or, if all versions have the same, with
// the spec.
FieldPath PlaceOf(const Value::array_t& versions, std::size_t index, const char* field,
                  const FieldPath& spec) {
  const Value& first = Part(versions[0], field);
  const bool same = std::all_of(versions.begin(), versions.end(),
                                [&](const Value& version) { return Part(version, field) == first; });
  if (!same) return spec.Child("versions").Index(index).Child(field);
  return spec.Child(std::string_view(field) == "schema" ? "validation" : field);
}

void CheckSimplePath(const std::string& text, const FieldPath& path,
                     std::initializer_list<std::string_view> roots, std::string_view root_text,
                     FieldErrors& errors) {
  if (!text.starts_with('.')) {
    errors.push_back(json::InvalidError(path, text, "must be a simple json path starting with ."));
  } else if (std::none_of(roots.begin(), roots.end(),
                          [&](std::string_view root) { return text.starts_with(root); })) {
    errors.push_back(json::InvalidError(path, text, "should be a json path under " + std::string(root_text)));
  } else if (!ParseKeyPath(text)) {
    errors.push_back(json::InvalidError(path, text, "must be a json path in the dot notation"));
  }
}

void CheckSubresources(const Value& subresources, const FieldPath& path, FieldErrors& errors) {
  const Value* scale = json::Find(subresources, "scale");
  if (scale == nullptr || !scale->is_object()) return;
  const std::string& spec_replicas = json::TextAt(*scale, {"specReplicasPath"});
  const std::string& status_replicas = json::TextAt(*scale, {"statusReplicasPath"});
  const std::string& selector = json::TextAt(*scale, {"labelSelectorPath"});
  if (spec_replicas.empty()) {
    errors.push_back(json::RequiredError(path.Child("scale.specReplicasPath")));
  } else {
    CheckSimplePath(spec_replicas, path.Child("scale.specReplicasPath"), {".spec."}, ".spec", errors);
  }
  if (status_replicas.empty()) {
    errors.push_back(json::RequiredError(path.Child("scale.statusReplicasPath")));
  } else {
    CheckSimplePath(status_replicas, path.Child("scale.statusReplicasPath"), {".status."}, ".status", errors);
  }
  if (!selector.empty()) {
    CheckSimplePath(selector, path.Child("scale.labelSelectorPath"), {".spec.", ".status."},
                    "either .spec or .status", errors);
  }
}

void CheckColumns(const Value& columns, const FieldPath& path, FieldErrors& errors) {
  static const std::set<std::string> kTypes = {"boolean", "date", "integer", "number", "string"};
  static const std::set<std::string> kFormats = {"byte",  "date",  "date-time", "double",
                                                 "float", "int32", "int64",     "password"};
  if (!columns.is_array()) return;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const FieldPath place = path.Index(i);
    const std::string& type = json::TextAt(columns[i], {"type"});
    const std::string& format = json::TextAt(columns[i], {"format"});
    const std::string& json_path = json::TextAt(columns[i], {"jsonPath"});
    const std::string types = "must be one of boolean,date,integer,number,string";
    if (json::TextAt(columns[i], {"name"}).empty())
      errors.push_back(json::RequiredError(place.Child("name")));
    if (type.empty()) {
      errors.push_back(json::RequiredError(place.Child("type"), types));
    } else if (!kTypes.contains(type)) {
      errors.push_back(json::InvalidError(place.Child("type"), type, types));
    }
    if (!format.empty() && !kFormats.contains(format)) {
      errors.push_back(
          json::InvalidError(place.Child("format"), format,
                             "must be one of byte,date,date-time,double,float,int32,int64,password"));
    }
    if (json_path.empty()) {
      errors.push_back(json::RequiredError(place.Child("JSONPath")));
    } else if (!json_path.starts_with('.')) {
      errors.push_back(json::InvalidError(place.Child("JSONPath"), json_path,
                                          "must be a simple json path starting with ."));
    }
  }
}

bool IsSelectable(const schema::Node* node) {
  return node != nullptr && (node->type == schema::Type::kText || node->type == schema::Type::kBoolean ||
                             node->type == schema::Type::kInteger);
}

void CheckSelectableFields(const Value& fields, const schema::Schema* schema, const FieldPath& path,
                           FieldErrors& errors) {
  if (!fields.is_array()) return;
  std::set<std::string> unique;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldPath place = path.Index(i).Child("jsonPath");
    const std::string& text = json::TextAt(fields[i], {"jsonPath"});
    if (text.empty()) {
      errors.push_back(json::RequiredError(place));
      continue;
    }
    const auto keys = ParseKeyPath(text);
    const bool in_metadata = keys && keys->front() == "metadata";
    const schema::Node* node = keys && schema != nullptr ? schema->root().Find(*keys) : nullptr;
    if (!keys || (node == nullptr && !in_metadata)) {
      errors.push_back(
          json::InvalidError(place, text, "is an invalid path: does not refer to a valid field"));
      continue;
    }
    if (in_metadata)
      errors.push_back(json::InvalidError(place, text, "must not point to fields in metadata"));
    if (!in_metadata && !IsSelectable(node)) {
      errors.push_back(json::InvalidError(place, text,
                                          "must point to a field of type string, boolean or integer. Enum "
                                          "string fields and strings with formats are allowed."));
    }
    if (!unique.insert(text).second) errors.push_back(json::DuplicateError(place, text));
  }
  if (unique.size() > kMaxSelectableFields) {
    errors.push_back(json::TooManyError(path, static_cast<std::int64_t>(unique.size()),
                                        static_cast<std::int64_t>(kMaxSelectableFields)));
  }
}

// Whether a schema has a rule in CEL anywhere.
bool HasRules(const Value& schema) {
  if (schema.is_array()) return std::any_of(schema.begin(), schema.end(), HasRules);
  if (!schema.is_object()) return false;
  for (const auto& [key, member] : schema.get_ref<const Value::object_t&>()) {
    if (key == "x-kubernetes-validations" && member.is_array() && !member.empty()) return true;
    if (HasRules(member)) return true;
  }
  return false;
}

// The compiled schema for further checks; nullptr after reporting why there is none.
std::shared_ptr<const schema::Schema> CheckSchema(const Value& version, const FieldPath& place,
                                                  const FieldPath& required_at, FieldErrors& errors) {
  const Value* open_api = json::FindPath(version, {"schema", "openAPIV3Schema"});
  if (open_api == nullptr || !open_api->is_object()) {
    errors.push_back(json::RequiredError(required_at));
    return nullptr;
  }
  const FieldPath path = place.Child("openAPIV3Schema");
  if (HasRules(*open_api)) {
    errors.push_back(json::ForbiddenError(
        path, "x-kubernetes-validations: this version of Annex does not evaluate CEL rules yet"));
    return nullptr;
  }
  const bool with_status = json::FindPath(version, {"subresources", "status"}) != nullptr;
  if (FieldErrors found = ValidateSchema(*open_api, with_status, path); !found.empty()) {
    json::Append(errors, std::move(found));
    return nullptr;
  }
  auto compiled = schema::Schema::Compile(*open_api);
  if (compiled) return *std::move(compiled);
  errors.push_back(json::InvalidError(path, "", compiled.error().message));
  return nullptr;
}

void CheckDeprecation(const Value& version, const FieldPath& path, FieldErrors& errors) {
  const Value* warning = json::Find(version, "deprecationWarning");
  if (warning == nullptr || !warning->is_string()) return;
  const auto invalid = [&](const char* why) {
    errors.push_back(json::InvalidError(path.Child("deprecationWarning"), *warning, why));
  };
  if (!json::FlagAt(version, {"deprecated"})) {
    invalid("can only be set for deprecated versions");
    return;
  }
  const auto& text = warning->get_ref<const std::string&>();
  if (text.size() > 256) invalid("must be <= 256 characters long");
  if (text.empty()) invalid("must not be an empty string");
}

}  // namespace

void ValidateVersions(const Value& definition, const FieldPath& spec, FieldErrors& errors) {
  const auto& versions = json::ItemsAt(definition, {"spec", "versions"});
  std::set<std::string> names;
  bool unique = true;
  int storage = 0;
  std::set<std::string> reported;  // what has moved to the spec is reported once
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Value& version = versions[i];
    const FieldPath path = spec.Child("versions").Index(i);
    const std::string& name = json::TextAt(version, {"name"});
    storage += json::FlagAt(version, {"storage"}) ? 1 : 0;
    unique = names.insert(name).second && unique;
    if (const auto problems = base::CheckDns1035Label(name); !problems.empty()) {
      errors.push_back(json::InvalidError(path.Child("name"), name, base::Join(problems, ",")));
    }
    CheckDeprecation(version, path, errors);
    FieldErrors found;
    const auto schema = CheckSchema(version, PlaceOf(versions, i, "schema", spec),
                                    path.Child("schema").Child("openAPIV3Schema"), found);
    CheckSubresources(Part(version, "subresources"), PlaceOf(versions, i, "subresources", spec), found);
    CheckColumns(Part(version, "additionalPrinterColumns"),
                 PlaceOf(versions, i, "additionalPrinterColumns", spec), found);
    if (schema) {
      CheckSelectableFields(Part(version, "selectableFields"), schema.get(),
                            PlaceOf(versions, i, "selectableFields", spec), found);
    }
    for (json::FieldError& error : found) {
      if (reported.insert(error.Message()).second) errors.push_back(std::move(error));
    }
  }
  const Value list = versions;
  if (!unique)
    errors.push_back(json::InvalidError(spec.Child("versions"), list, "must contain unique version names"));
  if (storage != 1) {
    errors.push_back(json::InvalidError(spec.Child("versions"), list,
                                        "must have exactly one version marked as storage version"));
  }
}

}  // namespace annex::definition
