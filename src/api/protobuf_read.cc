#include "protobuf_read.h"

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "protobuf_fields.h"
#include "protobuf_wire.h"
#include "status_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace annex::api {
namespace {

using json::Value;
using schema::TypedField;
using schema::TypedStruct;
using schema::TypedType;
using Kind = TypedType::Kind;

// Go's zero time, 0001-01-01T00:00:00Z, which counts as no time, and the last second that RFC 3339 can say.
constexpr std::int64_t kZeroTime = -62135596800;
constexpr std::int64_t kLastTime = 253402300799;

auto Failure(std::string message) {
  return base::Error(BadRequest(std::move(message)));
}

base::Result<void> RequireType(WireTag tag, WireType wanted, const std::string& go_name) {
  if (tag.type == wanted) return {};
  return Failure("proto: wrong wireType = " + std::to_string(static_cast<int>(tag.type)) + " for field " +
                 go_name);
}

// Text is whatever bytes came; JSON can only say UTF-8.
std::string ToUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t position = 0; position < bytes.size();)
    base::AppendUtf8(text, base::NextCodePoint(bytes, position));
  return text;
}

std::string TimeText(std::int64_t seconds) {
  const std::chrono::sys_seconds moment{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(moment - day);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

const TypedField* FindField(const TypedStruct& structure, const std::string& name) {
  const auto found = std::lower_bound(
      structure.fields.begin(), structure.fields.end(), name,
      [](const TypedField& field, const std::string& wanted) { return field.name < wanted; });
  return found == structure.fields.end() || found->name != name ? nullptr : &*found;
}

// Reads one document's messages; recursive as they are.
class MessageReader {
 public:
  // Puts the fields of `message` into `object`, where others may be already: a message that comes in pieces
  // is merged.
  base::Result<void> ReadStruct(std::string_view message, const TypedStruct& structure, Value& object);

 private:
  base::Result<void> ReadField(WireReader& wire, WireTag tag, const TypedType& type,
                               const std::string& go_name, Value& value);
  base::Result<void> ReadInteger(WireReader& wire, WireTag tag, const TypedType& type,
                                 const std::string& go_name, Value& value);
  base::Result<void> ReadDelimited(std::string_view bytes, const TypedType& type, Value& value);
  base::Result<void> ReadTime(std::string_view bytes, Value& value);
  base::Result<void> ReadRaw(std::string_view bytes, const TypedType& type, Value& value);
  base::Result<void> ReadMapEntry(std::string_view bytes, const TypedType& element, Value& map);
  base::Result<void> ReadChoice(std::string_view bytes, const TypedType& type, Value& value);

  std::size_t depth_ = 0;
};

base::Result<void> MessageReader::ReadStruct(std::string_view message, const TypedStruct& structure,
                                             Value& object) {
  if (depth_ >= kMaxProtobufDepth) return Failure("exceeded max depth");
  ++depth_;
  if (!object.is_object()) object = Value::object();
  for (WireReader wire(message); !wire.AtEnd();) {
    ANNEX_TRY(const WireTag tag, wire.ReadTag(structure.go_name));
    const ProtobufField* numbered = FindProtobufField(structure, tag.number);
    const TypedField* field = numbered == nullptr ? nullptr : FindField(structure, numbered->name);
    if (field == nullptr) {
      ANNEX_RETURN_IF_ERROR(wire.Skip(tag));
      continue;
    }
    ANNEX_RETURN_IF_ERROR(ReadField(wire, tag, field->type, numbered->GoName(), object[field->name]));
  }
  --depth_;
  return {};
}

base::Result<void> MessageReader::ReadField(WireReader& wire, WireTag tag, const TypedType& type,
                                            const std::string& go_name, Value& value) {
  switch (type.kind) {
    case Kind::kBoolean:
    case Kind::kInteger32:
    case Kind::kInteger64:
      return ReadInteger(wire, tag, type, go_name, value);
    case Kind::kFloat64: {
      ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kFixed64, go_name));
      ANNEX_TRY(const std::uint64_t bits, wire.ReadFixed64());
      const auto number = std::bit_cast<double>(bits);
      if (!std::isfinite(number)) return Failure("json: unsupported value: not a finite number");
      value = number;
      return {};
    }
    case Kind::kText:
    case Kind::kBytes:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kRaw:
    case Kind::kStruct:
    case Kind::kChoice:
    case Kind::kList:
    case Kind::kMap:
      break;
  }
  ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kBytes, go_name));
  ANNEX_TRY(const std::string_view bytes, wire.ReadBytes());
  if (type.kind == Kind::kMap) return ReadMapEntry(bytes, *type.element, value);
  if (type.kind != Kind::kList) return ReadDelimited(bytes, type, value);
  if (!value.is_array()) value = Value::array();
  value.push_back(nullptr);
  return ReadDelimited(bytes, *type.element, value.back());
}

