// OpenAPI documents in protobuf: gnostic's openapi.v2.Document and openapi.v3.Document, which client-go asks
// for.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"
#include "openapi_schema.h"

#include <string>

namespace annex::api {

// Appends the protobuf form of a document, or of a part of one: {"paths": {…}}. Readers of protobuf merge
// what several parts say of the same member, so a document is the sequence of its parts.
void AppendProtobuf(std::string& out, const json::Value& document, OpenApiVersion form);

}  // namespace annex::api
