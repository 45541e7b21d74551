// apiextensions.k8s.io/v1 JSONSchemaProps: the structs of types_jsonschema.go, and how marshal.go reads the
// choices.
#include "annex/schema/types.h"
#include "typed_build.h"

#include <memory>

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& ExternalDocumentationType() {
  static const TypedStruct type = Make("ExternalDocumentation", {
                                                                    {"description", Text()},
                                                                    {"url", Text()},
                                                                });
  return type;
}

const TypedStruct& ValidationRuleType() {
  static const TypedStruct type =
      Make("ValidationRule", {
                                 {"fieldPath", Text()},
                                 {"message", Text()},
                                 {"messageExpression", Text()},
                                 {"optionalOldSelf", Pointer(Boolean())},
                                 {"reason", Pointer(Text("v1.FieldValueErrorReason"))},
                                 {"rule", Text(), Omit::kNever},
                             });
  return type;
}

// `self` is the struct that these are the fields of, not complete yet.
std::vector<TypedField> FieldsOf(const TypedStruct& self) {
  const TypedType schema = StructOf(self);
  const TypedType raw = Raw("v1.JSON");
  const TypedType or_bool =
      Pointer(Choice("v1.JSONSchemaPropsOrBool", {schema, Boolean()}, "boolean or JSON schema expected"));
  const TypedType or_texts = Choice("v1.JSONSchemaPropsOrStringArray", {schema, ListOf(Text())});
  return {
      {"$ref", Pointer(Text())},
      {"$schema", Text("v1.JSONSchemaURL")},
      {"additionalItems", or_bool},
      {"additionalProperties", or_bool},
      {"allOf", ListOf(schema)},
      {"anyOf", ListOf(schema)},
      {"default", Pointer(raw)},
      {"definitions", Named("v1.JSONSchemaDefinitions", MapOf(schema))},
      {"dependencies", Named("v1.JSONSchemaDependencies", MapOf(or_texts))},
      {"description", Text()},
      {"enum", ListOf(raw)},
      {"example", Pointer(raw)},
      {"exclusiveMaximum", Boolean()},
      {"exclusiveMinimum", Boolean()},
      {"externalDocs", Pointer(StructOf(ExternalDocumentationType()))},
      {"format", Text()},
      {"id", Text()},
      {"items", Pointer(Choice("v1.JSONSchemaPropsOrArray", {schema, ListOf(schema)}))},
      {"maxItems", Pointer(Integer64())},
      {"maxLength", Pointer(Integer64())},
      {"maxProperties", Pointer(Integer64())},
      {"maximum", Pointer(Float64())},
      {"minItems", Pointer(Integer64())},
      {"minLength", Pointer(Integer64())},
      {"minProperties", Pointer(Integer64())},
      {"minimum", Pointer(Float64())},
      {"multipleOf", Pointer(Float64())},
      {"not", Pointer(schema)},
      {"nullable", Boolean()},
      {"oneOf", ListOf(schema)},
      {"pattern", Text()},
      {"patternProperties", MapOf(schema)},
      {"properties", MapOf(schema)},
      {"required", ListOf(Text())},
      {"title", Text()},
      {"type", Text()},
      {"uniqueItems", Boolean()},
      {"x-kubernetes-embedded-resource", Boolean()},
      {"x-kubernetes-int-or-string", Boolean()},
      {"x-kubernetes-list-map-keys", ListOf(Text())},
      {"x-kubernetes-list-type", Pointer(Text())},
      {"x-kubernetes-map-type", Pointer(Text())},
      {"x-kubernetes-preserve-unknown-fields", Pointer(Boolean())},
      {"x-kubernetes-validations", Named("v1.ValidationRules", ListOf(StructOf(ValidationRuleType())))},
  };
}

}  // namespace

const TypedStruct& JsonSchemaPropsType() {
  // The fields point back at their struct, so it needs its place before it has them.
  static const std::unique_ptr<const TypedStruct> type = [] {
    auto structure = std::make_unique<TypedStruct>(Make("JSONSchemaProps", {}));
    structure->fields = Make("", FieldsOf(*structure)).fields;
    return structure;
  }();
  return *type;
}

}  // namespace annex::schema
