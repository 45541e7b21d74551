#include "annex/base/check.h"
#include "openapi_data.h"
#include "openapi_paths.h"
#include "openapi_schema.h"

#include <string>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

constexpr std::string_view kParameterPrefix = "#/parameters/";
constexpr std::string_view kDefinitionPrefix = "#/definitions/";

// A parameter, or the shared one that it refers to.
const Value& Resolve(const Value& parameter) {
  const std::string_view reference = json::TextAt(parameter, {"$ref"});
  if (!reference.starts_with(kParameterPrefix)) return parameter;
  const Value* shared =
      json::Find(OpenApiData::Get().parameters(), reference.substr(kParameterPrefix.size()));
  ANNEX_CHECK(shared != nullptr, "a path refers to a parameter that is not known");
  return *shared;
}

// In v3 a parameter's type is a schema of its own.
Value ParameterV3(const Value& parameter) {
  Value described = Value::object();
  Value schema = Value::object();
  for (const auto& [key, value] : parameter.get_ref<const Value::object_t&>()) {
    const bool own = key == "name" || key == "in" || key == "description" || key == "required";
    (own ? described : schema)[key] = value;
  }
  described["schema"] = std::move(schema);
  return described;
}

// A body's schema in each of its media types. It is a reference, or a simple type.
Value Content(const Value::array_t& media_types, const Value& schema) {
  const std::string& target = json::TextAt(schema, {"$ref"});
  const bool refers = target.starts_with(kDefinitionPrefix);
  const Value in_v3 =
      refers ? OpenApiReference(target.substr(kDefinitionPrefix.size()), OpenApiVersion::kV3) : schema;
  Value content = Value::object();
  for (const Value& type : media_types) content[type.get_ref<const std::string&>()] = {{"schema", in_v3}};
  return content;
}

Value ResponsesV3(const Value& responses, const Value::array_t& produces) {
  Value changed = Value::object();
  for (const auto& [code, response] : responses.get_ref<const Value::object_t&>()) {
    Value& one = changed[code];
    one["description"] = json::TextAt(response, {"description"});
    if (const Value* schema = json::Find(response, "schema")) one["content"] = Content(produces, *schema);
  }
  return changed;
}

Value RequestBody(const Value& body, const Value::array_t& consumes) {
  Value request = {{"content", Content(consumes, body.at("schema"))}};
  if (json::FlagAt(body, {"required"})) request["required"] = true;
  return request;
}

Value ParametersV3(const Value& parameters) {
  Value changed = Value::array();
  for (const Value& item : parameters) {
    const Value& parameter = Resolve(item);
    if (json::TextAt(parameter, {"in"}) != "body") changed.push_back(ParameterV3(parameter));
  }
  return changed;
}

Value OperationV3(const Value& operation) {
  const auto& consumes = json::ItemsAt(operation, {"consumes"});
  const auto& produces = json::ItemsAt(operation, {"produces"});
  Value changed = Value::object();
  for (const auto& [key, value] : operation.get_ref<const Value::object_t&>()) {
    if (key == "consumes" || key == "produces" || key == "schemes") continue;
    if (key == "responses") {
      changed[key] = ResponsesV3(value, produces);
    } else if (key == "parameters") {
      for (const Value& item : value) {
        const Value& parameter = Resolve(item);
        if (json::TextAt(parameter, {"in"}) == "body")
          changed["requestBody"] = RequestBody(parameter, consumes);
      }
      if (Value rest = ParametersV3(value); !rest.empty()) changed[key] = std::move(rest);
    } else {
      changed[key] = value;
    }
  }
  return changed;
}

}  // namespace

Value PathsV3(const Value& paths) {
  Value changed = Value::object();
  for (const auto& [path, item] : paths.get_ref<const Value::object_t&>()) {
    Value& one = changed[path];
    for (const auto& [key, value] : item.get_ref<const Value::object_t&>()) {
      one[key] = key == "parameters" ? ParametersV3(value) : OperationV3(value);
    }
  }
  return changed;
}

}  // namespace annex::api
