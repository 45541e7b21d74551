#include "custom_resource_strategy.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/definition/registry.h"
#include "annex/json/write.h"
#include "field_management.h"
#include "nested_field.h"
#include "table.h"

#include <algorithm>
#include <limits>
#include <set>

namespace annex::api {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

// A replica count at one of the scale paths must be a whole number that fits in 32 bits and is not negative.
void CheckReplicas(const Value& object, const definition::KeyPath& path, const std::string& text,
                   FieldErrors& errors) {
  const FieldPath field(text);
  const auto replicas = NestedField(object, path);
  if (!replicas) {
    errors.push_back(json::InvalidError(field, 0, replicas.error().message));
    return;
  }
  if (*replicas == nullptr) return;
  if (!(*replicas)->is_number_integer()) {
    errors.push_back(json::InvalidError(field, 0, AccessorProblem(path, **replicas, "int64")));
    return;
  }
  const auto count = (*replicas)->get<std::int64_t>();
  if (count < 0) {
    errors.push_back(json::InvalidError(field, count, "should be a non-negative integer"));
  } else if (count > std::numeric_limits<std::int32_t>::max()) {
    errors.push_back(json::InvalidError(field, count, "should be less than or equal to 2147483647"));
  }
}

// Everything outside metadata equal? Then the generation stays.
bool SameOutsideMetadata(const Value& a, const Value& b) {
  const auto& left = a.get_ref<const Value::object_t&>();
  const auto& right = b.get_ref<const Value::object_t&>();
  const auto count = [](const Value::object_t& object) { return object.size() - object.count("metadata"); };
  if (count(left) != count(right)) return false;
  return std::all_of(left.begin(), left.end(), [&right](const auto& member) {
    if (member.first == "metadata") return true;
    const auto other = right.find(member.first);
    return other != right.end() && other->second == member.second;
  });
}

std::set<std::string> Finalizers(const Value& object) {
  std::set<std::string> names;
  for (const Value& item : json::ItemsAt(object, {"metadata", "finalizers"})) {
    if (item.is_string()) names.insert(item.get<std::string>());
  }
  return names;
}

}  // namespace

CustomResourceStrategy::CustomResourceStrategy(std::shared_ptr<const definition::Resource> resource,
                                               const definition::Version& version,
                                               conversion::WebhookConverter& converter)
    : resource_(std::move(resource)), version_(version), converter_(converter), field_versions_(resource_) {}

// One column whose path cannot be read makes kube-apiserver show the name alone.
std::vector<TableColumn> CustomResourceStrategy::Columns() const {
  if (version_.columns.empty()) return {AgeColumn()};
  std::vector<TableColumn> columns;
  for (const definition::Column& column : version_.columns) {
    if (!column.path) return {};
    std::string description = column.description;
    if (description.empty())
      description = "Custom resource definition column (in JSONPath format): " + column.path_text;
    columns.push_back(
        {column.name, column.type, column.format, std::move(description), column.priority, *column.path});
  }
  return columns;
}

bool CustomResourceStrategy::ServesAsStored(std::uint64_t format) const {
  return version_.storage && format == resource_->format();
}

base::Result<void> CustomResourceStrategy::FromStored(Value& object) const {
  ANNEX_RETURN_IF_ERROR(resource_->ReadStored(object));
  if (HasWebhook()) return {};
  return resource_->ToVersion(object, version_);
}

base::Result<store::Mutation::State> CustomResourceStrategy::ToStored(Value object) const {
  if (!version_.storage && !HasWebhook()) {
    ANNEX_RETURN_IF_ERROR(resource_->ToVersion(object, resource_->storage_version()));
  }
  // kube-apiserver defaults what it reads instead; here it is read as it is stored.
  if (!version_.storage) ANNEX_RETURN_IF_ERROR(resource_->DefaultForStorage(object));
  store::Mutation::State state;
  state.terms = resource_->TermsOf(object);
  state.body = ToBody(object);
  state.format = resource_->format();
  return state;
}

