// Correlated: a value with the old value that stands at the same place, and whether both are the same
// (k8s.io/apiserver/pkg/cel/common/equality.go).
//
// "The same place" is decided by the schema: fields of objects by name, items of list-type maps by their
// keys. Items of other lists have no old value, and neither has a field that the schema does not specify.
//
// Thread rule: confined to one validation. Ownership: a value owns those below it; the documents and the
// schema outlive it.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/node.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace annex::schema {

class Correlated {
 public:
  // `old_value` is nullptr where there was none, which is the same as null.
  Correlated(const json::Value& value, const json::Value* old_value, const Node& schema);

  // The field or the item below; nullptr if it cannot be correlated.
  Correlated* Key(std::string_view field);
  Correlated* Index(std::size_t index);

  // Whether nothing has changed. Looked up once; items of list-type maps may have been reordered.
  bool IsUnchanged();

 private:
  bool Compare();
  bool CompareItems(const json::Value::array_t& items, const json::Value::array_t& old_items);
  bool CompareMembers(const json::Value::object_t& members, const json::Value::object_t& old_members);
  const json::Value* OldItem(const json::Value& item);

  const json::Value& value_;
  const json::Value& old_value_;
  const Node& schema_;
  std::optional<bool> unchanged_;
  std::map<std::string_view, std::unique_ptr<Correlated>> fields_;
  std::unordered_map<std::size_t, std::unique_ptr<Correlated>> items_;
  // The items of an old list-type map by key, the first of equal ones; made when first asked for.
  std::optional<std::unordered_map<std::string, const json::Value*>> old_items_;
};

}  // namespace annex::schema
