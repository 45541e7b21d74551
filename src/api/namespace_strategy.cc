#include "namespace_strategy.h"

#include "annex/base/names.h"
#include "annex/schema/types.h"
#include "table.h"

#include <algorithm>

namespace annex::api {
namespace {

using json::Value;

// What the controller of namespaces takes off when a namespace is empty.
constexpr const char* kFinalizer = "kubernetes";

// Every namespace carries its name as a label, so that selectors of namespaces can name it.
void SetNameLabel(Value& object) {
  object["metadata"]["labels"]["kubernetes.io/metadata.name"] = json::TextAt(object, {"metadata", "name"});
}

// Built-in types take no finalizers of their own invention, as custom resources do with a warning.
void CheckFinalizer(const Value& finalizer, const json::FieldPath& path, json::FieldErrors& errors) {
  const std::string& name = finalizer.get_ref<const std::string&>();
  const bool standard = name == "orphan" || name == "foregroundDeletion" || name == kFinalizer;
  if (standard || name.find('/') != std::string::npos) return;
  errors.push_back(
      json::InvalidError(path, name, "name is neither a standard finalizer name nor is it fully qualified"));
}

const ownership::Versions& OnlyVersion() {
  static const BuiltinVersion version(schema::NamespaceType(), "v1");
  return version;
}

}  // namespace

NamespaceStrategy::NamespaceStrategy(store::CollectionId collection)
    : BuiltinStrategy({"", "v1", "namespaces", "Namespace", schema::NamespaceType(), OnlyVersion()},
                      collection) {}

std::vector<TableColumn> NamespaceStrategy::Columns() const {
  static const json::JsonPath kPhase = json::JsonPath::Compile(".status.phase").value();
  // Printers of compiled-in types write ages as text.
  TableColumn age = AgeColumn();
  age.type = "string";
  age.time = TableColumn::Time::kAge;
  return {{"Status", "string", "", "The status of the namespace", 0, kPhase}, std::move(age)};
}

std::vector<MergedList> NamespaceStrategy::merged_lists() const {
  std::vector<MergedList> lists = BuiltinStrategy::merged_lists();
  lists.push_back({"status.conditions", "type"});
  return lists;
}

base::Result<void> NamespaceStrategy::CheckDeletable(const std::string& name) const {
  if (name != "default" && name != "kube-system" && name != "kube-public") return {};
  return base::Error(Forbidden(resource(), name, "this namespace may not be deleted"));
}

void NamespaceStrategy::PrepareForCreate(Value& object) const {
  Value& finalizers = object["spec"]["finalizers"];
  if (!finalizers.is_array()) finalizers = Value::array();
  if (std::find(finalizers.begin(), finalizers.end(), Value(kFinalizer)) == finalizers.end())
    finalizers.push_back(kFinalizer);
  object["status"] = {{"phase", "Active"}};
  SetNameLabel(object);
}

json::FieldErrors NamespaceStrategy::Validate(const Value& object) const {
  schema::ObjectMetaRules rules;
  rules.namespaced = false;
  rules.name_check = schema::CheckNamespaceName;
  auto errors =
      schema::ValidateObjectMeta(*json::Find(object, "metadata"), rules, json::FieldPath("metadata"));
  const Value& in_metadata = json::ItemsAt(object, {"metadata", "finalizers"});
  for (std::size_t i = 0; i < in_metadata.size(); ++i) {
    CheckFinalizer(in_metadata[i], json::FieldPath("metadata").Child("finalizers").Index(i), errors);
  }
  for (const Value& finalizer : json::ItemsAt(object, {"spec", "finalizers"})) {
    const json::FieldPath path = json::FieldPath("spec").Child("finalizers");
    for (std::string& problem : base::CheckQualifiedName(finalizer.get_ref<const std::string&>())) {
      errors.push_back(json::InvalidError(path, finalizer, std::move(problem)));
    }
    CheckFinalizer(finalizer, path, errors);
  }
  return errors;
}

void NamespaceStrategy::PrepareForUpdate(Value& object, const Value& old_object,
                                         Subresource subresource) const {
  if (subresource == Subresource::kStatus) {
    object["spec"] = *json::Find(old_object, "spec");
    if (json::TextAt(object, {"status", "phase"}).empty()) object["status"]["phase"] = "Active";
  } else {
    for (const char* part : {"spec", "status"}) object[part] = *json::Find(old_object, part);
  }
  SetNameLabel(object);
}

json::FieldErrors NamespaceStrategy::ValidateUpdate(const Value& object, const Value& /*old_object*/,
                                                    Subresource subresource) const {
  if (subresource != Subresource::kStatus) return {};
  const bool terminating = json::FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
  const std::string& phase = json::TextAt(object, {"status", "phase"});
  if (phase == (terminating ? "Terminating" : "Active")) return {};
  return {json::InvalidError(json::FieldPath("status.Phase"), phase,
                             terminating ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                                         : "may only be 'Active' if `deletionTimestamp` is empty")};
}

// The label is a default, and so belongs to who makes the namespace.
base::Result<void> NamespaceStrategy::Coerce(Value& object, std::vector<std::string>* unknown_fields) const {
  ANNEX_RETURN_IF_ERROR(BuiltinStrategy::Coerce(object, unknown_fields));
  if (!json::TextAt(object, {"metadata", "name"}).empty()) SetNameLabel(object);
  return {};
}

ownership::FieldSet NamespaceStrategy::ResetFields(Subresource subresource) const {
  return ownership::FieldSet::Of({{subresource == Subresource::kStatus ? "spec" : "status"}});
}

bool NamespaceStrategy::HasPendingFinalizers(const Value& object) const {
  return Strategy::HasPendingFinalizers(object) || !json::ItemsAt(object, {"spec", "finalizers"}).empty();
}

void NamespaceStrategy::BeginDeletion(Value& object, const std::string& /*now*/) const {
  object["status"]["phase"] = "Terminating";
}

}  // namespace annex::api
