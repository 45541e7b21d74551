// metav1.ObjectMeta: reading it as kube-apiserver does, and its validation
// (k8s.io/apimachinery/pkg/api/validation).
//
// Used for the metadata of every object and of resources embedded in objects.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/names.h"
#include "annex/base/result.h"
#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "annex/schema/types.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::schema {

// What all annotations of an object may add up to, keys and values.
inline constexpr std::size_t kMaxAnnotationsBytes = 256UL * 1024;
// Names of field managers and of subresources in metadata.managedFields.
inline constexpr std::size_t kMaxFieldManagerLength = 128;
inline constexpr std::size_t kMaxSubresourceLength = 256;

enum class MalformedFields : std::uint8_t {
  kRefuse,  // a request: BadRequest with Go's text
  kDrop,    // a stored object from before there was a check: a field that cannot be read is left out
};

// Brings object["metadata"], if there is one, into the form that Go gives the struct: unknown fields and
// empty ones are dropped (the former reported as "metadata.foo", or "PATH.metadata.foo"; `unknown_fields` may
// be nullptr), times are in UTC and whole seconds, null becomes {}. Errors: BadRequest (`metadata` is no
// object; with kRefuse: a field has the wrong type).
base::Result<void> CoerceObjectMeta(json::Value& object, MalformedFields malformed, std::string_view path,
                                    std::vector<std::string>* unknown_fields);

// What a name must be: CheckDns1123Subdomain for custom resources, CheckDns1123Label for namespaces. `prefix`
// is true for generateName, to which a suffix will be added ("a-" is a valid prefix of a name).
using NameCheck = std::function<base::NameProblems(std::string_view name, bool prefix)>;
base::NameProblems CheckObjectName(std::string_view name, bool prefix);
base::NameProblems CheckNamespaceName(std::string_view name, bool prefix);
// What the name of an embedded resource must be at least.
base::NameProblems CheckPathSegmentName(std::string_view name, bool prefix);

struct ObjectMetaRules {
  bool namespaced = true;
  NameCheck name_check = CheckObjectName;
};

// What is wrong with the metadata of a new object. `metadata` has been coerced; null counts as empty.
json::FieldErrors ValidateObjectMeta(const json::Value& metadata, const ObjectMetaRules& rules,
                                     const json::FieldPath& path);

// What is wrong with a change of metadata: immutable fields, finalizers added during deletion, labels and so
// on. Neither the name nor the finalizers themselves are checked again.
json::FieldErrors ValidateObjectMetaUpdate(const json::Value& metadata, const json::Value& old_metadata,
                                           const json::FieldPath& path);

// What is wrong with labels (of metadata or of a selector), annotations, and the name of a field manager.
json::FieldErrors ValidateLabels(const json::Value& labels, const json::FieldPath& path);
json::FieldErrors ValidateAnnotations(const json::Value& annotations, const json::FieldPath& path);
json::FieldErrors ValidateFieldManager(std::string_view manager, const json::FieldPath& path);

}  // namespace annex::schema