bool CustomResourceStrategy::ListsThroughWebhook() const {
  return HasWebhook() && (!version_.storage || resource_->stores_other_versions());
}

base::Task<base::Result<std::vector<Value>>> CustomResourceStrategy::Convert(
    std::vector<Value> objects, const definition::Version& version, base::Executor& executor) const {
  std::vector<Value> revisions;
  std::vector<bool> foreign;
  for (Value& object : objects) {
    Value& metadata = object["metadata"];
    revisions.push_back(metadata.contains("resourceVersion") ? std::move(metadata["resourceVersion"])
                                                             : Value());
    metadata.erase("resourceVersion");
    foreign.push_back(resource_->VersionOf(object) != &version);
  }
  std::string api_version = resource_->ApiVersion(version);
  ANNEX_CO_TRY(std::vector<Value> converted,
               co_await converter_.Convert(resource_->webhook(), std::move(api_version), std::move(objects),
                                           executor));
  for (std::size_t i = 0; i < converted.size(); ++i) {
    if (foreign[i]) ANNEX_CO_RETURN_IF_ERROR(resource_->Prune(converted[i], version));
    if (!revisions[i].is_null()) converted[i]["metadata"]["resourceVersion"] = std::move(revisions[i]);
  }
  co_return converted;
}

base::Task<base::Result<std::vector<Value>>> CustomResourceStrategy::ConvertFromStored(
    std::vector<Value> objects, base::Executor& executor) const {
  if (!HasWebhook()) co_return objects;
  co_return co_await Convert(std::move(objects), version_, executor);
}

base::Task<base::Result<Value>> CustomResourceStrategy::ConvertToStorage(Value object,
                                                                         base::Executor& executor) const {
  if (!HasWebhook() || version_.storage) co_return object;
  std::vector<Value> objects;
  objects.push_back(std::move(object));
  ANNEX_CO_TRY(std::vector<Value> converted,
               co_await Convert(std::move(objects), resource_->storage_version(), executor));
  co_return std::move(converted.front());
}

std::uint64_t CustomResourceStrategy::conversion_form() const {
  const auto index = static_cast<std::uint64_t>(&version_ - resource_->versions().data());
  return (resource_->serial() << 8U) | index;
}

const definition::SelectableField* CustomResourceStrategy::FindField(std::string_view field) const {
  const auto found = std::find_if(version_.selectable_fields.begin(), version_.selectable_fields.end(),
                                  [field](const auto& known) { return known.name == field; });
  return found == version_.selectable_fields.end() ? nullptr : &*found;
}

std::optional<std::string> CustomResourceStrategy::FieldTerm(std::string_view field) const {
  const auto* found = FindField(field);
  if (found == nullptr) return std::nullopt;
  return found->term;
}

std::string CustomResourceStrategy::FieldValue(const Value& object, std::string_view field) const {
  const auto* found = FindField(field);
  if (found == nullptr) return "";
  const auto nested = NestedField(object, found->path);
  const Value* value = nested ? *nested : nullptr;
  if (value == nullptr || value->is_null() || value->is_structured()) return "";
  return value->is_string() ? value->get<std::string>() : json::ToJson(*value);
}

base::Result<void> CustomResourceStrategy::Coerce(Value& object,
                                                  std::vector<std::string>* unknown_fields) const {
  for (const char* key : {"kind", "apiVersion"}) {
    const Value* text = json::Find(object, key);
    if (text != nullptr && !text->is_string())
      return base::Error(BadRequest(AccessorProblem({key}, *text, "string")));
  }
  // An object of another kind is refused later, with a better message than its fields would give.
  if (json::TextAt(object, {"kind"}) != kind() || json::TextAt(object, {"apiVersion"}) != ApiVersion()) {
    return schema::CoerceObjectMeta(object, schema::MalformedFields::kRefuse, "", unknown_fields);
  }
  ANNEX_RETURN_IF_ERROR(version_.schema->Coerce(object, schema::MalformedFields::kRefuse, unknown_fields));
  return version_.schema->Default(object);
}

