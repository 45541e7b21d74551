// The strategy of namespaces in standalone mode (k8s.io/kubernetes/pkg/registry/core/namespace).
//
// It stores namespaces; emptying one that is being deleted is the work of source::StandaloneNamespaces, which
// watches them.
#pragma once

#include "builtin_strategy.h"

namespace annex::api {

class NamespaceStrategy final : public BuiltinStrategy {
 public:
  explicit NamespaceStrategy(store::CollectionId collection);

  std::vector<TableColumn> Columns() const override;
  bool AllowsUnconditionalUpdate() const override { return true; }
  std::vector<MergedList> merged_lists() const override;
  base::Result<void> CheckDeletable(const std::string& name) const override;
  void PrepareForCreate(json::Value& object) const override;
  json::FieldErrors Validate(const json::Value& object) const override;
  void PrepareForUpdate(json::Value& object, const json::Value& old_object,
                        Subresource subresource) const override;
  json::FieldErrors ValidateUpdate(const json::Value& object, const json::Value& old_object,
                                   Subresource subresource) const override;
  base::Result<void> Coerce(json::Value& object, std::vector<std::string>* unknown_fields) const override;
  ownership::FieldSet ResetFields(Subresource subresource) const override;
  bool HasPendingFinalizers(const json::Value& object) const override;
  void BeginDeletion(json::Value& object, const std::string& now) const override;
};

}  // namespace annex::api
