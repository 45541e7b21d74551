#include "validate_schema.h"

#include "annex/schema/default_checks.h"
#include "annex/schema/schema.h"
#include "internal_form.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace annex::definition {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

constexpr const char* kListType = "x-kubernetes-list-type";
constexpr const char* kListMapKeys = "x-kubernetes-list-map-keys";
constexpr const char* kMapType = "x-kubernetes-map-type";

bool Has(const Value& schema, const char* keyword) {
  const Value* value = json::Find(schema, keyword);
  return value != nullptr && !value->is_null();
}

const std::string& Type(const Value& schema) {
  return json::TextAt(schema, {"type"});
}

// A value as Go shows one of its internal structs.
json::FieldError InvalidInternal(const FieldPath& path, const std::string& shown, const std::string& why) {
  return {json::FieldErrorType::kInvalid, path.Text(), "Invalid value: " + shown + ": " + why};
}

// Where a schema stands.
struct Place {
  bool root = false;
  bool in_metadata = false;  // the metadata, apiVersion or kind of a resource, or below
  std::string no_defaults;   // why there may be none; "" if there may
};

// One schema's own checks and those of the schemas in it.
class SchemaChecker {
 public:
  void Check(const Value& schema, const FieldPath& path, const Place& place);
  FieldErrors Take() { return std::move(errors_); }
  // What keeps a structural schema from being made: what else it lacks is not worth saying then.
  const std::optional<std::string>& unsupported() const { return unsupported_; }

 private:
  void CheckUnsupported(const Value& schema, const FieldPath& path);
  void CheckForbidden(const Value& schema, const FieldPath& path, const Place& place);
  void CheckProperties(const Value& schema, const FieldPath& path, const Place& place);
  void CheckMapType(const Value& schema, const FieldPath& path);
  void CheckListType(const Value& schema, const FieldPath& path);
  void CheckListMap(const Value& schema, const FieldPath& path);
  void CheckKeysOfItems(const Value& schema, const FieldPath& path);
  void CheckNullableItems(const Value& schema, const FieldPath& path);
  void CheckInside(const Value& schema, const FieldPath& path, const Place& place);

  void Forbid(const FieldPath& path, const std::string& why) {
    errors_.push_back(json::ForbiddenError(path, why));
  }

  FieldErrors errors_;
  std::optional<std::string> unsupported_;
};

