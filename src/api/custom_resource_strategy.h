// The strategy of custom resources: a definition's resource in one of its versions
// (k8s.io/apiextensions-apiserver/pkg/registry/customresource).
#pragma once

#include "annex/conversion/webhook_converter.h"
#include "annex/definition/resource.h"
#include "resource_versions.h"
#include "strategy.h"

#include <memory>
#include <string>
#include <vector>

namespace annex::api {

class CustomResourceStrategy final : public Strategy {
 public:
  // REQUIRES: `version` is one of the resource's. The converter must outlive the strategy.
  CustomResourceStrategy(std::shared_ptr<const definition::Resource> resource,
                         const definition::Version& version, conversion::WebhookConverter& converter);

  const definition::Resource& definition() const { return *resource_; }
  const std::shared_ptr<const definition::Resource>& shared_definition() const { return resource_; }

  const std::string& group() const override { return resource_->group(); }
  const std::string& version() const override { return version_.name; }
  const std::string& plural() const override { return resource_->names().plural; }
  const std::string& kind() const override { return resource_->names().kind; }
  const std::string& list_kind() const override { return resource_->names().list_kind; }
  bool namespaced() const override { return resource_->namespaced(); }
  store::CollectionId collection() const override { return resource_->collection(); }
  bool HasStatus() const override { return version_.has_status; }
  const definition::ScaleSubresource* scale() const override {
    return version_.scale ? &*version_.scale : nullptr;
  }
  std::vector<TableColumn> Columns() const override;

  bool ServesAsStored(std::uint64_t format) const override;
  std::uint64_t terms_format() const override { return resource_->format(); }
  base::Result<void> FromStored(json::Value& object) const override;
  base::Result<store::Mutation::State> ToStored(json::Value object) const override;
  bool StoresOtherVersion() const override { return !version_.storage; }
  bool Leaving() const override { return resource_->leaving(); }
  bool HasWebhook() const override { return resource_->webhook() != nullptr; }
  bool ListsThroughWebhook() const override;
  base::Task<base::Result<std::vector<json::Value>>> ConvertFromStored(
      std::vector<json::Value> objects, base::Executor& executor) const override;
  base::Task<base::Result<json::Value>> ConvertToStorage(json::Value object,
                                                         base::Executor& executor) const override;
  std::uint64_t conversion_form() const override;
  std::optional<std::string> FieldTerm(std::string_view field) const override;
  std::string FieldValue(const json::Value& object, std::string_view field) const override;

  base::Result<void> Coerce(json::Value& object, std::vector<std::string>* unknown_fields) const override;
  base::Result<void> CheckCreatable(const std::string& name) const override;
  void PrepareForCreate(json::Value& object) const override;
  json::FieldErrors Validate(const json::Value& object) const override;
  void PrepareForUpdate(json::Value& object, const json::Value& old_object,
                        Subresource subresource) const override;
  json::FieldErrors ValidateUpdate(const json::Value& object, const json::Value& old_object,
                                   Subresource subresource) const override;
  std::vector<std::string> WarningsFor(const json::Value& object,
                                       const json::Value* old_object) const override;
  std::vector<std::string> RequestWarnings() const override;
  const ownership::Versions& versions() const override { return field_versions_; }
  base::Task<base::Result<json::Value>> ConvertTo(json::Value object, std::string api_version,
                                                  base::Executor& executor) const override;
  ownership::FieldSet ResetFields(Subresource subresource) const override;
  ownership::ReplicasPaths ReplicasPaths() const override;
  base::Result<void> CompleteApplied(json::Value& object) const override;
  json::Value NewObject() const override { return {{"apiVersion", ApiVersion()}, {"kind", kind()}}; }

 private:
  // Objects in `version`, pruned by it; with their resourceVersions, which the webhook does not see.
  base::Task<base::Result<std::vector<json::Value>>> Convert(std::vector<json::Value> objects,
                                                             const definition::Version& version,
                                                             base::Executor& executor) const;
  json::FieldErrors CheckType(const json::Value& object) const;
  void CheckScaleSpec(const json::Value& object, json::FieldErrors& errors) const;
  void CheckScaleStatus(const json::Value& object, json::FieldErrors& errors) const;
  const definition::SelectableField* FindField(std::string_view field) const;

  const std::shared_ptr<const definition::Resource> resource_;
  const definition::Version& version_;
  conversion::WebhookConverter& converter_;
  const ResourceVersions field_versions_;
};

}  // namespace annex::api
