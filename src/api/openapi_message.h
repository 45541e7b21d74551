// How parts of an OpenAPI document become protobuf messages: tables for the encoder in openapi_protobuf.cc.
//
// gnostic's messages (github.com/google/gnostic-models) follow the documents closely: a member of an object
// is a field of the same name. They differ where JSON has what protobuf has not: a map is a list of (name,
// value) messages, a member that may be one of several things is a message with one of several fields, and a
// free value is its YAML text.
#pragma once

#include "annex/json/value.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace annex::api {

struct OpenApiMessage;

enum class OpenApiField : std::uint8_t {
  kText,      // string
  kFlag,      // bool
  kCount,     // int64
  kNumber,    // double
  kTexts,     // repeated string
  kMessage,   // a message
  kMessages,  // repeated message
  kAny,       // Any{yaml = 2}
  kAnys,      // repeated Any
};

struct OpenApiMember {
  std::string_view key;
  std::uint32_t number;
  OpenApiField kind;
  const OpenApiMessage* message = nullptr;  // for kMessage and kMessages
};

// The field of a message that stands for several things.
struct OpenApiChoice {
  std::uint32_t number;
  OpenApiField kind;
  const OpenApiMessage* message = nullptr;
};

struct OpenApiMessage {
  std::span<const OpenApiMember> members = {};
  // repeated NamedAny for members that begin with "x-"; 0: there are none.
  std::uint32_t extensions = 0;
  // repeated Named{name = 1, value = 2} for all other members; 0: there are none. `entry` is the type of
  // their values; nullptr: StringArray{repeated string value = 1}.
  std::uint32_t entries = 0;
  const OpenApiMessage* entry = nullptr;
  // Not null: the message is one field that holds the whole value, chosen by what it is. Zero values are
  // written too.
  OpenApiChoice (*choose)(const json::Value& value) = nullptr;
};

// Document of openapi.v2 and of openapi.v3.
extern const OpenApiMessage kOpenApiV2Document;
extern const OpenApiMessage kOpenApiV3Document;

}  // namespace annex::api
