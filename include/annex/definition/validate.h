// What a CustomResourceDefinition must be, with kube-apiserver's field paths and words
// (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation).
//
// A definition is handled as its JSON (apiextensions.k8s.io/v1), read through
// schema::CustomResourceDefinitionType().
//
// Thread rule: free functions.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"

#include <string>
#include <vector>

namespace annex::definition {

// KEP-4358.
inline constexpr std::size_t kMaxSelectableFields = 8;

// Fills in what an author may leave out: names.singular, names.listKind, conversion, the webhook's port; and
// in a status storedVersions.
void SetDefaults(json::Value& definition);

// Default values are stored as kube-apiserver reads them: metadata of embedded resources loses the fields
// that there are none of. Called before a definition is checked, after its generation is set.
void ReadDefaultValues(json::Value& definition);

// What is wrong with a new definition. REQUIRES: SetDefaults was called, metadata is an object.
json::FieldErrors ValidateDefinition(const json::Value& definition);

// What is wrong with a change, beyond the definition itself: immutable fields. The caller checks metadata's
// own update rules.
json::FieldErrors ValidateDefinitionUpdate(const json::Value& definition, const json::Value& old_definition);

// What is wrong with status.acceptedNames.
json::FieldErrors ValidateAcceptedNames(const json::Value& definition);

// What is wrong with status.storedVersions: the storage version must be in it, and every version in it still
// in the spec.
json::FieldErrors ValidateStoredVersions(const json::Value& definition);

// The formats of strings in all schemas that no version of Kubernetes up to this one checks, in the order of
// the schemas; one may be there more than once.
std::vector<std::string> UnrecognizedFormats(const json::Value& definition);

}  // namespace annex::definition
