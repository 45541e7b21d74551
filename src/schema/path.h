// The way from the root of a document to the place where a recursive function is, kept on the stack of the
// recursion.
//
// A frame costs nothing but its own bytes; text is made only when there is something to report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace annex::schema {

struct PathFrame {
  enum class Kind : std::uint8_t {
    kRoot,
    kProperty,  // a field that the schema names
    kKey,       // a key of a map (additionalProperties)
    kIndex,     // an item of an array
  };

  // The frame of a whole document; `path` is the path of the document itself, mostly "".
  static PathFrame Root(std::string_view path = {}) { return {nullptr, Kind::kRoot, path, 0}; }
  PathFrame Property(std::string_view field) const { return {this, Kind::kProperty, field, 0}; }
  PathFrame Key(std::string_view key) const { return {this, Kind::kKey, key, 0}; }
  PathFrame Index(std::size_t item) const { return {this, Kind::kIndex, {}, item}; }

  const PathFrame* parent;
  Kind kind;
  std::string_view name;
  std::size_t index;
};

// "spec.limits.cpu", "spec.items[2]": how unknown fields are reported.
std::string DottedPath(const PathFrame& frame);

// The same, except that a key of a map always has its dot: ".cpu" in a document whose root is a map. So does
// kube-openapi.
std::string OpenApiPath(const PathFrame& frame);

// "spec.limits[cpu]", "spec.items[2]": k8s.io/apimachinery's field.Path. "" for a nameless root.
std::string FieldPathText(const PathFrame& frame);

}  // namespace annex::schema
