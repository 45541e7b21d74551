#include "annex/definition/validate.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/definition/approval.h"
#include "annex/definition/conditions.h"
#include "annex/schema/default_checks.h"
#include "annex/schema/object_meta.h"
#include "validate_conversion.h"
#include "validate_versions.h"

#include <algorithm>
#include <optional>
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

// `old_definition` is nullptr for a new one. A state that does not change is not judged again.
void CheckApproval(const Value& definition, const Value* old_definition, FieldErrors& errors) {
  const auto approval = ApprovalOf(definition);
  if (!approval) return;
  const auto before = old_definition == nullptr ? std::nullopt : ApprovalOf(*old_definition);
  if (before && before->state == approval->state) return;
  const FieldPath path = FieldPath("metadata.annotations").Key(kApprovalAnnotation);
  if (approval->state == Approval::State::kMissing) {
    errors.push_back(json::RequiredError(path, approval->message));
  } else if (approval->state == Approval::State::kInvalid) {
    errors.push_back(json::InvalidError(
        path, json::TextAt(definition, {"metadata", "annotations", kApprovalAnnotation}), approval->message));
  }
}

void CheckPreserveUnknownFields(const Value& definition, FieldErrors& errors) {
  if (!json::FlagAt(definition, {"spec", "preserveUnknownFields"})) return;
  errors.push_back(json::InvalidError(FieldPath("spec.preserveUnknownFields"), true,
                                      "cannot set to true, set x-kubernetes-preserve-unknown-fields to "
                                      "true in spec.versions[*].schema instead"));
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
  ValidateCommonParts(definition, spec, errors);
  json::Append(errors, ValidateConversion(definition, old_definition));
}

std::optional<std::string> StorageVersion(const Value& definition) {
  for (const Value& version : json::ItemsAt(definition, {"spec", "versions"})) {
    if (json::FlagAt(version, {"storage"})) return json::TextAt(version, {"name"});
  }
  return std::nullopt;
}

void SetWebhookDefaults(Value& conversion, Value& webhook) {
  Value* config = json::Find(webhook, "clientConfig");
  if (config == nullptr && json::ItemsAt(webhook, {"conversionReviewVersions"}).empty()) {
    conversion.erase("webhook");  // it says nothing
    return;
  }
  Value* service = config == nullptr ? nullptr : json::Find(*config, "service");
  if (service != nullptr && service->is_object() && json::Find(*service, "port") == nullptr)
    (*service)["port"] = 443;
}

std::string MissingVersionText(const std::string& version) {
  return "missing from spec.versions; " + version + " was previously a storage version" +
         ", and must remain in spec.versions until a storage migration ensures no data remains persisted "
         "in " +
         version + " and removes " + version + " from status.storedVersions";
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
  if (Value* webhook = json::Find(conversion, "webhook"); webhook != nullptr && webhook->is_object())
    SetWebhookDefaults(conversion, *webhook);
  const auto storage = StorageVersion(definition);
  Value* status = json::Find(definition, "status");
  if (status != nullptr && status->is_object() && storage &&
      json::ItemsAt(*status, {"storedVersions"}).empty()) {
    (*status)["storedVersions"] = Value::array({*storage});
  }
}

void ReadDefaultValues(Value& definition) {
  if (json::ItemsAt(definition, {"spec", "versions"}).empty()) return;
  for (Value& version : definition["spec"]["versions"]) {
    if (json::FindPath(version, {"schema", "openAPIV3Schema"}) != nullptr)
      schema::ReadDefaults(version["schema"]["openAPIV3Schema"]);
  }
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
  json::Append(errors, ValidateAcceptedNames(definition));
  json::Append(errors, ValidateStoredVersions(definition));
  CheckApproval(definition, nullptr, errors);
  CheckPreserveUnknownFields(definition, errors);
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
  json::Append(errors, ValidateAcceptedNames(definition));
  json::Append(errors, ValidateStoredVersions(definition));
  CheckApproval(definition, &old_definition, errors);
  CheckPreserveUnknownFields(definition, errors);
  return errors;
}

FieldErrors ValidateAcceptedNames(const Value& definition) {
  FieldErrors errors;
  if (const Value* names = json::FindPath(definition, {"status", "acceptedNames"}))
    CheckNames(*names, FieldPath("status.acceptedNames"), errors);
  return errors;
}

FieldErrors ValidateStoredVersions(const Value& definition) {
  const FieldPath path("status.storedVersions");
  const Value stored = json::ItemsAt(definition, {"status", "storedVersions"});
  if (stored.empty()) return {json::InvalidError(path, nullptr, "must have at least one stored version")};
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
    errors.push_back(json::InvalidError(path.Index(i), stored[i], MissingVersionText(name)));
  }
  return errors;
}

}  // namespace annex::definition
