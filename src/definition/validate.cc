#include "annex/definition/validate.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/definition/conditions.h"
#include "annex/schema/object_meta.h"
#include "validate_conversion.h"
#include "validate_versions.h"

#include <algorithm>
#include <string>
#include <vector>

namespace annex::definition {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

void CheckNames(const Value& names, const FieldPath& path, FieldErrors& errors) {
  const auto check = [&](const char* field, bool mixed_case) {
    const std::string& name = json::TextAt(names, {field});
    if (name.empty()) return;
    const auto problems = base::CheckDns1035Label(mixed_case ? base::AsciiLower(name) : name);
    if (problems.empty()) return;
    const std::string prefix = mixed_case ? "may have mixed case, but should otherwise match: " : "";
    errors.push_back(json::InvalidError(path.Child(field), name, prefix + base::Join(problems, ",")));
  };
  const auto check_list = [&](const char* field) {
    const auto& items = json::ItemsAt(names, {field});
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].is_string()) continue;
      const auto problems = base::CheckDns1035Label(items[i].get<std::string>());
      if (!problems.empty()) {
        errors.push_back(json::InvalidError(path.Child(field).Index(i), items[i], base::Join(problems, ",")));
      }
    }
  };
  check("plural", false);
  check("singular", false);
  check("kind", true);
  check("listKind", true);
  check_list("shortNames");
  const std::string& kind = json::TextAt(names, {"kind"});
  if (!kind.empty() && kind == json::TextAt(names, {"listKind"})) {
    errors.push_back(
        json::InvalidError(path.Child("listKind"), kind, "kind and listKind may not be the same"));
  }
  check_list("categories");
}

void CheckGroup(const std::string& group, const FieldPath& path, FieldErrors& errors) {
  if (group.empty()) {
    errors.push_back(json::RequiredError(path));
  } else if (const auto problems = base::CheckDns1123Subdomain(group); !problems.empty()) {
    errors.push_back(json::InvalidError(path, group, base::Join(problems, ",")));
  } else if (group.find('.') == std::string::npos) {
    errors.push_back(json::InvalidError(path, group, "should be a domain with at least one dot"));
  }
}

void CheckScope(const std::string& scope, const FieldPath& path, FieldErrors& errors) {
  if (scope.empty()) {
    errors.push_back(json::RequiredError(path));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors.push_back(json::NotSupportedError(path, scope, {"Cluster", "Namespaced"}));
  }
}

bool IsProtectedGroup(const std::string& group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

// Community-owned groups need an approved annotation (KEP-1111).
void CheckApproval(const Value& definition, FieldErrors& errors) {
  if (!IsProtectedGroup(json::TextAt(definition, {"spec", "group"}))) return;
  const FieldPath path = FieldPath("metadata.annotations").Key("api-approved.kubernetes.io");
  const std::string& value =
      json::TextAt(definition, {"metadata", "annotations", "api-approved.kubernetes.io"});
  const bool is_url = value.find("://") != std::string::npos;
  if (value.empty()) {
    errors.push_back(json::RequiredError(
        path,
        "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
        "https://github.com/kubernetes/enhancements/pull/1111"));
  } else if (!value.starts_with("unapproved") && !is_url) {
    errors.push_back(json::InvalidError(
        path, value,
        "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or "
        "a reason "
        "starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111"));
  }
}

void CheckSpec(const Value& definition, const Value* old_definition, FieldErrors& errors) {
  const FieldPath spec("spec");
  CheckGroup(json::TextAt(definition, {"spec", "group"}), spec.Child("group"), errors);
  CheckScope(json::TextAt(definition, {"spec", "scope"}), spec.Child("scope"), errors);
  ValidateVersions(definition, spec, errors);
  const Value* names = json::FindPath(definition, {"spec", "names"});
  const Value none = Value::object();
  if (names == nullptr) names = &none;
  for (const char* field : {"plural", "singular", "kind", "listKind"}) {
    if (json::TextAt(*names, {field}).empty())
      errors.push_back(json::RequiredError(spec.Child("names").Child(field)));
  }
  CheckNames(*names, spec.Child("names"), errors);
  if (json::FlagAt(definition, {"spec", "preserveUnknownFields"})) {
    errors.push_back(json::InvalidError(spec.Child("preserveUnknownFields"), true,
                                        "cannot set to true, set x-kubernetes-preserve-unknown-fields to "
                                        "true in spec.versions[*].schema instead"));
  }
  json::Append(errors, ValidateConversion(definition, old_definition));
}

}  // namespace

