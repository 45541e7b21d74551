#include "definition_strategy.h"

#include "annex/base/strings.h"
#include "annex/definition/conditions.h"
#include "annex/definition/validate.h"
#include "annex/schema/types.h"
#include "field_management.h"

#include <algorithm>
#include <optional>
#include <string>

namespace annex::api {
namespace {

using json::Value;

constexpr const char* kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

std::optional<std::string> StorageVersion(const Value& object) {
  for (const Value& version : json::ItemsAt(object, {"spec", "versions"})) {
    if (json::FlagAt(version, {"storage"})) return json::TextAt(version, {"name"});
  }
  return std::nullopt;
}

// A version that becomes the storage version stays in status.storedVersions until a client takes it out.
void NoteStoredVersion(Value& object) {
  const auto storage = StorageVersion(object);
  Value& stored = object["status"]["storedVersions"];
  if (!stored.is_array()) stored = Value::array();
  if (storage && std::find(stored.begin(), stored.end(), Value(*storage)) == stored.end())
    stored.push_back(*storage);
}

const ownership::Versions& OnlyVersion() {
  static const BuiltinVersion version(schema::CustomResourceDefinitionType(), "apiextensions.k8s.io/v1");
  return version;
}

}  // namespace

DefinitionStrategy::DefinitionStrategy(store::CollectionId collection)
    : BuiltinStrategy({"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
                       schema::CustomResourceDefinitionType(), OnlyVersion()},
                      collection) {}

std::vector<TableColumn> DefinitionStrategy::Columns() const {
  static const json::JsonPath kPath = json::JsonPath::Compile(".metadata.creationTimestamp").value();
  TableColumn column{
      "Created At",
      "date",
      "",
      "CreationTimestamp is a timestamp representing the server time when this object was created. It is not "
      "guaranteed to be set in happens-before order across separate operations. Clients may not set this "
      "value. "
      "It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for "
      "lists. "
      "More info: "
      "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
      0,
      kPath};
  column.time = TableColumn::Time::kExact;
  return {column};
}

base::Result<void> DefinitionStrategy::Coerce(Value& object, std::vector<std::string>* unknown_fields) const {
  ANNEX_RETURN_IF_ERROR(BuiltinStrategy::Coerce(object, unknown_fields));
  definition::SetDefaults(object);
  return {};
}

void DefinitionStrategy::PrepareForCreate(Value& object) const {
  object["metadata"]["generation"] = 1;
  object["status"] = {{"acceptedNames", {{"kind", ""}, {"plural", ""}}}, {"conditions", nullptr}};
  NoteStoredVersion(object);
  definition::ReadDefaultValues(object);
}

json::FieldErrors DefinitionStrategy::Validate(const Value& object) const {
  return definition::ValidateDefinition(object);
}

void DefinitionStrategy::PrepareForUpdate(Value& object, const Value& old_object,
                                          Subresource subresource) const {
  if (subresource == Subresource::kStatus) {
    // kube-apiserver also takes labels and annotations here, by mistake; only the status counts
    // (docs/compatibility.md).
    Value updated = old_object;
    updated["status"] = object["status"];
    updated["metadata"]["resourceVersion"] = object["metadata"]["resourceVersion"];
    SetManagedFields(updated, TakeManagedFields(object));
    object = std::move(updated);
    return;
  }
  object["status"] = *json::Find(old_object, "status");
  NoteStoredVersion(object);
  if (object["spec"] != *json::Find(old_object, "spec")) {
    object["metadata"]["generation"] = json::IntegerAt(old_object, {"metadata", "generation"}) + 1;
  }
  definition::ReadDefaultValues(object);
}

json::FieldErrors DefinitionStrategy::ValidateUpdate(const Value& object, const Value& old_object,
                                                     Subresource subresource) const {
  // Upstream checks the change of metadata here and before: it is told twice.
  json::FieldErrors errors = schema::ValidateObjectMetaUpdate(
      *json::Find(object, "metadata"), *json::Find(old_object, "metadata"), json::FieldPath("metadata"));
  json::Append(errors, subresource == Subresource::kStatus
                           ? definition::ValidateAcceptedNames(object)
                           : definition::ValidateDefinitionUpdate(object, old_object));
  return errors;
}

std::vector<std::string> DefinitionStrategy::WarningsFor(const Value& object, const Value* old_object) const {
  const auto before =
      old_object == nullptr ? std::vector<std::string>() : definition::UnrecognizedFormats(*old_object);
  std::vector<std::string> warnings;
  for (const std::string& format : definition::UnrecognizedFormats(object)) {
    if (std::find(before.begin(), before.end(), format) == before.end())
      warnings.push_back("unrecognized format " + base::Quote(format));
  }
  return warnings;
}

ownership::FieldSet DefinitionStrategy::ResetFields(Subresource subresource) const {
  if (subresource == Subresource::kStatus) return ownership::FieldSet::Of({{"metadata"}, {"spec"}});
  return ownership::FieldSet::Of({{"status"}});
}

void DefinitionStrategy::BeginDeletion(Value& object, const std::string& now) const {
  Value& finalizers = object["metadata"]["finalizers"];
  if (!finalizers.is_array()) finalizers = Value::array();
  if (std::find(finalizers.begin(), finalizers.end(), Value(kCleanupFinalizer)) == finalizers.end()) {
    finalizers.push_back(kCleanupFinalizer);
  }
  definition::SetCondition(
      object,
      {"Terminating", "True", "InstanceDeletionPending",
       "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"},
      now);
}

}  // namespace annex::api
