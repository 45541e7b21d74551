#include "openapi_data.h"

#include "annex/auth/digest.h"
#include "annex/base/check.h"
#include "annex/json/read.h"

#include <utility>

namespace annex::api {
namespace {

using json::Value;

constexpr std::string_view kTypes =
#include "openapi_types.inc"
    ;
constexpr std::string_view kParameters =
#include "openapi_parameters.inc"
    ;
constexpr std::string_view kBuiltinTypes =
#include "openapi_builtin_types.inc"
    ;
constexpr std::string_view kBuiltinPaths =
#include "openapi_builtin_paths.inc"
    ;

Value Read(std::string_view text) {
  auto value = json::Parse(text);
  ANNEX_CHECK(value.has_value(), "embedded OpenAPI data is not JSON");
  return *std::move(value);
}

Value Take(Value& object, const char* key) {
  Value* member = json::Find(object, key);
  ANNEX_CHECK(member != nullptr, "embedded OpenAPI data lacks a member");
  return std::move(*member);
}

}  // namespace

const OpenApiData& OpenApiData::Get() {
  static const OpenApiData data;
  return data;
}

OpenApiData::OpenApiData() {
  Value types = Read(kTypes);
  types_ = Take(types, "schemas");
  for (Value& kind : Take(types, "deleteOptionsKinds")) {
    const bool builtin = kind.erase("builtin") != 0;
    if (!builtin) delete_kinds_.push_back(kind);
    builtin_delete_kinds_.push_back(std::move(kind));
  }
  Value parameters = Read(kParameters);
  parameters_ = Take(parameters, "parameters");
  action_parameters_ = Take(parameters, "actions");
  path_parameters_ = Take(parameters, "paths");
  Value builtin_types = Read(kBuiltinTypes);
  builtin_types_ = Take(builtin_types, "schemas");
  builtin_type_names_ = Take(builtin_types, "documents");
  builtin_paths_ = Read(kBuiltinPaths);
  builtin_paths_.erase("source");
  for (const std::string_view text : {kTypes, kParameters, kBuiltinTypes, kBuiltinPaths})
    digest_ += auth::Sha256(text);
}

const Value& OpenApiData::ActionParameters(std::string_view action) const {
  const Value* found = json::Find(action_parameters_, action);
  ANNEX_CHECK(found != nullptr, "no parameters are known for an action");
  return *found;
}

const Value& OpenApiData::PathParameter(std::string_view name) const {
  const Value* found = json::Find(path_parameters_, name);
  ANNEX_CHECK(found != nullptr, "a parameter of paths is not known");
  return *found;
}

const Value* OpenApiData::BuiltinTypeNames(std::string_view document) const {
  return json::Find(builtin_type_names_, document);
}

const Value* OpenApiData::BuiltinPaths(std::string_view document) const {
  return json::Find(builtin_paths_, document);
}

std::vector<std::string> OpenApiData::BuiltinDocuments() const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : builtin_paths_.items()) names.push_back(name);
  return names;
}

}  // namespace annex::api
