// The strategy of CustomResourceDefinitions
// (k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition).
//
// It checks and stores definitions. What follows from one (conditions, serving, the end of its objects) is
// the work of source::DefinitionController, which watches them.
#pragma once

#include "builtin_strategy.h"

namespace annex::api {

class DefinitionStrategy final : public BuiltinStrategy {
 public:
  explicit DefinitionStrategy(store::CollectionId collection);

  std::vector<TableColumn> Columns() const override;
  base::Result<void> Coerce(json::Value& object, std::vector<std::string>* unknown_fields) const override;
  void PrepareForCreate(json::Value& object) const override;
  json::FieldErrors Validate(const json::Value& object) const override;
  void PrepareForUpdate(json::Value& object, const json::Value& old_object,
                        Subresource subresource) const override;
  json::FieldErrors ValidateUpdate(const json::Value& object, const json::Value& old_object,
                                   Subresource subresource) const override;
  std::vector<std::string> WarningsFor(const json::Value& object,
                                       const json::Value* old_object) const override;
  ownership::FieldSet ResetFields(Subresource subresource) const override;
  // A definition goes when its objects are gone.
  bool DeletesGracefully() const override { return true; }
  bool BeginsDeletionItself() const override { return true; }
  void BeginDeletion(json::Value& object, const std::string& now) const override;
};

}  // namespace annex::api
