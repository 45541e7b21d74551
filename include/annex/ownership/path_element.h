// PathElement: one step from an object or list to a field or item below it, as metadata.managedFields names
// them (sigs.k8s.io/structured-merge-diff/fieldpath):
//
//   f:NAME       a field of an object
//   k:{"a":1}    the item of a list-type map whose key fields have these values
//   v:VALUE      the item of a list-type set
//   i:N          the item at a place; never written by servers of today, but understood
//
// Numbers in elements that were read are floating-point numbers, as upstream's reader makes them: texts of
// conflicts show [port=1e+06].
//
// Thread rule: a value type.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annex::ownership {

class PathElement {
 public:
  static PathElement Field(std::string name);
  // `fields` is an object with the key fields that the item has.
  static PathElement Key(json::Value fields);
  static PathElement Item(json::Value value);
  static PathElement Index(std::int64_t index);

  // Reads "f:spec". nullopt: a kind of element that servers of today do not know; readers skip it.
  // Errors: BadRequest.
  static base::Result<std::optional<PathElement>> Parse(std::string_view text);

  // "f:spec"
  std::string Serialize() const;
  // As messages show it: ".spec", `[name="a"]`, `[="x"]`, "[3]".
  std::string Text() const;

  bool IsField() const { return kind_ == Kind::kField; }
  bool IsKey() const { return kind_ == Kind::kKey; }
  const std::string& field_name() const { return name_; }  // REQUIRES: IsField()

  // The order of elements in a set: fields, keys, items, indices, each by their values (numbers as numbers).
  int Compare(const PathElement& other) const;
  bool operator==(const PathElement& other) const { return Compare(other) == 0; }
  bool operator<(const PathElement& other) const { return Compare(other) < 0; }

 private:
  enum class Kind : std::uint8_t { kField, kKey, kItem, kIndex };
  PathElement(Kind kind, std::string name, json::Value value)
      : kind_(kind), name_(std::move(name)), value_(std::move(value)) {}

  Kind kind_;
  std::string name_;   // kField
  json::Value value_;  // kKey: an object; kItem: any scalar; kIndex: an integer
};

}  // namespace annex::ownership
