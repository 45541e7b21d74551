// Which schemas a definition may have, with the errors of kube-apiserver 1.34.4 for the others.
#include "annex/definition/validate.h"
#include "annex/json/yaml.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::definition {
namespace {

struct Case {
  const char* schema;
  std::vector<std::string> errors;  // below spec.validation.openAPIV3Schema
};

json::Value DefinitionWith(const std::string& schema, const std::string& subresources = "{}") {
  json::Value definition = json::ParseYaml(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: )" + subresources + R"(
    schema: {openAPIV3Schema: )" + schema + R"(}
status: {storedVersions: [v1]}
)")
                               .value();
  SetDefaults(definition);
  return definition;
}

void CheckErrors(const json::Value& definition, const std::vector<std::string>& expected) {
  const std::string place = "spec.validation.openAPIV3Schema";
  std::vector<std::string> found;
  for (const json::FieldError& error : ValidateDefinition(definition)) {
    const std::string message = error.Message();
    found.push_back(message.starts_with(place) ? message.substr(place.size()) : message);
  }
  CHECK(found == expected);
}

// The schema of a field of an object.
std::string Field(const std::string& schema) {
  return "{type: object, properties: {a: " + schema + "}}";
}

}  // namespace

TEST_CASE("schemas that kube-apiserver refuses are refused in its words", "[definition][schema]") {
  const Case cases[] = {
      {"{type: string}", {".type: Invalid value: \"string\": must be object at the root"}},
      {"{properties: {a: {}}}",
       {".properties[a].type: Required value: must not be empty for specified object fields",
        ".type: Required value: must not be empty at the root"}},
      {"{type: object, $ref: x}", {".$ref: Forbidden: $ref is not supported"}},
      {"{type: object, nullable: true}", {".nullable: Forbidden: nullable cannot be true at the root"}},
  };
  for (const Case& item : cases) {
    INFO(item.schema);
    CheckErrors(DefinitionWith(item.schema), item.errors);
  }
}

TEST_CASE("keywords of fields that cannot be served are refused", "[definition][schema]") {
  const Case cases[] = {
      {"{type: foo}",
       {".properties[a].type: Unsupported value: \"foo\": supported values: \"array\", \"boolean\", "
        "\"integer\", \"number\", "
        "\"object\", \"string\""}},
      {"{type: array, items: [{type: string}]}",
       {".properties[a].items: Forbidden: items must be a schema object and not an array"}},
      {"{type: array}", {".properties[a].items: Required value: must be specified"}},
      {"{type: array, items: {type: string}, uniqueItems: true}",
       {".properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
        "complexity becomes quadratic"}},
      {"{type: object, properties: {x: {type: string}}, additionalProperties: {type: string}}",
       {".properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual "
        "exclusive"}},
      {"{type: object, x-kubernetes-preserve-unknown-fields: false}",
       {".properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or "
        "undefined"}},
      {"{type: string, pattern: '['}",
       {".properties[a].pattern: Invalid value: \"[\": must be a valid regular expression, but isn't: error "
        "parsing regexp: missing "
        "closing ]: `[`"}},
  };
  for (const Case& item : cases) {
    INFO(item.schema);
    CheckErrors(DefinitionWith(Field(item.schema)), item.errors);
  }
}

TEST_CASE("lists with a type have items that fit it", "[definition][schema]") {
  const std::string keys = ".properties[a].x-kubernetes-list-map-keys: ";
  const Case cases[] = {
      {"{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map}",
       {keys + "Required value: must not be empty if x-kubernetes-list-type is map"}},
      {"{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, "
       "x-kubernetes-list-map-keys: [z]}",
       {keys + "Invalid value: [\"z\"]: entries must all be names of item properties"}},
      {"{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, "
       "x-kubernetes-list-map-keys: [k]}",
       {".properties[a].items.properties[k].default: Required value: this property is in "
        "x-kubernetes-list-map-keys, so it must have "
        "a default or be a required property"}},
      {"{type: array, items: {type: object, required: [k], properties: {k: {type: string}}}, "
       "x-kubernetes-list-type: map, "
       "x-kubernetes-list-map-keys: [k]}",
       {}},
      {"{type: array, items: {type: string, nullable: true}, x-kubernetes-list-type: set}",
       {".properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"}},
      {"{type: string, x-kubernetes-list-type: set}",
       {".properties[a].type: Invalid value: \"string\": must be array if x-kubernetes-list-type is "
        "specified"}},
      {"{type: array, items: {type: string}, x-kubernetes-list-type: foo}",
       {".properties[a].x-kubernetes-list-type: Unsupported value: \"foo\": supported values: \"atomic\", "
        "\"set\", \"map\""}},
      {"{type: array, items: {type: string}, x-kubernetes-list-map-keys: [k]}",
       {".properties[a].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is "
        "non-empty"}},
      {"{type: object, x-kubernetes-map-type: foo}",
       {".properties[a].x-kubernetes-map-type: Unsupported value: \"foo\": supported values: \"atomic\", "
        "\"granular\""}},
  };
  for (const Case& item : cases) {
    INFO(item.schema);
    CheckErrors(DefinitionWith(Field(item.schema)), item.errors);
  }
}

