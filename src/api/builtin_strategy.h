// What the built-in types that Annex serves itself (definitions and namespaces, in standalone mode) have in
// common: they are read as Go structs, stored in one form, and selected by labels and names only.
#pragma once

#include "strategy.h"

#include <string>
#include <vector>

namespace annex::api {

// The one version of a built-in type, as field ownership sees it.
class BuiltinVersion final : public ownership::Versions {
 public:
  BuiltinVersion(const schema::TypedStruct& type, std::string api_version)
      : type_(type), api_version_(std::move(api_version)) {}
  const ownership::ObjectType* TypeOf(std::string_view api_version) const override {
    return api_version == api_version_ ? &type_ : nullptr;
  }
  base::Result<json::Value> Convert(const json::Value& object, std::string_view api_version) const override;

 private:
  const ownership::ObjectType type_;
  const std::string api_version_;
};

class BuiltinStrategy : public Strategy {
 public:
  struct Identity {
    std::string group;
    std::string version;
    std::string plural;
    std::string kind;
    const schema::TypedStruct& type;
    const ownership::Versions& versions;
  };
  BuiltinStrategy(Identity identity, store::CollectionId collection)
      : identity_(std::move(identity)), list_kind_(identity_.kind + "List"), collection_(collection) {}

  const std::string& group() const override { return identity_.group; }
  const std::string& version() const override { return identity_.version; }
  const std::string& plural() const override { return identity_.plural; }
  const std::string& kind() const override { return identity_.kind; }
  const std::string& list_kind() const override { return list_kind_; }
  bool namespaced() const override { return false; }
  bool builtin() const override { return true; }
  bool HasStatus() const override { return true; }
  store::CollectionId collection() const override { return collection_; }

  bool ServesAsStored(std::uint64_t format) const override { return format == kFormat; }
  std::uint64_t terms_format() const override { return kFormat; }
  base::Result<void> FromStored(json::Value& /*object*/) const override { return {}; }
  base::Result<store::Mutation::State> ToStored(json::Value object) const override;
  const schema::TypedStruct* go_struct() const override { return &identity_.type; }
  std::vector<MergedList> merged_lists() const override {
    return {{"metadata.finalizers"}, {"metadata.ownerReferences", "uid"}};
  }
  base::Result<void> Coerce(json::Value& object, std::vector<std::string>* unknown_fields) const override;
  const ownership::Versions& versions() const override { return identity_.versions; }
  json::Value NewObject() const override;
  base::Result<void> CompleteApplied(json::Value& object) const override;

 private:
  // Raised when the stored form of a built-in type changes.
  static constexpr std::uint64_t kFormat = 2;

  const Identity identity_;
  const std::string list_kind_;
  const store::CollectionId collection_;
};

}  // namespace annex::api
