#include "object_checks.h"

#include "annex/base/clock.h"
#include "annex/base/strings.h"

#include <algorithm>
#include <set>

namespace annex::api {

using json::Value;

base::Result<void> EnsureNamespace(const Context& context, Value& object) {
  Value& metadata = object["metadata"];
  const std::string& found = json::TextAt(metadata, {"namespace"});
  if (!context.strategy->namespaced()) {
    metadata.erase("namespace");
    return {};
  }
  const std::string& wanted = context.info.namespace_name;
  if (found == wanted) return {};
  if (!found.empty()) {
    return base::Error(
        BadRequest("the namespace of the provided object does not match the namespace sent on the request"));
  }
  metadata["namespace"] = wanted;
  return {};
}

base::Result<void> CheckNameMatches(const Context& context, const Value& object) {
  const std::string& name = json::TextAt(object, {"metadata", "name"});
  if (name == context.info.name) return {};
  if (name.empty()) {
    return base::Error(BadRequest("the name of the object (" + context.info.name +
                                  " based on URL) was undeterminable: name must be provided"));
  }
  return base::Error(BadRequest("the name of the object (" + name + ") does not match the name on the URL (" +
                                context.info.name + ")"));
}

void DedupOwnerReferences(Context& context, Value& object, DedupTime time) {
  Value* metadata = json::Find(object, "metadata");
  Value* references = metadata == nullptr ? nullptr : json::Find(*metadata, "ownerReferences");
  if (references == nullptr || !references->is_array()) return;
  Value::array_t kept;
  std::vector<std::string> duplicates;
  for (Value& reference : references->get_ref<Value::array_t&>()) {
    if (std::find(kept.begin(), kept.end(), reference) == kept.end()) {
      kept.push_back(std::move(reference));
      continue;
    }
    const std::string uid = json::TextAt(reference, {"uid"});
    if (std::find(duplicates.begin(), duplicates.end(), uid) == duplicates.end()) duplicates.push_back(uid);
  }
  *references = std::move(kept);
  if (duplicates.empty()) return;
  const std::string after = time == DedupTime::kAfterAdmission ? " after mutating admission happens" : "";
  context.Warn(
      ".metadata.ownerReferences contains duplicate entries" + after +
      "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; "
      "please fix your requests; duplicate UID(s) observed: " +
      base::Join(duplicates, ", "));
}

base::Result<void> CheckNamespaceLifecycle(const Context& context, const std::string& object_name,
                                           bool create) {
  if (!context.strategy->namespaced()) return {};
  const std::string& name = context.info.namespace_name;
  switch (context.parts.namespaces.State(name)) {
    case definition::NamespaceState::kActive:
      return {};
    case definition::NamespaceState::kMissing:
      return base::Error(NotFound({"", "namespaces"}, name));
    case definition::NamespaceState::kTerminating:
      break;
  }
  if (!create) return {};
  base::Status status =
      Forbidden(context.resource(), object_name,
                "unable to create new content in namespace " + name + " because it is being terminated");
  status.details.causes.push_back(
      {"NamespaceTerminating", "namespace " + name + " is being terminated", "metadata.namespace"});
  return base::Error(std::move(status));
}

void WipeSystemFields(Value& object) {
  Value& metadata = object["metadata"];
  for (const char* field :
       {"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    metadata.erase(field);
  }
}

void FillSystemFields(const Context& context, Value& object) {
  Value& metadata = object["metadata"];
  metadata["creationTimestamp"] = base::Rfc3339(context.parts.clock.Now());
  metadata["uid"] = context.parts.random.Uuid();
}

}  // namespace annex::api
