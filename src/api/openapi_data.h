// What OpenAPI documents say about types, parameters and paths that are no definition's own:
// data/openapi_*.json, which data/extract.py takes from a kube-apiserver.
//
// Schemas are kept in their OpenAPI v3 form and paths in their v2 form: these hold what the other version can
// be made of (openapi_schema.h, openapi_paths.h).
//
// Thread rule: immutable. Ownership: lives until the process ends. Failure: none; data that cannot be read
// ends the process.
#pragma once

#include "annex/json/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

inline constexpr std::string_view kMetaTypes = "io.k8s.apimachinery.pkg.apis.meta.v1.";
inline constexpr std::string_view kScaleTypes = "io.k8s.api.autoscaling.v1.Scale";

class OpenApiData {
 public:
  // Read when it is first asked for.
  static const OpenApiData& Get();

  // The types that custom resources refer to, by name: v3 schemas.
  const json::Value& types() const { return types_; }
  // The kinds that DeleteOptions names in documents of custom resources, and those in documents that hold
  // built-in types too.
  const json::Value& delete_kinds() const { return delete_kinds_; }
  const json::Value& builtin_delete_kinds() const { return builtin_delete_kinds_; }

  // Shared parameters, by their name in a v2 document.
  const json::Value& parameters() const { return parameters_; }
  // The v2 parameters of an action on a custom resource ("list", "put", …), without a body of its kind.
  const json::Value& ActionParameters(std::string_view action) const;
  // A v2 parameter of whole paths: "namespace", "pretty".
  const json::Value& PathParameter(std::string_view name) const;

  // The built-in types of standalone mode and what they refer to beyond types(), by name: v3 schemas.
  const json::Value& builtin_types() const { return builtin_types_; }
  // By the name of a v3 document ("api/v1"): the names of all its types, and its v2 paths. nullptr if there
  // is no such document.
  const json::Value* BuiltinTypeNames(std::string_view document) const;
  const json::Value* BuiltinPaths(std::string_view document) const;
  // The names of the v3 documents of built-in types.
  std::vector<std::string> BuiltinDocuments() const;

  // Changes when any of the above does.
  const std::string& digest() const { return digest_; }

 private:
  OpenApiData();

  json::Value types_;
  json::Value delete_kinds_ = json::Value::array();
  json::Value builtin_delete_kinds_ = json::Value::array();
  json::Value parameters_;
  json::Value action_parameters_;
  json::Value path_parameters_;
  json::Value builtin_types_;
  json::Value builtin_type_names_;
  json::Value builtin_paths_;
  std::string digest_;
};

}  // namespace annex::api