base::Result<void> CustomResourceStrategy::CheckCreatable(const std::string& name) const {
  if (!resource_->terminating()) return {};
  return base::Error(
      Forbidden(resource(), name, "create not allowed while custom resource definition is terminating"));
}

void CustomResourceStrategy::PrepareForCreate(Value& object) const {
  if (version_.has_status) {
    object.erase("status");
    // A status with a default comes back: kube-apiserver reads it out of what it stored.
    if (version_.storage && !version_.schema->Default(object)) object.erase("status");
  }
  object["metadata"]["generation"] = 1;
}

FieldErrors CustomResourceStrategy::CheckType(const Value& object) const {
  FieldErrors errors;
  const std::string& object_kind = json::TextAt(object, {"kind"});
  const std::string& api_version = json::TextAt(object, {"apiVersion"});
  if (object_kind != kind())
    errors.push_back(json::InvalidError(FieldPath("kind"), object_kind, "must be " + kind()));
  if (api_version != ApiVersion()) {
    errors.push_back(json::InvalidError(FieldPath("apiVersion"), api_version, "must be " + ApiVersion()));
  }
  return errors;
}

void CustomResourceStrategy::CheckScaleSpec(const Value& object, FieldErrors& errors) const {
  if (version_.scale)
    CheckReplicas(object, version_.scale->spec_replicas, version_.scale->spec_replicas_text, errors);
}

void CustomResourceStrategy::CheckScaleStatus(const Value& object, FieldErrors& errors) const {
  if (!version_.scale) return;
  CheckReplicas(object, version_.scale->status_replicas, version_.scale->status_replicas_text, errors);
  if (!version_.scale->label_selector) return;
  const FieldPath field(version_.scale->label_selector_text);
  const auto selector = NestedField(object, *version_.scale->label_selector);
  if (!selector) {
    errors.push_back(json::InvalidError(field, "", selector.error().message));
  } else if (*selector != nullptr && !(*selector)->is_string()) {
    errors.push_back(json::InvalidError(
        field, "", AccessorProblem(*version_.scale->label_selector, **selector, "string")));
  }
}

FieldErrors CustomResourceStrategy::Validate(const Value& object) const {
  FieldErrors errors = CheckType(object);
  if (!errors.empty()) return errors;
  const Value* metadata = json::Find(object, "metadata");
  schema::ObjectMetaRules rules;
  rules.namespaced = namespaced();
  errors =
      schema::ValidateObjectMeta(metadata == nullptr ? Value() : *metadata, rules, FieldPath("metadata"));
  json::Append(errors, version_.schema->Validate(object));
  CheckScaleSpec(object, errors);
  CheckScaleStatus(object, errors);
  json::Append(errors, version_.schema->ValidateEmbedded(object));
  json::Append(errors, version_.schema->ValidateListTypes(object));
  return errors;
}

void CustomResourceStrategy::PrepareForUpdate(Value& object, const Value& old_object,
                                              Subresource subresource) const {
  if (subresource == Subresource::kStatus) {
    // Of a write to /status only the status counts.
    const Value* status = json::Find(object, "status");
    Value updated = old_object;
    if (status != nullptr) {
      updated["status"] = *status;
    } else {
      updated.erase("status");
    }
    updated["metadata"]["resourceVersion"] = object["metadata"]["resourceVersion"];
    SetManagedFields(updated, TakeManagedFields(object));
    object = std::move(updated);
    return;
  }
  if (version_.has_status) {
    if (const Value* status = json::Find(old_object, "status")) {
      object["status"] = *status;
    } else {
      object.erase("status");
    }
  }
  if (!SameOutsideMetadata(object, old_object)) {
    object["metadata"]["generation"] = json::IntegerAt(old_object, {"metadata", "generation"}) + 1;
  }
}

