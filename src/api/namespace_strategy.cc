#include "namespace_strategy.h"

#include "annex/schema/types.h"
#include "table.h"

namespace annex::api {
namespace {

using json::Value;

// Every namespace carries its name as a label, so that selectors of namespaces can name it.
void SetNameLabel(Value& object) {
  object["metadata"]["labels"]["kubernetes.io/metadata.name"] = json::TextAt(object, {"metadata", "name"});
}

}  // namespace

NamespaceStrategy::NamespaceStrategy(store::CollectionId collection)
    : BuiltinStrategy({"", "v1", "namespaces", "Namespace", schema::NamespaceType()}, collection) {}

std::vector<TableColumn> NamespaceStrategy::Columns() const {
  static const json::JsonPath kPhase = json::JsonPath::Compile(".status.phase").value();
  return {{"Status", "string", "", "The status of the namespace", 0, kPhase}, AgeColumn()};
}

base::Result<void> NamespaceStrategy::CheckDeletable(const std::string& name) const {
  if (name != "default" && name != "kube-system" && name != "kube-public") return {};
  return base::Error(Forbidden(resource(), name, "this namespace may not be deleted"));
}

void NamespaceStrategy::PrepareForCreate(Value& object) const {
  object["spec"] = {{"finalizers", {"kubernetes"}}};
  object["status"] = {{"phase", "Active"}};
  SetNameLabel(object);
}

json::FieldErrors NamespaceStrategy::Validate(const Value& object) const {
  schema::ObjectMetaRules rules;
  rules.namespaced = false;
  rules.name_check = schema::CheckNamespaceName;
  return schema::ValidateObjectMeta(*json::Find(object, "metadata"), rules, json::FieldPath("metadata"));
}

void NamespaceStrategy::PrepareForUpdate(Value& object, const Value& old_object,
                                         Subresource subresource) const {
  if (subresource == Subresource::kStatus) {
    object["spec"] = *json::Find(old_object, "spec");
  } else {
    for (const char* part : {"spec", "status"}) object[part] = *json::Find(old_object, part);
  }
  SetNameLabel(object);
}

json::FieldErrors NamespaceStrategy::ValidateUpdate(const Value& object, const Value& old_object,
                                                    Subresource subresource) const {
  return {};
}

bool NamespaceStrategy::HasPendingFinalizers(const Value& object) const {
  return Strategy::HasPendingFinalizers(object) || !json::ItemsAt(object, {"spec", "finalizers"}).empty();
}

void NamespaceStrategy::BeginDeletion(Value& object, const std::string& now) const {
  object["status"]["phase"] = "Terminating";
}

}  // namespace annex::api
