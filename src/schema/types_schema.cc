// apiextensions.k8s.io/v1 JSONSchemaProps: the structs of types_jsonschema.go, and how marshal.go reads the
// choices.
#include "annex/schema/types.h"
#include "typed_build.h"

#include <memory>
#include <utility>

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
                                 {"rule", Text(), Omit::kNever},
                                 {"message", Text()},
                                 {"messageExpression", Text()},
                                 {"reason", Pointer(Text("v1.FieldValueErrorReason"))},
                                 {"fieldPath", Text()},
                                 {"optionalOldSelf", Pointer(Boolean())},
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
      {"id", Text()},
      {"$schema", Text("v1.JSONSchemaURL")},
      {"$ref", Pointer(Text())},
      {"description", Text()},
      {"type", Text()},
      {"format", Text()},
      {"title", Text()},
      {"default", Pointer(raw)},
      {"maximum", Pointer(Float64())},
      {"exclusiveMaximum", Boolean()},
      {"minimum", Pointer(Float64())},
      {"exclusiveMinimum", Boolean()},
      {"maxLength", Pointer(Integer64())},
      {"minLength", Pointer(Integer64())},
      {"pattern", Text()},
      {"maxItems", Pointer(Integer64())},
      {"minItems", Pointer(Integer64())},
      {"uniqueItems", Boolean()},
      {"multipleOf", Pointer(Float64())},
      {"enum", ListOf(raw)},
      {"maxProperties", Pointer(Integer64())},
      {"minProperties", Pointer(Integer64())},
      {"required", ListOf(Text())},
      {"items", Pointer(Choice("v1.JSONSchemaPropsOrArray", {schema, ListOf(schema)}))},
      {"allOf", ListOf(schema)},
      {"oneOf", ListOf(schema)},
      {"anyOf", ListOf(schema)},
      {"not", Pointer(schema)},
      {"properties", MapOf(schema)},
      {"additionalProperties", or_bool},
      {"patternProperties", MapOf(schema)},
      {"dependencies", Named("v1.JSONSchemaDependencies", MapOf(or_texts))},
      {"additionalItems", or_bool},
      {"definitions", Named("v1.JSONSchemaDefinitions", MapOf(schema))},
      {"externalDocs", Pointer(StructOf(ExternalDocumentationType()))},
      {"example", Pointer(raw)},
      {"nullable", Boolean()},
      {"x-kubernetes-preserve-unknown-fields", Pointer(Boolean())},
      {"x-kubernetes-embedded-resource", Boolean()},
      {"x-kubernetes-int-or-string", Boolean()},
      {"x-kubernetes-list-map-keys", ListOf(Text())},
      {"x-kubernetes-list-type", Pointer(Text())},
      {"x-kubernetes-map-type", Pointer(Text())},
      {"x-kubernetes-validations", Named("v1.ValidationRules", ListOf(StructOf(ValidationRuleType())))},
  };
}

}  // namespace

const TypedStruct& JsonSchemaPropsType() {
  // The fields point back at their struct, so it needs its place before it has them.
  static const std::unique_ptr<const TypedStruct> type = [] {
    auto structure = std::make_unique<TypedStruct>(Make("JSONSchemaProps", {}));
    TypedStruct complete = Make("", FieldsOf(*structure));
    structure->fields = std::move(complete.fields);
    structure->order = std::move(complete.order);
    return structure;
  }();
  return *type;
}

}  // namespace annex::schema
