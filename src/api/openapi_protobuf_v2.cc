// The messages of gnostic's openapiv2/OpenAPIv2.proto, as far as documents of Kubernetes use them.
#include "openapi_message.h"

namespace annex::api {
namespace {

using json::Value;
using enum OpenApiField;

extern const OpenApiMessage kSchema;

constexpr OpenApiMember kInfoMembers[] = {
    {"title", 1, kText}, {"version", 2, kText}, {"description", 3, kText}, {"termsOfService", 4, kText}};
constexpr OpenApiMessage kInfo = {.members = kInfoMembers, .extensions = 7};

// TypeItem: a list of types, which documents of Kubernetes write as the one that it holds.
constexpr OpenApiMessage kTypeItem = {.choose = [](const Value& value) -> OpenApiChoice {
  return {1, value.is_array() ? kTexts : kText};
}};
constexpr OpenApiMessage kItemsItem = {.choose = [](const Value&) -> OpenApiChoice {
  return {1, kMessage, &kSchema};
}};
constexpr OpenApiMessage kAdditionalPropertiesItem = {.choose = [](const Value& value) -> OpenApiChoice {
  if (value.is_boolean()) return {2, kFlag};
  return {1, kMessage, &kSchema};
}};
constexpr OpenApiMessage kSchemaMap = {.entries = 1, .entry = &kSchema};

constexpr OpenApiMember kSchemaMembers[] = {
    {"$ref", 1, kText},
    {"format", 2, kText},
    {"title", 3, kText},
    {"description", 4, kText},
    {"default", 5, kAny},
    {"multipleOf", 6, kNumber},
    {"maximum", 7, kNumber},
    {"exclusiveMaximum", 8, kFlag},
    {"minimum", 9, kNumber},
    {"exclusiveMinimum", 10, kFlag},
    {"maxLength", 11, kCount},
    {"minLength", 12, kCount},
    {"pattern", 13, kText},
    {"maxItems", 14, kCount},
    {"minItems", 15, kCount},
    {"uniqueItems", 16, kFlag},
    {"maxProperties", 17, kCount},
    {"minProperties", 18, kCount},
    {"required", 19, kTexts},
    {"enum", 20, kAnys},
    {"additionalProperties", 21, kMessage, &kAdditionalPropertiesItem},
    {"type", 22, kMessage, &kTypeItem},
    {"items", 23, kMessage, &kItemsItem},
    {"properties", 25, kMessage, &kSchemaMap},
};
constexpr OpenApiMessage kSchema = {.members = kSchemaMembers, .extensions = 31};

constexpr OpenApiMember kReferenceMembers[] = {{"$ref", 1, kText}, {"description", 2, kText}};
constexpr OpenApiMessage kReference = {.members = kReferenceMembers};

constexpr OpenApiMember kBodyParameterMembers[] = {{"description", 1, kText},
                                                   {"name", 2, kText},
                                                   {"in", 3, kText},
                                                   {"required", 4, kFlag},
                                                   {"schema", 5, kMessage, &kSchema}};
constexpr OpenApiMessage kBodyParameter = {.members = kBodyParameterMembers, .extensions = 6};
constexpr OpenApiMember kQueryParameterMembers[] = {
    {"required", 1, kFlag}, {"in", 2, kText},     {"description", 3, kText}, {"name", 4, kText},
    {"type", 6, kText},     {"format", 7, kText}, {"pattern", 17, kText},    {"uniqueItems", 20, kFlag}};
constexpr OpenApiMessage kQueryParameter = {.members = kQueryParameterMembers, .extensions = 23};
constexpr OpenApiMember kPathParameterMembers[] = {
    {"required", 1, kFlag}, {"in", 2, kText},     {"description", 3, kText}, {"name", 4, kText},
    {"type", 5, kText},     {"format", 6, kText}, {"pattern", 16, kText},    {"uniqueItems", 19, kFlag}};
constexpr OpenApiMessage kPathParameter = {.members = kPathParameterMembers, .extensions = 22};

constexpr OpenApiMessage kNonBodyParameter = {.choose = [](const Value& value) -> OpenApiChoice {
  if (json::TextAt(value, {"in"}) == "path") return {4, kMessage, &kPathParameter};
  return {3, kMessage, &kQueryParameter};
}};
constexpr OpenApiMessage kParameter = {.choose = [](const Value& value) -> OpenApiChoice {
  if (json::TextAt(value, {"in"}) == "body") return {1, kMessage, &kBodyParameter};
  return {2, kMessage, &kNonBodyParameter};
}};
constexpr OpenApiMessage kParametersItem = {.choose = [](const Value& value) -> OpenApiChoice {
  if (value.contains("$ref")) return {2, kMessage, &kReference};
  return {1, kMessage, &kParameter};
}};
constexpr OpenApiMessage kParameterDefinitions = {.entries = 1, .entry = &kParameter};

constexpr OpenApiMessage kSchemaItem = {.choose = [](const Value&) -> OpenApiChoice {
  return {1, kMessage, &kSchema};
}};
constexpr OpenApiMember kResponseMembers[] = {{"description", 1, kText},
                                              {"schema", 2, kMessage, &kSchemaItem}};
constexpr OpenApiMessage kResponse = {.members = kResponseMembers, .extensions = 5};
constexpr OpenApiMessage kResponseValue = {.choose = [](const Value& value) -> OpenApiChoice {
  if (value.contains("$ref")) return {2, kMessage, &kReference};
  return {1, kMessage, &kResponse};
}};
constexpr OpenApiMessage kResponses = {.extensions = 2, .entries = 1, .entry = &kResponseValue};

// A requirement is a map of lists of text.
constexpr OpenApiMessage kSecurityRequirement = {.entries = 1};

constexpr OpenApiMember kOperationMembers[] = {
    {"tags", 1, kTexts},
    {"summary", 2, kText},
    {"description", 3, kText},
    {"operationId", 5, kText},
    {"produces", 6, kTexts},
    {"consumes", 7, kTexts},
    {"parameters", 8, kMessages, &kParametersItem},
    {"responses", 9, kMessage, &kResponses},
    {"schemes", 10, kTexts},
    {"deprecated", 11, kFlag},
    {"security", 12, kMessages, &kSecurityRequirement},
};
constexpr OpenApiMessage kOperation = {.members = kOperationMembers, .extensions = 13};

constexpr OpenApiMember kPathItemMembers[] = {
    {"get", 2, kMessage, &kOperation},     {"put", 3, kMessage, &kOperation},
    {"post", 4, kMessage, &kOperation},    {"delete", 5, kMessage, &kOperation},
    {"options", 6, kMessage, &kOperation}, {"head", 7, kMessage, &kOperation},
    {"patch", 8, kMessage, &kOperation},   {"parameters", 9, kMessages, &kParametersItem},
};
constexpr OpenApiMessage kPathItem = {.members = kPathItemMembers, .extensions = 10};
constexpr OpenApiMessage kPaths = {.extensions = 1, .entries = 2, .entry = &kPathItem};

constexpr OpenApiMember kApiKeyMembers[] = {
    {"type", 1, kText}, {"name", 2, kText}, {"in", 3, kText}, {"description", 4, kText}};
constexpr OpenApiMessage kApiKeySecurity = {.members = kApiKeyMembers, .extensions = 5};
// The bearer token, the only kind in use, is an API key to OpenAPI v2.
constexpr OpenApiMessage kSecurityDefinition = {.choose = [](const Value&) -> OpenApiChoice {
  return {2, kMessage, &kApiKeySecurity};
}};
constexpr OpenApiMessage kSecurityDefinitions = {.entries = 1, .entry = &kSecurityDefinition};

constexpr OpenApiMember kDocumentMembers[] = {
    {"swagger", 1, kText},
    {"info", 2, kMessage, &kInfo},
    {"host", 3, kText},
    {"basePath", 4, kText},
    {"schemes", 5, kTexts},
    {"consumes", 6, kTexts},
    {"produces", 7, kTexts},
    {"paths", 8, kMessage, &kPaths},
    {"definitions", 9, kMessage, &kSchemaMap},
    {"parameters", 10, kMessage, &kParameterDefinitions},
    {"security", 12, kMessages, &kSecurityRequirement},
    {"securityDefinitions", 13, kMessage, &kSecurityDefinitions},
};

}  // namespace

constexpr OpenApiMessage kOpenApiV2Document = {.members = kDocumentMembers, .extensions = 16};

}  // namespace annex::api