base::Result<void> MessageReader::ReadInteger(WireReader& wire, WireTag tag, const TypedType& type,
                                              const std::string& go_name, Value& value) {
  ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kVarint, go_name));
  ANNEX_TRY(const std::uint64_t number, wire.ReadVarint());
  if (type.kind == Kind::kBoolean) {
    value = number != 0;
  } else if (type.kind == Kind::kInteger32) {
    value = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
  } else {
    value = static_cast<std::int64_t>(number);
  }
  return {};
}

// REQUIRES: a type whose values are bytes with a length.
base::Result<void> MessageReader::ReadDelimited(std::string_view bytes, const TypedType& type, Value& value) {
  switch (type.kind) {
    case Kind::kBytes:
      value = base::Base64Encode(bytes);
      return {};
    case Kind::kTime:
    case Kind::kMicroTime:
      return ReadTime(bytes, value);
    case Kind::kRaw:
      return ReadRaw(bytes, type, value);
    case Kind::kStruct:
      return ReadStruct(bytes, *type.structure, value);
    case Kind::kChoice:
      return ReadChoice(bytes, type, value);
    case Kind::kText:
    case Kind::kBoolean:
    case Kind::kInteger32:
    case Kind::kInteger64:
    case Kind::kFloat64:
    case Kind::kList:
    case Kind::kMap:
      break;
  }
  value = ToUtf8(bytes);
  return {};
}

// Timestamp: 1 seconds since 1970, 2 nanoseconds, which Kubernetes drops.
base::Result<void> MessageReader::ReadTime(std::string_view bytes, Value& value) {
  value = nullptr;
  if (bytes.empty()) return {};
  std::uint64_t seconds = 0;
  for (WireReader wire(bytes); !wire.AtEnd();) {
    ANNEX_TRY(const WireTag tag, wire.ReadTag("Timestamp"));
    if (tag.number > 2) {
      ANNEX_RETURN_IF_ERROR(wire.Skip(tag));
      continue;
    }
    ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kVarint, tag.number == 1 ? "Seconds" : "Nanos"));
    ANNEX_TRY(const std::uint64_t number, wire.ReadVarint());
    if (tag.number == 1) seconds = number;
  }
  const auto moment = static_cast<std::int64_t>(seconds);
  if (moment == kZeroTime) return {};
  if (moment < kZeroTime || moment > kLastTime)
    return Failure("Time.MarshalJSON: year outside of range [0,9999]");
  value = TimeText(moment);
  return {};
}

// JSON and FieldsV1: 1 the text.
base::Result<void> MessageReader::ReadRaw(std::string_view bytes, const TypedType& type, Value& value) {
  const std::string message = type.go_name.substr(type.go_name.find('.') + 1);
  std::string_view text;
  for (WireReader wire(bytes); !wire.AtEnd();) {
    ANNEX_TRY(const WireTag tag, wire.ReadTag(message));
    if (tag.number != 1) {
      ANNEX_RETURN_IF_ERROR(wire.Skip(tag));
      continue;
    }
    ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kBytes, "Raw"));
    ANNEX_TRY(text, wire.ReadBytes());
  }
  if (text.empty()) {
    value = nullptr;
    return {};
  }
  ANNEX_TRY(value, json::Parse(text));
  return {};
}

// An entry of a map: 1 key, 2 value.
base::Result<void> MessageReader::ReadMapEntry(std::string_view bytes, const TypedType& element, Value& map) {
  if (!map.is_object()) map = Value::object();
  std::string key;
  Value value;
  ANNEX_RETURN_IF_ERROR(ReadDelimited("", element, value));
  for (WireReader wire(bytes); !wire.AtEnd();) {
    ANNEX_TRY(const WireTag tag, wire.ReadTag("MapEntry"));
    if (tag.number > 2) {
      ANNEX_RETURN_IF_ERROR(wire.Skip(tag));
      continue;
    }
    ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kBytes, tag.number == 1 ? "Key" : "Value"));
    ANNEX_TRY(const std::string_view part, wire.ReadBytes());
    if (tag.number == 1) {
      key = ToUtf8(part);
    } else {
      ANNEX_RETURN_IF_ERROR(ReadDelimited(part, element, value));
    }
  }
  map[key] = std::move(value);
  return {};
}