TEST_CASE("a default is valid by its own schema", "[definition][schema]") {
  const Case cases[] = {
      {"{type: string, default: x}", {}},
      {"{type: string, default: 5}",
       {".properties[a].default: Invalid value: \"integer\":  in body must be of type string: \"integer\""}},
      {"{type: array, items: {type: string}, default: [1]}",
       {".properties[a].default.[0]: Invalid value: \"integer\": [0] in body must be of type string: "
        "\"integer\""}},
      {"{type: object, default: {c: 5}, properties: {b: {type: string}}}",
       {".properties[a].default: Invalid value: {\"c\":5}: must not have unknown fields"}},
      {"{type: object, default: {b: 5}, properties: {b: {type: string}}}",
       {".properties[a].default.b: Invalid value: \"integer\": b in body must be of type string: "
        "\"integer\""}},
  };
  for (const Case& item : cases) {
    INFO(item.schema);
    CheckErrors(DefinitionWith(Field(item.schema)), item.errors);
  }
}

TEST_CASE("a root that status could not be taken out of is refused", "[definition][schema]") {
  CheckErrors(DefinitionWith("{type: string}", "{status: {}}"),
              {".type: Invalid value: \"string\": only \"object\" is allowed as the type at the root of the "
               "schema if the status "
               "subresource is enabled",
               ".type: Invalid value: \"string\": must be object at the root"});
  const std::string with_rule =
      "{type: object, properties: {b: {type: integer}}, anyOf: [{properties: {b: {minimum: 1}}}]}";
  CheckErrors(DefinitionWith(with_rule), {});
  CHECK(ValidateDefinition(DefinitionWith(with_rule, "{status: {}}")).size() == 1);
}

TEST_CASE("a default in metadata leaves the metadata valid", "[definition][schema]") {
  const std::string place = ".properties[a].properties[metadata].properties[";
  const Case cases[] = {
      {"{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, "
       "properties: "
       "{name: {type: string, default: A/b}}}}}",
       {place +
        "name].default: Invalid value: \"A/b\": must result in valid metadata: metadata.name: Invalid "
        "value: \"A/b\": may not contain '/'"}},
      {"{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, "
       "properties: "
       "{labels: {type: object, additionalProperties: {type: string, default: x}}}}}}",
       {place +
        "labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties "
        "applying to object metadata"}},
  };
  for (const Case& item : cases) {
    INFO(item.schema);
    CheckErrors(DefinitionWith(Field(item.schema)), item.errors);
  }
}

TEST_CASE("a version's name is checked for itself and for the spec", "[definition]") {
  json::Value definition = DefinitionWith("{type: object}");
  definition["spec"]["versions"][0]["name"] = "V1";
  definition["status"]["storedVersions"] = {"V1"};
  const json::FieldErrors errors = ValidateDefinition(definition);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].field == "spec.versions[0].name");
  CHECK(errors[1].field == "spec.version");
}

TEST_CASE("versions are shown as Go holds them", "[definition]") {
  json::Value definition = DefinitionWith("{type: object}");
  definition["spec"]["versions"][0]["storage"] = false;
  const json::FieldErrors errors = ValidateDefinition(definition);
  REQUIRE_FALSE(errors.empty());
  CHECK(errors[0].body ==
        "Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":false,\"Deprecated\":false,"
        "\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,"
        "\"SelectableFields\":null}]: must have exactly one version marked as storage version");
}

TEST_CASE("formats that nothing checks are told", "[definition]") {
  CHECK(UnrecognizedFormats(DefinitionWith(Field("{type: string, format: nothing}"))) ==
        std::vector<std::string>{"nothing"});
  CHECK(UnrecognizedFormats(DefinitionWith(Field("{type: string, format: date-time}"))).empty());
  CHECK(UnrecognizedFormats(DefinitionWith(Field("{type: integer, format: nothing}"))).empty());
}

}  // namespace annex::definition