// Keywords that a structural schema has no place for.
void SchemaChecker::CheckUnsupported(const Value& schema, const FieldPath& path) {
  if (!json::TextAt(schema, {"$schema"}).empty()) unsupported_ = "OpenAPIV3Schema 'schema' is not supported";
  for (const char* keyword :
       {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
    const Value* value = json::Find(schema, keyword);
    const bool given = value != nullptr && !value->is_null() && (!value->is_object() || !value->empty());
    if (!given) continue;
    Forbid(path.Child(keyword), std::string(keyword) + " is not supported");
    unsupported_ = "OpenAPIV3Schema '" + std::string(keyword) + "' is not supported";
  }
}

void SchemaChecker::CheckForbidden(const Value& schema, const FieldPath& path, const Place& place) {
  static const std::vector<std::string> kTypes = {"array",  "boolean", "integer",
                                                  "number", "object",  "string"};
  const std::string& type = Type(schema);
  if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    errors_.push_back(json::NotSupportedError(path.Child("type"), type, kTypes));
  }
  if (Has(schema, "default") && !place.no_defaults.empty())
    Forbid(path.Child("default"), "must not be set " + place.no_defaults);
  CheckUnsupported(schema, path);
  if (type == "null")
    Forbid(path.Child("type"), "type cannot be set to null, use nullable as an alternative");
  if (const Value* items = json::Find(schema, "items"); items != nullptr && items->is_array()) {
    Forbid(path.Child("items"), "items must be a schema object and not an array");
    unsupported_ = "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  if (place.in_metadata && json::FlagAt(schema, {"x-kubernetes-embedded-resource"}))
    Forbid(path.Child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta");
  if (json::FlagAt(schema, {"uniqueItems"})) {
    Forbid(path.Child("uniqueItems"),
           "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  }
  const Value* properties = json::Find(schema, "properties");
  const Value* additional = json::Find(schema, "additionalProperties");
  if (properties != nullptr && !properties->empty() && additional != nullptr && !additional->is_null() &&
      *additional != true) {
    Forbid(path.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive");
  }
}

void SchemaChecker::CheckMapType(const Value& schema, const FieldPath& path) {
  if (!Has(schema, kMapType)) return;
  const std::string& map_type = json::TextAt(schema, {kMapType});
  if (Type(schema).empty()) {
    errors_.push_back(
        json::RequiredError(path.Child("type"), "must be object if x-kubernetes-map-type is specified"));
  } else if (Type(schema) != "object") {
    errors_.push_back(json::InvalidError(path.Child("type"), Type(schema),
                                         "must be object if x-kubernetes-map-type is specified"));
  }
  if (map_type != "atomic" && map_type != "granular") {
    errors_.push_back(json::NotSupportedError(path.Child(kMapType), map_type, {"atomic", "granular"}));
  }
}

void SchemaChecker::CheckListType(const Value& schema, const FieldPath& path) {
  const std::string& list_type = json::TextAt(schema, {kListType});
  const Value* keys = json::Find(schema, kListMapKeys);
  if (Has(schema, kListType)) {
    if (Type(schema).empty()) {
      errors_.push_back(
          json::RequiredError(path.Child("type"), "must be array if x-kubernetes-list-type is specified"));
    } else if (Type(schema) != "array") {
      errors_.push_back(json::InvalidError(path.Child("type"), Type(schema),
                                           "must be array if x-kubernetes-list-type is specified"));
    } else if (const Value* items = json::Find(schema, "items");
               list_type == "set" && items != nullptr && items->is_object()) {
      const std::string& item_list = json::TextAt(*items, {kListType});
      const std::string why = "must be atomic as item of a list with x-kubernetes-list-type=set";
      if (Type(*items) == "array" && !item_list.empty() && item_list != "atomic") {
        errors_.push_back(json::InvalidError(path.Child("items").Child(kListType), item_list, why));
      }
      if (Type(*items) == "object" && json::TextAt(*items, {kMapType}) != "atomic") {
        errors_.push_back(json::InvalidError(path.Child("items").Child(kMapType), nullptr, why));
      }
    }
    if (list_type != "atomic" && list_type != "set" && list_type != "map") {
      errors_.push_back(json::NotSupportedError(path.Child(kListType), list_type, {"atomic", "set", "map"}));
    }
  }
  if (keys != nullptr && !keys->empty() && list_type != "map") {
    const std::string why = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors_.push_back(Has(schema, kListType) ? json::InvalidError(path.Child(kListType), list_type, why)
                                             : json::RequiredError(path.Child(kListType), why));
  }
  if (list_type == "map") CheckListMap(schema, path);
}

void SchemaChecker::CheckListMap(const Value& schema, const FieldPath& path) {
  if (json::ItemsAt(schema, {kListMapKeys}).empty()) {
    errors_.push_back(
        json::RequiredError(path.Child(kListMapKeys), "must not be empty if x-kubernetes-list-type is map"));
  }
  const Value* items = json::Find(schema, "items");
  if (items == nullptr || items->is_null()) {
    errors_.push_back(
        json::RequiredError(path.Child("items"), "must have a schema if x-kubernetes-list-type is map"));
  } else if (!items->is_object()) {
    errors_.push_back(InvalidInternal(path.Child("items"), InternalItems(*items),
                                      "must only have a single schema if x-kubernetes-list-type is map"));
  } else if (Type(*items) != "object") {
    errors_.push_back(json::InvalidError(path.Child("items").Child("type"), Type(*items),
                                         "must be object if parent array's x-kubernetes-list-type is map"));
  } else {
    CheckKeysOfItems(schema, path);
  }
}

// REQUIRES: a list-type map whose items are objects.
void SchemaChecker::CheckKeysOfItems(const Value& schema, const FieldPath& path) {
  const Value& items = *json::Find(schema, "items");
  const Value* properties = json::Find(items, "properties");
  const Value keys = json::ItemsAt(schema, {kListMapKeys});
  std::set<std::string> known;
  for (const Value& item : keys) {
    const std::string& key = item.get_ref<const std::string&>();
    const FieldPath place = path.Child("items").Child("properties").Key(key);
    const Value* property = properties == nullptr ? nullptr : json::Find(*properties, key);
    if (property == nullptr) {
      errors_.push_back(
          json::InvalidError(path.Child(kListMapKeys), keys, "entries must all be names of item properties"));
    } else if (Type(*property) == "array" || Type(*property) == "object") {
      errors_.push_back(
          json::InvalidError(place.Child("type"), Type(items),
                             "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    if (!known.insert(key).second) {
      errors_.push_back(
          json::InvalidError(path.Child(kListMapKeys), keys, "must not contain duplicate entries"));
    }
  }
  const auto& required = json::ItemsAt(items, {"required"});
  for (const Value& key : keys) {
    const std::string& name = key.get_ref<const std::string&>();
    const Value* property = properties == nullptr ? nullptr : json::Find(*properties, name);
    if (property == nullptr) continue;
    const FieldPath place = path.Child("items").Child("properties").Key(name);
    if (std::find(required.begin(), required.end(), key) == required.end() && !Has(*property, "default")) {
      errors_.push_back(json::RequiredError(place.Child("default"),
                                            "this property is in x-kubernetes-list-map-keys, so it must have "
                                            "a default or be a required property"));
    }
    if (json::FlagAt(*property, {"nullable"})) {
      Forbid(place.Child("nullable"),
             "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }
}

void SchemaChecker::CheckNullableItems(const Value& schema, const FieldPath& path) {
  const std::string& list_type = json::TextAt(schema, {kListType});
  const Value* items = json::Find(schema, "items");
  if ((list_type != "set" && list_type != "map") || items == nullptr || !json::FlagAt(*items, {"nullable"}))
    return;
  Forbid(path.Child("items").Child("nullable"),
         "cannot be nullable when x-kubernetes-list-type is " + list_type);
}

void SchemaChecker::CheckProperties(const Value& schema, const FieldPath& path, const Place& place) {
  const Value* properties = json::Find(schema, "properties");
  if (properties == nullptr || !properties->is_object()) return;
  const bool resource = place.root || json::FlagAt(schema, {"x-kubernetes-embedded-resource"});
  for (const auto& [name, inner] : properties->get_ref<const Value::object_t&>()) {
    Place inside{false, place.in_metadata, place.no_defaults};
    if (resource && (name == "metadata" || name == "kind" || name == "apiVersion")) {
      inside.in_metadata = true;
      if (place.root) inside.no_defaults = "in top-level " + name;
    }
    Check(inner, path.Child("properties").Key(name), inside);
  }
}

void SchemaChecker::CheckInside(const Value& schema, const FieldPath& path, const Place& place) {
  const Place inside{false, place.in_metadata, place.no_defaults};
  if (const Value* additional = json::Find(schema, "additionalProperties")) {
    Place below = inside;
    // What is pruned would depend on the keys.
    if (place.in_metadata) below.no_defaults = "inside additionalProperties applying to object metadata";
    Check(*additional, path.Child("additionalProperties"), below);
  }
  CheckProperties(schema, path, place);
  if (const Value* inner = json::Find(schema, "not")) Check(*inner, path.Child("not"), inside);
  const auto check_list = [&](const char* keyword) {
    const auto& list = json::ItemsAt(schema, {keyword});
    for (std::size_t i = 0; i < list.size(); ++i) Check(list[i], path.Child(keyword).Index(i), inside);
  };
  const auto check_map = [&](const char* keyword) {
    const Value* members = json::Find(schema, keyword);
    if (members == nullptr || !members->is_object()) return;
    for (const auto& [name, inner] : members->get_ref<const Value::object_t&>())
      Check(inner, path.Child(keyword).Key(name), inside);
  };
  check_list("allOf");
  check_list("oneOf");
  check_list("anyOf");
  check_map("definitions");
  if (const Value* items = json::Find(schema, "items")) Check(*items, path.Child("items"), inside);
  check_list("items");
  check_map("dependencies");
  const Value* preserve = json::Find(schema, "x-kubernetes-preserve-unknown-fields");
  if (preserve != nullptr && *preserve == false) {
    errors_.push_back(json::InvalidError(path.Child("x-kubernetes-preserve-unknown-fields"), false,
                                         "must be true or undefined"));
    unsupported_ = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
}

void SchemaChecker::Check(const Value& schema, const FieldPath& path, const Place& place) {
  if (!schema.is_object()) return;
  CheckForbidden(schema, path, place);
  CheckInside(schema, path, place);
  CheckMapType(schema, path);
  CheckListType(schema, path);
  CheckNullableItems(schema, path);
}

// With a status subresource, status is also validated alone, by its own part of the schema: the root must say
// nothing about it. The first keyword in the order of Go's struct is reported.
void CheckRoot(const Value& schema, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<const char*> kBeforeType = {"id", "$schema", "$ref"};
  static const std::vector<const char*> kAfterType = {"nullable",
                                                      "default",
                                                      "enum",
                                                      "maxProperties",
                                                      "minProperties",
                                                      "allOf",
                                                      "oneOf",
                                                      "anyOf",
                                                      "not",
                                                      "additionalProperties",
                                                      "patternProperties",
                                                      "dependencies",
                                                      "additionalItems",
                                                      "definitions",
                                                      "x-kubernetes-embedded-resource",
                                                      "x-kubernetes-int-or-string",
                                                      kListMapKeys,
                                                      kListType,
                                                      kMapType};
  const auto given = [&](const char* keyword) {
    return Has(schema, keyword) && *json::Find(schema, keyword) != false;
  };
  const bool before = std::any_of(kBeforeType.begin(), kBeforeType.end(), given);
  const std::string& type = Type(schema);
  if (!before && !type.empty() && type != "object") {
    errors.push_back(json::InvalidError(path.Child("type"), type,
                                        "only \"object\" is allowed as the type at the root of the schema if "
                                        "the status subresource is enabled"));
  } else if (before || std::any_of(kAfterType.begin(), kAfterType.end(), given)) {
    errors.push_back(
        InvalidInternal(path, InternalSchema(schema),
                        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum "
                        "ExclusiveMinimum MaxLength MinLength Pattern MaxItems "
                        "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
                        "XPreserveUnknownFields XValidations] fields "
                        "are allowed at the root of the schema if the status subresource is enabled"));
  }
}

}  // namespace

FieldErrors ValidateSchema(const Value& schema, bool with_status, const FieldPath& path) {
  FieldErrors errors;
  if (with_status) CheckRoot(schema, path, errors);
  if (json::FlagAt(schema, {"nullable"}))
    errors.push_back(json::ForbiddenError(path.Child("nullable"), "nullable cannot be true at the root"));
  SchemaChecker checker;
  checker.Check(schema, path, {true, false, ""});
  if (!checker.unsupported()) {
    FieldErrors not_structural = schema::CheckStructural(schema, path);
    json::Append(errors,
                 not_structural.empty() ? schema::CheckDefaults(schema, path) : std::move(not_structural));
  }
  json::Append(errors, checker.Take());
  if (errors.empty() && checker.unsupported())
    errors.push_back(json::InvalidError(path, "", *checker.unsupported()));
  return errors;
}

}  // namespace annex::definition
