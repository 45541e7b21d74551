#include "validate_versions.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "annex/schema/schema.h"
#include "internal_form.h"
#include "selectable_fields.h"
#include "validate_schema.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

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

bool AllHave(const Value::array_t& versions, const char* field) {
  return std::all_of(versions.begin(), versions.end(), [&](const Value& version) {
    return Part(version, field) == Part(versions.front(), field);
  });
}

CommonParts FindCommonParts(const Value::array_t& versions) {
  return {AllHave(versions, "schema"), AllHave(versions, "subresources"),
          AllHave(versions, "additionalPrinterColumns"), AllHave(versions, "selectableFields")};
}

bool HasStatus(const Value& version) {
  return json::FindPath(version, {"subresources", "status"}) != nullptr;
}

void CheckSimplePath(const std::string& text, const FieldPath& path,
                     std::initializer_list<std::string_view> roots, std::string_view root_text,
                     FieldErrors& errors) {
  if (!text.starts_with('.')) {
    errors.push_back(json::InvalidError(path, text, "must be a simple json path starting with ."));
  } else if (std::none_of(roots.begin(), roots.end(),
                          [&](std::string_view root) { return text.starts_with(root); })) {
    errors.push_back(json::InvalidError(path, text, "should be a json path under " + std::string(root_text)));
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

// `part` is a version's "schema".
void CheckSchema(const Value& part, bool with_status, const FieldPath& place, FieldErrors& errors) {
  const Value* schema = json::Find(part, "openAPIV3Schema");
  if (schema == nullptr || !schema->is_object()) return;
  const FieldPath path = place.Child("openAPIV3Schema");
  if (HasRules(*schema)) {
    errors.push_back(json::ForbiddenError(
        path, "x-kubernetes-validations: this version of Annex does not evaluate CEL rules yet"));
    return;
  }
  if (FieldErrors found = ValidateSchema(*schema, with_status, path); !found.empty()) {
    json::Append(errors, std::move(found));
  } else if (const auto compiled = schema::Schema::Compile(*schema); !compiled) {
    errors.push_back(json::InvalidError(path, "", compiled.error().message));
  }
}

// Where the first character stands that is not printed; nullopt if there is none.
std::optional<std::size_t> FindUnprintable(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t begin = position;
    if (!base::IsPrintable(base::NextCodePoint(text, position))) return begin;
  }
  return std::nullopt;
}

void CheckDeprecation(const Value& version, const FieldPath& path, FieldErrors& errors) {
  const Value* warning = json::Find(version, "deprecationWarning");
  if (warning == nullptr || !warning->is_string()) return;
  const auto invalid = [&](const std::string& why) {
    // A text that may be missing is shown as JSON, not quoted as Go does it.
    errors.push_back({json::FieldErrorType::kInvalid, path.Child("deprecationWarning").Text(),
                      "Invalid value: " + json::ToJson(*warning) + ": " + why});
  };
  if (!json::FlagAt(version, {"deprecated"})) {
    invalid("can only be set for deprecated versions");
    return;
  }
  const auto& text = warning->get_ref<const std::string&>();
  if (text.size() > 256) invalid("must be <= 256 characters long");
  if (text.empty()) invalid("must not be an empty string");
  if (const auto at = FindUnprintable(text)) {
    invalid("must only contain printable UTF-8 characters; non-printable character found at index " +
            std::to_string(*at));
  }
}

// A schema is needed, of each version or of all.
void CheckSchemasGiven(const Value::array_t& versions, const FieldPath& spec, FieldErrors& errors) {
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Value* schema = json::FindPath(versions[i], {"schema", "openAPIV3Schema"});
    if (schema != nullptr && schema->is_object()) continue;
    errors.push_back(
        json::RequiredError(spec.Child("versions").Index(i).Child("schema").Child("openAPIV3Schema")));
  }
}

