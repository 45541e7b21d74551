// The messages of gnostic's openapiv3/OpenAPIv3.proto, as far as documents of Kubernetes use them.
#include "openapi_message.h"

namespace annex::api {
namespace {

using json::Value;
using enum OpenApiField;

extern const OpenApiMessage kSchema;

constexpr OpenApiMember kInfoMembers[] = {{"title", 1, kText},
                                          {"description", 2, kText},
                                          {"termsOfService", 3, kText},
                                          {"version", 6, kText},
                                          {"summary", 8, kText}};
constexpr OpenApiMessage kInfo = {.members = kInfoMembers, .extensions = 7};

constexpr OpenApiMember kReferenceMembers[] = {
    {"$ref", 1, kText}, {"summary", 2, kText}, {"description", 3, kText}};
constexpr OpenApiMessage kReference = {.members = kReferenceMembers};

// XOrReference{x = 1, reference = 2}
template <const OpenApiMessage& kMessageType>
constexpr OpenApiMessage kOrReference = {.choose = [](const Value& value) -> OpenApiChoice {
  if (value.contains("$ref")) return {2, kMessage, &kReference};
  return {1, kMessage, &kMessageType};
}};

constexpr OpenApiMessage kSchemaOrReference = kOrReference<kSchema>;
constexpr OpenApiMessage kItemsItem = {.choose = [](const Value&) -> OpenApiChoice {
  return {1, kMessage, &kSchemaOrReference};
}};
constexpr OpenApiMessage kAdditionalPropertiesItem = {.choose = [](const Value& value) -> OpenApiChoice {
  if (value.is_boolean()) return {2, kFlag};
  return {1, kMessage, &kSchemaOrReference};
}};
constexpr OpenApiMessage kSchemaMap = {.entries = 1, .entry = &kSchemaOrReference};
// DefaultType holds simple values only: of an object or a list nothing is left.
constexpr OpenApiMessage kDefaultType = {.choose = [](const Value& value) -> OpenApiChoice {
  if (value.is_number()) return {1, kNumber};
  if (value.is_boolean()) return {2, kFlag};
  if (value.is_string()) return {3, kText};
  return {0, kAny};
}};

constexpr OpenApiMember kSchemaMembers[] = {
    {"nullable", 1, kFlag},
    {"readOnly", 3, kFlag},
    {"deprecated", 8, kFlag},
    {"title", 9, kText},
    {"multipleOf", 10, kNumber},
    {"maximum", 11, kNumber},
    {"exclusiveMaximum", 12, kFlag},
    {"minimum", 13, kNumber},
    {"exclusiveMinimum", 14, kFlag},
    {"maxLength", 15, kCount},
    {"minLength", 16, kCount},
    {"pattern", 17, kText},
    {"maxItems", 18, kCount},
    {"minItems", 19, kCount},
    {"uniqueItems", 20, kFlag},
    {"maxProperties", 21, kCount},
    {"minProperties", 22, kCount},
    {"required", 23, kTexts},
    {"enum", 24, kAnys},
    {"type", 25, kText},
    {"allOf", 26, kMessages, &kSchemaOrReference},
    {"oneOf", 27, kMessages, &kSchemaOrReference},
    {"anyOf", 28, kMessages, &kSchemaOrReference},
    {"not", 29, kMessage, &kSchema},
    {"items", 30, kMessage, &kItemsItem},
    {"properties", 31, kMessage, &kSchemaMap},
    {"additionalProperties", 32, kMessage, &kAdditionalPropertiesItem},
    {"default", 33, kMessage, &kDefaultType},
    {"description", 34, kText},
    {"format", 35, kText},
};
constexpr OpenApiMessage kSchema = {.members = kSchemaMembers, .extensions = 36};

constexpr OpenApiMember kMediaTypeMembers[] = {{"schema", 1, kMessage, &kSchemaOrReference}};
constexpr OpenApiMessage kMediaType = {.members = kMediaTypeMembers, .extensions = 5};
constexpr OpenApiMessage kMediaTypes = {.entries = 1, .entry = &kMediaType};

constexpr OpenApiMember kParameterMembers[] = {{"name", 1, kText},
                                               {"in", 2, kText},
                                               {"description", 3, kText},
                                               {"required", 4, kFlag},
                                               {"deprecated", 5, kFlag},
                                               {"allowEmptyValue", 6, kFlag},
                                               {"schema", 10, kMessage, &kSchemaOrReference}};
constexpr OpenApiMessage kParameter = {.members = kParameterMembers, .extensions = 14};
constexpr OpenApiMember kRequestBodyMembers[] = {
    {"description", 1, kText}, {"content", 2, kMessage, &kMediaTypes}, {"required", 3, kFlag}};
constexpr OpenApiMessage kRequestBody = {.members = kRequestBodyMembers, .extensions = 4};
constexpr OpenApiMember kResponseMembers[] = {{"description", 1, kText},
                                              {"content", 3, kMessage, &kMediaTypes}};
constexpr OpenApiMessage kResponse = {.members = kResponseMembers, .extensions = 5};
constexpr OpenApiMember kResponsesMembers[] = {{"default", 1, kMessage, &kOrReference<kResponse>}};
constexpr OpenApiMessage kResponses = {
    .members = kResponsesMembers, .extensions = 3, .entries = 2, .entry = &kOrReference<kResponse>};
// A requirement is a map of lists of text.
constexpr OpenApiMessage kSecurityRequirement = {.entries = 1};

constexpr OpenApiMember kOperationMembers[] = {
    {"tags", 1, kTexts},
    {"summary", 2, kText},
    {"description", 3, kText},
    {"operationId", 5, kText},
    {"parameters", 6, kMessages, &kOrReference<kParameter>},
    {"requestBody", 7, kMessage, &kOrReference<kRequestBody>},
    {"responses", 8, kMessage, &kResponses},
    {"deprecated", 10, kFlag},
    {"security", 11, kMessages, &kSecurityRequirement},
};
constexpr OpenApiMessage kOperation = {.members = kOperationMembers, .extensions = 13};

constexpr OpenApiMember kPathItemMembers[] = {
    {"get", 4, kMessage, &kOperation},     {"put", 5, kMessage, &kOperation},
    {"post", 6, kMessage, &kOperation},    {"delete", 7, kMessage, &kOperation},
    {"options", 8, kMessage, &kOperation}, {"head", 9, kMessage, &kOperation},
    {"patch", 10, kMessage, &kOperation},  {"parameters", 13, kMessages, &kOrReference<kParameter>},
};
constexpr OpenApiMessage kPathItem = {.members = kPathItemMembers, .extensions = 14};
constexpr OpenApiMessage kPaths = {.extensions = 2, .entries = 1, .entry = &kPathItem};

constexpr OpenApiMember kSecuritySchemeMembers[] = {
    {"type", 1, kText}, {"description", 2, kText}, {"name", 3, kText}, {"in", 4, kText}};
constexpr OpenApiMessage kSecurityScheme = {.members = kSecuritySchemeMembers, .extensions = 9};
constexpr OpenApiMessage kSecuritySchemes = {.entries = 1, .entry = &kOrReference<kSecurityScheme>};

constexpr OpenApiMember kComponentsMembers[] = {{"schemas", 1, kMessage, &kSchemaMap},
                                                {"securitySchemes", 7, kMessage, &kSecuritySchemes}};
constexpr OpenApiMessage kComponents = {.members = kComponentsMembers, .extensions = 10};

constexpr OpenApiMember kDocumentMembers[] = {
    {"openapi", 1, kText},
    {"info", 2, kMessage, &kInfo},
    {"paths", 4, kMessage, &kPaths},
    {"components", 5, kMessage, &kComponents},
    {"security", 6, kMessages, &kSecurityRequirement},
};

}  // namespace

constexpr OpenApiMessage kOpenApiV3Document = {.members = kDocumentMembers, .extensions = 9};

}  // namespace annex::api
