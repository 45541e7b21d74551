// Answers in protobuf: Kubernetes' envelope and the messages of built-in types. The reverse of
// protobuf_read.h.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/typed.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace annex::api {

// Appends a field whose value is bytes: a text or a message.
void AppendProtobufField(std::string& out, std::uint32_t number, std::string_view bytes);

// The message of an object that ReadTyped has read as `structure`. What protobuf has no field for is left
// out, apiVersion and kind among it.
std::string WriteProtobufMessage(const json::Value& object, const schema::TypedStruct& structure);

// metav1.PartialObjectMetadata of an object with such metadata.
std::string PartialMetadataMessage(const json::Value& metadata);

// Appends a whole body: the four bytes that mark it, and the envelope that says the message's type.
void AppendProtobufDocument(std::string& out, std::string_view api_version, std::string_view kind,
                            std::string_view message);

}  // namespace annex::api