// A message with a member for each alternative: JSONSchemaPropsOrArray {1 schema, 2 schemas},
// JSONSchemaPropsOrStringArray {1 schema, 2 texts}, JSONSchemaPropsOrBool {1 boolean, 2 schema}. A schema
// goes before a boolean, a list before a schema.
base::Result<void> MessageReader::ReadChoice(std::string_view bytes, const TypedType& type, Value& value) {
  const TypedType& schema = type.alternatives[0];
  const TypedType& other = type.alternatives[1];
  const bool or_boolean = other.kind == Kind::kBoolean;
  const std::string other_name = or_boolean                           ? "Allows"
                                 : other.element->kind == Kind::kText ? "Property"
                                                                      : "JSONSchemas";
  const std::string message = type.go_name.substr(type.go_name.find('.') + 1);
  Value found_schema;
  Value found_other;
  for (WireReader wire(bytes); !wire.AtEnd();) {
    ANNEX_TRY(const WireTag tag, wire.ReadTag(message));
    if (tag.number > 2) {
      ANNEX_RETURN_IF_ERROR(wire.Skip(tag));
    } else if ((tag.number == 2) == or_boolean) {
      ANNEX_RETURN_IF_ERROR(ReadField(wire, tag, schema, "Schema", found_schema));
    } else {
      ANNEX_RETURN_IF_ERROR(ReadField(wire, tag, other, other_name, found_other));
    }
  }
  if (or_boolean && found_other.is_null()) found_other = false;
  const bool takes_schema = !found_schema.is_null() && (or_boolean || found_other.is_null());
  value = takes_schema ? std::move(found_schema) : std::move(found_other);
  return {};
}

base::Result<void> ReadTypeMeta(std::string_view bytes, ProtobufDocument& document) {
  for (WireReader wire(bytes); !wire.AtEnd();) {
    ANNEX_TRY(const WireTag tag, wire.ReadTag("TypeMeta"));
    if (tag.number > 2) {
      ANNEX_RETURN_IF_ERROR(wire.Skip(tag));
      continue;
    }
    ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kBytes, tag.number == 1 ? "APIVersion" : "Kind"));
    ANNEX_TRY(const std::string_view text, wire.ReadBytes());
    (tag.number == 1 ? document.api_version : document.kind) = ToUtf8(text);
  }
  return {};
}

}  // namespace

base::Result<ProtobufDocument> ReadProtobufDocument(std::string_view body) {
  if (body.empty()) return Failure("empty data");
  if (!body.starts_with(kProtobufMark)) {
    return Failure("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  if (body.size() == kProtobufMark.size()) return Failure("empty body");
  ProtobufDocument document;
  constexpr std::array<const char*, 5> kMembers = {"", "TypeMeta", "Raw", "ContentEncoding", "ContentType"};
  for (WireReader wire(body.substr(kProtobufMark.size())); !wire.AtEnd();) {
    ANNEX_TRY(const WireTag tag, wire.ReadTag("Unknown"));
    if (static_cast<std::size_t>(tag.number) >= kMembers.size()) {
      ANNEX_RETURN_IF_ERROR(wire.Skip(tag));
      continue;
    }
    ANNEX_RETURN_IF_ERROR(RequireType(tag, WireType::kBytes, kMembers[static_cast<std::size_t>(tag.number)]));
    ANNEX_TRY(const std::string_view bytes, wire.ReadBytes());
    if (tag.number == 2) document.message = bytes;
    if (tag.number == 1) ANNEX_RETURN_IF_ERROR(ReadTypeMeta(bytes, document));
  }
  return document;
}

base::Result<Value> ReadProtobufMessage(std::string_view message, const TypedStruct& structure) {
  Value object = Value::object();
  ANNEX_RETURN_IF_ERROR(MessageReader().ReadStruct(message, structure, object));
  return object;
}

}  // namespace annex::api
