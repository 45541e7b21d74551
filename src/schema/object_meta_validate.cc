// k8s.io/apimachinery/pkg/api/validation/objectmeta.go: new objects.
#include "object_meta_validate.h"

#include "annex/base/strings.h"
#include "annex/schema/object_meta.h"

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

// A name that gets a suffix may end with a dash. Upstream replaces the dash together with the character
// before it.
std::string MaskTrailingDash(std::string_view name, bool prefix) {
  if (!prefix || name.size() < 2 || !name.ends_with('-')) return std::string(name);
  return std::string(name.substr(0, name.size() - 2)) + 'a';
}

void CheckNames(const Value& metadata, const ObjectMetaRules& rules, const FieldPath& path,
                FieldErrors& errors) {
  const std::string_view generate_name = MetaText(metadata, "generateName");
  if (!generate_name.empty()) {
    for (const std::string& problem : rules.name_check(generate_name, true)) {
      errors.push_back(json::InvalidError(path.Child("generateName"), generate_name, problem));
    }
  }
  const std::string_view name = MetaText(metadata, "name");
  if (name.empty()) {
    errors.push_back(json::RequiredError(path.Child("name"), "name or generateName is required"));
    return;
  }
  for (const std::string& problem : rules.name_check(name, false)) {
    errors.push_back(json::InvalidError(path.Child("name"), name, problem));
  }
}

void CheckNamespace(const Value& metadata, bool namespaced, const FieldPath& path, FieldErrors& errors) {
  const std::string_view name = MetaText(metadata, "namespace");
  if (!namespaced) {
    if (!name.empty()) errors.push_back(json::ForbiddenError(path, "not allowed on this type"));
    return;
  }
  if (name.empty()) {
    errors.push_back(json::RequiredError(path));
    return;
  }
  for (const std::string& problem : CheckNamespaceName(name, false)) {
    errors.push_back(json::InvalidError(path, name, problem));
  }
}

}  // namespace

std::string_view MetaText(const Value& metadata, std::string_view field) {
  const Value* found = json::Find(metadata, field);
  return found != nullptr && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                : std::string_view();
}

std::int64_t MetaInteger(const Value& metadata, std::string_view field) {
  const Value* found = json::Find(metadata, field);
  return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

base::NameProblems CheckObjectName(std::string_view name, bool prefix) {
  return base::CheckDns1123Subdomain(MaskTrailingDash(name, prefix));
}

base::NameProblems CheckNamespaceName(std::string_view name, bool prefix) {
  return base::CheckDns1123Label(MaskTrailingDash(name, prefix));
}

base::NameProblems CheckPathSegmentName(std::string_view name, bool prefix) {
  // A suffix makes a good name of "." and "..".
  if (name == "." || name == "..") return prefix ? base::NameProblems() : base::CheckPathSegment(name);
  return base::CheckPathSegment(name);
}

FieldErrors ValidateObjectMeta(const Value& metadata, const ObjectMetaRules& rules, const FieldPath& path) {
  FieldErrors errors;
  CheckNames(metadata, rules, path, errors);
  CheckNamespace(metadata, rules.namespaced, path.Child("namespace"), errors);
  if (const std::int64_t generation = MetaInteger(metadata, "generation"); generation < 0) {
    errors.push_back(
        json::InvalidError(path.Child("generation"), generation, "must be greater than or equal to 0"));
  }
  if (const Value* labels = json::Find(metadata, "labels")) {
    json::Append(errors, ValidateLabels(*labels, path.Child("labels")));
  }
  if (const Value* annotations = json::Find(metadata, "annotations")) {
    json::Append(errors, ValidateAnnotations(*annotations, path.Child("annotations")));
  }
  CheckOwnerReferences(metadata, path, errors);
  CheckFinalizers(metadata, path, errors);
  CheckManagedFields(metadata, path, errors);
  return errors;
}

}  // namespace annex::schema
