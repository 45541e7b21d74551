// ObjectType: what field ownership has to know about the objects of one kind: which lists and maps are owned
// whole, by item or by key (k8s.io/kube-openapi/pkg/schemaconv).
//
// Made from a custom resource's structural schema or from the table of a built-in struct. Custom resources'
// metadata is metav1.ObjectMeta: finalizers are a set, ownerReferences a map by uid.
//
// Thread rule: immutable and thread-safe. Ownership: types point at one another; the ObjectType owns them.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/node.h"
#include "annex/schema/typed.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace annex::ownership {

struct Type;

struct ListType {
  bool atomic = true;             // owned as a whole
  std::vector<std::string> keys;  // if not atomic: the key fields of a list-type map; none for a set
  const Type* items = nullptr;
};

struct MapField {
  const Type* type = nullptr;
  std::optional<json::Value> default_value;  // what a key field that is not given counts as
};

struct MapType {
  bool atomic = false;  // owned as a whole
  std::map<std::string, MapField, std::less<>> fields;
  const Type* others = nullptr;  // the type of all other keys; nullptr if there may be none
  // No fields, and other keys of any type: such maps were never atomic, whatever the schema said before.
  bool deduced = false;
};

// The type of one place. It may allow several forms: what has no type in a schema can be a scalar, a list or
// a map, each with its own rules.
struct Type {
  enum class Scalar : std::uint8_t { kNone, kNumeric, kText, kBoolean, kAny };

  Scalar scalar = Scalar::kNone;
  std::optional<ListType> list;
  std::optional<MapType> map;

  // The field `name`, or nullptr if it is not declared.
  const MapField* FindField(std::string_view name) const;
  // The type below a map's key; nullptr if there may be none.
  const Type* Below(std::string_view name) const;
};

class ObjectType {
 public:
  // For the objects of a custom resource's version.
  explicit ObjectType(const schema::Node& schema);
  // For a built-in type.
  explicit ObjectType(const schema::TypedStruct& structure);
  ObjectType(const ObjectType&) = delete;
  ObjectType& operator=(const ObjectType&) = delete;

  const Type& root() const { return *root_; }

 private:
  std::deque<Type> types_;
  const Type* root_ = nullptr;
};

}  // namespace annex::ownership