void CheckVersion(const Value& version, const CommonParts& common, const FieldPath& path,
                  FieldErrors& errors) {
  const std::string& name = json::TextAt(version, {"name"});
  if (const auto problems = base::CheckDns1035Label(name); !problems.empty())
    errors.push_back(json::InvalidError(path.Child("name"), name, base::Join(problems, ",")));
  CheckDeprecation(version, path, errors);
  if (!common.schema) CheckSchema(Part(version, "schema"), HasStatus(version), path.Child("schema"), errors);
  if (!common.subresources)
    CheckSubresources(Part(version, "subresources"), path.Child("subresources"), errors);
  if (!common.columns)
    CheckColumns(Part(version, "additionalPrinterColumns"), path.Child("additionalPrinterColumns"), errors);
  const Value& fields = Part(version, "selectableFields");
  if (common.selectable_fields || fields.empty()) return;
  const FieldPath place = path.Child("selectableFields");
  const Value* schema = json::FindPath(version, {"schema", "openAPIV3Schema"});
  if (common.schema || schema == nullptr) {
    // The words are upstream's, also where a schema is included, but has moved to the spec.
    errors.push_back(json::InvalidError(
        place, "", "may only be set when `version.schema.openAPIV3Schema` is not included"));
  } else {
    json::Append(errors, CheckSelectableFields(fields, *schema, place));
  }
}

}  // namespace

void ValidateVersions(const Value& definition, const FieldPath& spec, FieldErrors& errors) {
  const Value* list = json::FindPath(definition, {"spec", "versions"});
  const auto& versions = json::ItemsAt(definition, {"spec", "versions"});
  const CommonParts common = FindCommonParts(versions);
  CheckSchemasGiven(versions, spec, errors);
  std::set<std::string> names;
  std::size_t storage = 0;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    storage += json::FlagAt(versions[i], {"storage"}) ? 1U : 0U;
    names.insert(json::TextAt(versions[i], {"name"}));
    CheckVersion(versions[i], common, spec.Child("versions").Index(i), errors);
  }
  const auto refuse = [&](const char* why) {
    const std::string shown = InternalVersions(list == nullptr ? Value() : *list, common);
    errors.push_back({json::FieldErrorType::kInvalid, spec.Child("versions").Text(),
                      "Invalid value: " + shown + ": " + why});
  };
  if (names.size() != versions.size()) refuse("must contain unique version names");
  if (storage != 1) refuse("must have exactly one version marked as storage version");
  if (versions.empty()) return;
  // The first version's name is also the spec's in the internal form.
  const std::string& first = json::TextAt(versions.front(), {"name"});
  if (const auto problems = base::CheckDns1035Label(first); !first.empty() && !problems.empty())
    errors.push_back(json::InvalidError(spec.Child("version"), first, base::Join(problems, ",")));
}

void ValidateCommonParts(const Value& definition, const FieldPath& spec, FieldErrors& errors) {
  const auto& versions = json::ItemsAt(definition, {"spec", "versions"});
  if (versions.empty()) return;
  const CommonParts common = FindCommonParts(versions);
  const Value& version = versions.front();
  if (common.schema) {
    const bool with_status = std::any_of(versions.begin(), versions.end(), HasStatus);
    CheckSchema(Part(version, "schema"), with_status, spec.Child("validation"), errors);
  }
  if (common.subresources)
    CheckSubresources(Part(version, "subresources"), spec.Child("subresources"), errors);
  if (common.columns)
    CheckColumns(Part(version, "additionalPrinterColumns"), spec.Child("additionalPrinterColumns"), errors);
  const Value& fields = Part(version, "selectableFields");
  if (!common.selectable_fields || fields.empty()) return;
  const FieldPath place = spec.Child("selectableFields");
  const Value* schema = json::FindPath(version, {"schema", "openAPIV3Schema"});
  if (!common.schema || schema == nullptr) {
    errors.push_back(json::InvalidError(place, "", "may only be set when validations.schema is included"));
  } else {
    json::Append(errors, CheckSelectableFields(fields, *schema, place));
  }
}

}  // namespace annex::definition