FieldErrors CustomResourceStrategy::ValidateUpdate(const Value& object, const Value& old_object,
                                                   Subresource subresource) const {
  FieldErrors errors = CheckType(object);
  if (!errors.empty()) return errors;
  static const Value kNone = Value::object();
  const Value* metadata = json::Find(object, "metadata");
  const Value* old_metadata = json::Find(old_object, "metadata");
  errors = schema::ValidateObjectMetaUpdate(metadata == nullptr ? kNone : *metadata,
                                            old_metadata == nullptr ? kNone : *old_metadata,
                                            FieldPath("metadata"));
  if (subresource == Subresource::kStatus) {
    json::Append(errors, version_.schema->ValidateStatusUpdate(object, old_object));
  } else {
    json::Append(errors, version_.schema->ValidateUpdate(object, old_object));
    CheckScaleSpec(object, errors);
  }
  CheckScaleStatus(object, errors);
  if (subresource != Subresource::kStatus) json::Append(errors, version_.schema->ValidateEmbedded(object));
  // A list that had duplicates before may keep them.
  if (auto found = version_.schema->ValidateListTypes(object);
      !found.empty() && version_.schema->ValidateListTypes(old_object).empty()) {
    json::Append(errors, std::move(found));
  }
  return errors;
}

std::vector<std::string> CustomResourceStrategy::WarningsFor(const Value& object,
                                                             const Value* old_object) const {
  std::vector<std::string> warnings;
  const std::set<std::string> before =
      old_object == nullptr ? std::set<std::string>() : Finalizers(*old_object);
  for (const std::string& name : Finalizers(object)) {
    const bool standard = name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
    if (before.contains(name) || name.find('/') != std::string::npos || standard) continue;
    const std::string path_hint = name.find('.') != std::string::npos ? " including a path (/)" : "";
    warnings.push_back("metadata.finalizers: " + base::Quote(name) +
                       ": prefer a domain-qualified finalizer name" + path_hint +
                       " to avoid accidental conflicts with other finalizer writers");
  }
  return warnings;
}

base::Task<base::Result<Value>> CustomResourceStrategy::ConvertTo(Value object, std::string api_version,
                                                                  base::Executor& executor) const {
  object["metadata"].erase("resourceVersion");
  std::vector<Value> objects;
  objects.push_back(std::move(object));
  ANNEX_CO_TRY(std::vector<Value> converted,
               co_await converter_.Convert(resource_->webhook(), std::move(api_version), std::move(objects),
                                           executor));
  co_return std::move(converted.front());
}

ownership::FieldSet CustomResourceStrategy::ResetFields(Subresource subresource) const {
  if (subresource == Subresource::kStatus) return ownership::FieldSet::Of({{"spec"}});
  return version_.has_status ? ownership::FieldSet::Of({{"status"}}) : ownership::FieldSet();
}

ownership::ReplicasPaths CustomResourceStrategy::ReplicasPaths() const {
  ownership::ReplicasPaths paths;
  for (const definition::Version& version : resource_->versions()) {
    const bool scales = version.scale.has_value();
    paths[resource_->ApiVersion(version)] = scales ? version.scale->spec_replicas : definition::KeyPath();
  }
  return paths;
}

// Unlike a request's object it is not pruned: nulls that the schema does not allow are errors.
base::Result<void> CustomResourceStrategy::CompleteApplied(Value& object) const {
  ANNEX_RETURN_IF_ERROR(version_.schema->Default(object));
  return schema::CoerceObjectMeta(object, schema::MalformedFields::kDrop, "", nullptr);
}

std::vector<std::string> CustomResourceStrategy::RequestWarnings() const {
  if (!version_.deprecated) return {};
  if (version_.deprecation_warning) return {*version_.deprecation_warning};
  std::string warning = ApiVersion() + " " + kind() + " is deprecated";
  // The newest version that is served, not deprecated and newer than this one.
  const definition::Version* newest = nullptr;
  for (const definition::Version& other : resource_->versions()) {
    if (!other.served || other.deprecated || !definition::KubeAwareBefore(other.name, version_.name))
      continue;
    if (newest == nullptr || definition::KubeAwareBefore(other.name, newest->name)) newest = &other;
  }
  if (newest != nullptr) warning += "; use " + resource_->ApiVersion(*newest) + " " + kind();
  return {warning};
}

}  // namespace annex::api
