#include "protobuf_write.h"

#include "annex/json/write.h"
#include "annex/schema/go_time.h"
#include "annex/schema/types.h"
#include "protobuf_fields.h"
#include "protobuf_wire.h"

#include <algorithm>

namespace annex::api {
namespace {

using json::Value;
using schema::TypedField;
using schema::TypedStruct;
using schema::TypedType;
using Kind = TypedType::Kind;

// k8s.io/apimachinery/pkg/runtime/generated.proto: TypeMeta and Unknown.
constexpr std::uint32_t kTypeApiVersion = 1;
constexpr std::uint32_t kTypeKind = 2;
constexpr std::uint32_t kUnknownType = 1;
constexpr std::uint32_t kUnknownRaw = 2;
// Every map entry, Time, FieldsV1.
constexpr std::uint32_t kEntryKey = 1;
constexpr std::uint32_t kEntryValue = 2;
constexpr std::uint32_t kTimeSeconds = 1;
constexpr std::uint32_t kRawBytes = 1;
constexpr std::uint32_t kPartialMetadata = 1;
constexpr std::uint32_t kBoxItems = 1;

void AppendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

void AppendTag(std::string& out, std::uint32_t number, WireType type) {
  AppendVarint(out, (static_cast<std::uint64_t>(number) << 3U) | static_cast<std::uint64_t>(type));
}

void AppendInteger(std::string& out, std::uint32_t number, std::uint64_t value) {
  AppendTag(out, number, WireType::kVarint);
  AppendVarint(out, value);
}

std::string TimeMessage(const Value& value) {
  std::string message;
  if (!value.is_string()) return message;
  const auto moment = schema::ParseTime(value.get_ref<const std::string&>(), schema::TimeLayout::kRfc3339);
  if (moment) AppendInteger(message, kTimeSeconds, static_cast<std::uint64_t>(moment->seconds));
  return message;
}

void AppendField(std::string& out, std::uint32_t number, const TypedType& type, const Value& value);

void AppendMap(std::string& out, std::uint32_t number, const TypedType& type, const Value& map) {
  if (!map.is_object()) return;
  for (const auto& [key, value] : map.get_ref<const Value::object_t&>()) {
    std::string entry;
    AppendProtobufField(entry, kEntryKey, key);
    AppendField(entry, kEntryValue, *type.element, value);
    AppendProtobufField(out, number, entry);
  }
}

void AppendField(std::string& out, std::uint32_t number, const TypedType& type, const Value& value) {
  if (value.is_null()) return;
  switch (type.kind) {
    case Kind::kText:
      if (value.is_string()) AppendProtobufField(out, number, value.get_ref<const std::string&>());
      return;
    case Kind::kBoolean:
      if (value.is_boolean()) AppendInteger(out, number, value.get<bool>() ? 1 : 0);
      return;
    case Kind::kInteger32:
    case Kind::kInteger64:
      if (value.is_number_integer())
        AppendInteger(out, number, static_cast<std::uint64_t>(value.get<std::int64_t>()));
      return;
    case Kind::kTime:
      AppendProtobufField(out, number, TimeMessage(value));
      return;
    case Kind::kRaw: {
      std::string message;
      AppendProtobufField(message, kRawBytes, json::ToJson(value));
      AppendProtobufField(out, number, message);
      return;
    }
    case Kind::kStruct:
      AppendProtobufField(out, number, WriteProtobufMessage(value, *type.structure));
      return;
    case Kind::kList:
      for (const Value& item : value) AppendField(out, number, *type.element, item);
      return;
    case Kind::kMap:
      AppendMap(out, number, type, value);
      return;
    case Kind::kFloat64:
    case Kind::kMicroTime:
    case Kind::kBytes:
    case Kind::kChoice:
      // No type that is written has such a field.
      return;
  }
}

}  // namespace

void AppendProtobufField(std::string& out, std::uint32_t number, std::string_view bytes) {
  AppendTag(out, number, WireType::kBytes);
  AppendVarint(out, bytes.size());
  out += bytes;
}

std::string WriteProtobufMessage(const Value& object, const TypedStruct& structure) {
  std::string message;
  for (const ProtobufField& numbered : ProtobufFieldsOf(structure)) {
    const auto field = std::find_if(structure.fields.begin(), structure.fields.end(),
                                    [&](const TypedField& known) { return known.name == numbered.name; });
    const Value* value = json::Find(object, numbered.name);
    if (field == structure.fields.end() || value == nullptr) continue;
    const auto number = static_cast<std::uint32_t>(numbered.number);
    if (!numbered.boxed) {
      AppendField(message, number, field->type, *value);
      continue;
    }
    std::string box;
    AppendField(box, kBoxItems, field->type, *value);
    AppendProtobufField(message, number, box);
  }
  return message;
}

std::string PartialMetadataMessage(const Value& metadata) {
  std::string message;
  AppendProtobufField(message, kPartialMetadata, WriteProtobufMessage(metadata, schema::ObjectMetaType()));
  return message;
}

void AppendProtobufDocument(std::string& out, std::string_view api_version, std::string_view kind,
                            std::string_view message) {
  std::string type;
  AppendProtobufField(type, kTypeApiVersion, api_version);
  AppendProtobufField(type, kTypeKind, kind);
  out += kProtobufMark;
  AppendProtobufField(out, kUnknownType, type);
  AppendProtobufField(out, kUnknownRaw, message);
}

}  // namespace annex::api
