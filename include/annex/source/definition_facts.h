// What is read off a definition of the cluster, or off its name.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"

#include <string>

namespace annex::source {

inline constexpr const char* kDefinitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

inline std::string NameOf(const json::Value& definition) {
  return json::TextAt(definition, {"metadata", "name"});
}

// The group in a definition's name: "PLURAL.GROUP".
inline std::string GroupOf(const std::string& name) {
  return name.substr(name.find('.') + 1);
}

inline bool IsDeleting(const json::Value& definition) {
  return json::FindPath(definition, {"metadata", "deletionTimestamp"}) != nullptr;
}

}  // namespace annex::source
