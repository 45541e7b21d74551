// Schemas as OpenAPI documents publish them (k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder
// and openapi/v2).
//
// v3 keeps everything that a definition's schema says. v2 knows neither alternatives nor null, and kubectl
// takes a v2 schema at its word, so there everything is left out that would refuse an object which the server
// takes.
//
// Thread rule: free functions.
#pragma once

#include "annex/definition/resource.h"
#include "annex/json/value.h"

#include <cstdint>
#include <string>

namespace annex::api {

enum class OpenApiVersion : std::uint8_t { kV2, kV3 };

// "com.example.v1.Widget"
std::string OpenApiTypeName(const std::string& group, const std::string& version, const std::string& kind);
// {"$ref": "#/definitions/com.example.v1.Widget"} in v2, "#/components/schemas/…" in v3.
json::Value OpenApiReference(const std::string& type_name, OpenApiVersion form);

// The schema of a version's objects, and that of their list.
json::Value PublishedKind(const definition::Resource& resource, const definition::Version& version,
                          OpenApiVersion form);
json::Value PublishedList(const definition::Resource& resource, const definition::Version& version,
                          OpenApiVersion form);

// A definition's schema in v3 form, without what every kind has. Members that no structural schema has are
// left out.
json::Value PublishedSchema(const json::Value& schema);
// Takes from a definition's schema in v3 form what v2 cannot say.
void ReduceToV2(json::Value& schema);

// The v2 form of a v3 schema of OpenApiData.
json::Value SharedTypeV2(const json::Value& schema);

}  // namespace annex::api
