// TypeBuilder: makes Types from a structural schema and from tables of structs.
//
// Thread rule: used by one thread. Ownership: types go into the deque that it was given and stay in their
// place.
#pragma once

#include "annex/ownership/object_type.h"

#include <deque>
#include <map>
#include <string>

namespace annex::ownership {

class TypeBuilder {
 public:
  explicit TypeBuilder(std::deque<Type>& types) : types_(types) {}

  const Type* ForCustomResource(const schema::Node& root);
  const Type* ForStruct(const schema::TypedStruct& structure);

 private:
  // Whether unknown fields are kept holds for all that lies below, too.
  enum class Unknown : std::uint8_t { kRefuse, kKeep };

  Type* Add() { return &types_.emplace_back(); }
  const Type* Scalar(Type::Scalar scalar);
  // A list or map of anything, owned as a whole.
  const Type* Untyped();
  // Whatever the value is: maps are owned by key, lists as a whole.
  const Type* Deduced();

  const Type* ForNode(const schema::Node& node, Unknown unknown);
  ListType ListOf(const schema::Node& node, Unknown unknown);
  MapType MapOf(const schema::Node& node, Unknown unknown);
  const Type* OthersOf(const schema::Node& node, Unknown unknown);
  // Whether a place has apiVersion, kind and metadata, declared or not.
  bool IsObject(const schema::Node& node) const { return &node == root_ || node.embedded_resource; }
  void AddObjectFields(MapType& map);

  const Type* ForField(const schema::TypedType& type, const std::string& place);

  std::deque<Type>& types_;
  const schema::Node* root_ = nullptr;
  std::map<const schema::TypedStruct*, const Type*> structs_;
  const Type* untyped_ = nullptr;
  const Type* deduced_ = nullptr;
};

}  // namespace annex::ownership