void SetDefaults(Value& definition) {
  Value& spec = definition["spec"];
  if (!spec.is_object()) spec = Value::object();
  Value& names = spec["names"];
  if (!names.is_object()) names = Value::object();
  const std::string kind = json::TextAt(names, {"kind"});
  if (json::TextAt(names, {"singular"}).empty()) names["singular"] = base::AsciiLower(kind);
  if (json::TextAt(names, {"listKind"}).empty() && !kind.empty()) names["listKind"] = kind + "List";
  Value& conversion = spec["conversion"];
  if (!conversion.is_object()) conversion = {{"strategy", "None"}};
  Value* webhook = json::Find(conversion, "webhook");
  if (webhook == nullptr || !webhook->is_object()) return;
  Value* config = json::Find(*webhook, "clientConfig");
  if (config == nullptr && json::ItemsAt(*webhook, {"conversionReviewVersions"}).empty()) {
    conversion.erase("webhook");  // it says nothing
    return;
  }
  Value* service = config == nullptr ? nullptr : json::Find(*config, "service");
  if (service != nullptr && service->is_object() && json::Find(*service, "port") == nullptr)
    (*service)["port"] = 443;
}

FieldErrors ValidateDefinition(const Value& definition) {
  const std::string required_name = json::TextAt(definition, {"spec", "names", "plural"}) + "." +
                                    json::TextAt(definition, {"spec", "group"});
  schema::ObjectMetaRules rules;
  rules.namespaced = false;
  rules.name_check = [&](std::string_view name, bool prefix) {
    auto problems = schema::CheckObjectName(name, prefix);
    if (name != required_name) problems.emplace_back("must be spec.names.plural+\".\"+spec.group");
    return problems;
  };
  const Value* metadata = json::Find(definition, "metadata");
  FieldErrors errors =
      schema::ValidateObjectMeta(metadata == nullptr ? Value() : *metadata, rules, FieldPath("metadata"));
  CheckSpec(definition, nullptr, errors);
  json::Append(errors, ValidateStoredVersions(definition));
  CheckApproval(definition, errors);
  return errors;
}

FieldErrors ValidateDefinitionUpdate(const Value& definition, const Value& old_definition) {
  FieldErrors errors;
  CheckSpec(definition, &old_definition, errors);
  const auto require_same = [&](std::initializer_list<std::string_view> path) {
    const Value* now = json::FindPath(definition, path);
    const Value* before = json::FindPath(old_definition, path);
    const Value missing = "";
    if ((now == nullptr ? missing : *now) == (before == nullptr ? missing : *before)) return;
    FieldPath field;
    for (const std::string_view key : path) field = field.Child(key);
    errors.push_back(json::InvalidError(field, now == nullptr ? missing : *now, "field is immutable"));
  };
  if (ConditionIsTrue(old_definition, "Established")) {
    require_same({"spec", "scope"});
    require_same({"spec", "names", "kind"});
  }
  require_same({"spec", "group"});
  require_same({"spec", "names", "plural"});
  json::Append(errors, ValidateStoredVersions(definition));
  CheckApproval(definition, errors);
  return errors;
}

FieldErrors ValidateStoredVersions(const Value& definition) {
  const FieldPath path("status.storedVersions");
  const Value stored = json::ItemsAt(definition, {"status", "storedVersions"});
  if (stored.empty()) return {json::InvalidError(path, stored, "must have at least one stored version")};
  FieldErrors errors;
  std::vector<std::string> served;
  for (const Value& version : json::ItemsAt(definition, {"spec", "versions"})) {
    const std::string& name = json::TextAt(version, {"name"});
    served.push_back(name);
    if (json::FlagAt(version, {"storage"}) &&
        std::find(stored.begin(), stored.end(), Value(name)) == stored.end()) {
      errors.push_back(json::InvalidError(path, stored, "must have the storage version " + name));
    }
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string name = stored[i].is_string() ? stored[i].get<std::string>() : "";
    if (std::find(served.begin(), served.end(), name) != served.end()) continue;
    errors.push_back(
        json::InvalidError(path.Index(i), stored[i],
                           "missing from spec.versions; " + name +
                               " was previously a storage version, and must remain in spec.versions until a "
                               "storage migration ensures no data remains persisted in " +
                               name + " and removes " + name + " from status.storedVersions"));
  }
  return errors;
}

}  // namespace annex::definition
