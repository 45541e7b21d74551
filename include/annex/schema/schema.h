// Schema: a structural OpenAPI v3 schema of a custom resource, compiled: pruning, defaulting and validation
// with the decisions and the words of kube-apiserver (k8s.io/apiextensions-apiserver,
// k8s.io/kube-openapi/pkg/validation).
//
// What happens to the JSON of a request, in this order (customresource_handler.go):
//
//   Coerce    object metadata and embedded resources' metadata read as structs; unknown fields pruned; nulls
//   dropped where the
//             schema is not nullable and has no default
//   Default   missing fields that have a default are set
//   …         (the verb's own changes)
//   Validate, ValidateEmbedded, ValidateListTypes, their errors in this order, as
//   registry/customresource/strategy.go has it
//             (with the checks of the scale subresource behind Validate)
//
// and to a stored object when it is read: Coerce (malformed metadata is dropped instead of refused), Default.
//
// Where Go goes through a map in a random order, keys are taken in bytewise order here. About one object at
// most kMaxErrors errors (src/schema/limits.h) with 4 MiB of text are reported.
//
// Thread rule: a compiled Schema is immutable and thread-safe. Ownership: shared_ptr<const Schema>.
// Recursion goes as deep as the document (json::kMaxDepth); threads have stacks for that (base::Thread).
#pragma once

#include "annex/base/result.h"
#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "annex/schema/object_meta.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace annex::schema {

class Node;

// What the programs of all patterns of one schema may add up to (16 bytes each): a pattern of a few bytes can
// need a thousand.
inline constexpr std::size_t kMaxPatternInstructions = 8UL * 1024 * 1024;

// What keeps a schema from being structural, with kube-apiserver's words
// (pkg/apiserver/schema/validation.go), sorted by message. `open_api_v3_schema` has been read through
// JsonSchemaPropsType().
json::FieldErrors CheckStructural(const json::Value& open_api_v3_schema, const json::FieldPath& path);

class Schema {
 public:
  // Compiles `spec.versions[i].schema.openAPIV3Schema`. A definition that was validated compiles.
  // Errors: Invalid (it is not structural, a keyword has a value of the wrong type, or a pattern cannot be
  // compiled; the message names the place).
  static base::Result<std::shared_ptr<const Schema>> Compile(const json::Value& open_api_v3_schema);
  ~Schema();

  // Reads `object` as the schema says. Unknown fields are removed; their paths go to `unknown_fields` (may be
  // nullptr) in kube-apiserver's order: metadata's first, then the others, then those of embedded resources'
  // metadata. With MalformedFields::kDrop also a missing metadata.generation becomes 1, as in very old
  // objects. Errors: BadRequest (metadata of the wrong type; with kDrop only if it is no object).
  base::Result<void> Coerce(json::Value& object, MalformedFields malformed,
                            std::vector<std::string>* unknown_fields) const;

  // Errors: RequestEntityTooLarge (defaults within defaults make too much of the object, which is then
  // unspecified).
  base::Result<void> Default(json::Value& object) const;

  // Everything that the schema finds wrong with a new object.
  json::FieldErrors Validate(const json::Value& object) const;
  // The same for a change: what is wrong with unchanged, correlatable parts is not reported (ratcheting).
  json::FieldErrors ValidateUpdate(const json::Value& object, const json::Value& old_object) const;
  // Only the part below properties.status, as a write to /status is checked, with ratcheting.
  json::FieldErrors ValidateStatusUpdate(const json::Value& object, const json::Value& old_object) const;

  // Embedded resources' apiVersion, kind and metadata ("spec.template.metadata.labels: Invalid value …").
  json::FieldErrors ValidateEmbedded(const json::Value& object) const;

  // The items of list-type sets and the keys of list-type maps are unique. On a change the caller reports the
  // errors only if the old object had none.
  json::FieldErrors ValidateListTypes(const json::Value& object) const;

  // Whether Default can change anything at all: false lets reads skip it.
  bool HasDefaults() const;

  // The compiled root, for those who walk the schema themselves (field ownership, columns, selectable
  // fields).
  const Node& root() const { return *root_; }

 private:
  explicit Schema(std::unique_ptr<const Node> root);
  std::unique_ptr<const Node> root_;
};

}  // namespace annex::schema
