#include "openapi_protobuf.h"

#include "annex/json/yaml.h"
#include "openapi_message.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

namespace annex::api {
namespace {

using json::Value;

// The wire format (protobuf.dev, "Encoding"): a field is a key, number << 3 | type, and its value.
enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };

constexpr std::uint32_t kEntryName = 1;   // of NamedX
constexpr std::uint32_t kEntryValue = 2;  // of NamedX
constexpr std::uint32_t kArrayValue = 1;  // of StringArray
constexpr std::uint32_t kAnyYaml = 2;     // of Any

// Whether a value that protobuf takes for granted (0, false, "") is written. In a oneof it has to be.
enum class Zero : std::uint8_t { kOmit, kWrite };

std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(static_cast<unsigned char>(value | 0x80U));
  bytes += static_cast<char>(value);
  return bytes;
}

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  void Message(const OpenApiMessage& message, const Value& value) {
    if (message.choose != nullptr) {
      const OpenApiChoice choice = message.choose(value);
      if (choice.number != 0) Field(choice.number, choice.kind, choice.message, value, Zero::kWrite);
      return;
    }
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.get_ref<const Value::object_t&>()) Member(message, key, member);
  }

 private:
  void Member(const OpenApiMessage& message, const std::string& key, const Value& value) {
    const auto known = std::find_if(message.members.begin(), message.members.end(),
                                    [&key](const OpenApiMember& member) { return member.key == key; });
    if (known != message.members.end()) {
      Field(known->number, known->kind, known->message, value, Zero::kOmit);
    } else if (message.extensions != 0 && key.starts_with("x-")) {
      Named(message.extensions, key,
            [&] { Field(kEntryValue, OpenApiField::kAny, nullptr, value, Zero::kWrite); });
    } else if (message.entries != 0) {
      Named(message.entries, key, [&] { Entry(message.entry, value); });
    }
  }

  void Field(std::uint32_t number, OpenApiField kind, const OpenApiMessage* message, const Value& value,
             Zero zero) {
    switch (kind) {
      case OpenApiField::kText:
        return Text(number, value, zero);
      case OpenApiField::kFlag:
        if (value == true || zero == Zero::kWrite) Scalar(number, value == true ? 1 : 0);
        return;
      case OpenApiField::kCount:
        if (value.is_number_integer() && value != 0)
          Scalar(number, static_cast<std::uint64_t>(value.get<std::int64_t>()));
        return;
      case OpenApiField::kNumber:
        if (value.is_number() && (value != 0 || zero == Zero::kWrite)) Fixed(number, value.get<double>());
        return;
      case OpenApiField::kTexts:
        for (const Value& text : value) Text(number, text, Zero::kWrite);
        return;
      case OpenApiField::kMessage:
        return Nested(number, [&] { Message(*message, value); });
      case OpenApiField::kMessages:
        for (const Value& item : value) Nested(number, [&] { Message(*message, item); });
        return;
      case OpenApiField::kAny:
        return Any(number, value);
      case OpenApiField::kAnys:
        for (const Value& item : value) Any(number, item);
        return;
    }
  }

  void Entry(const OpenApiMessage* entry, const Value& value) {
    Nested(kEntryValue, [&] {
      if (entry != nullptr) return Message(*entry, value);
      for (const Value& text : value) Text(kArrayValue, text, Zero::kWrite);
    });
  }

  template <typename WriteValue>
  void Named(std::uint32_t number, const std::string& name, WriteValue write_value) {
    Nested(number, [&] {
      Bytes(kEntryName, name);
      write_value();
    });
  }

  void Any(std::uint32_t number, const Value& value) {
    Nested(number, [&] { Bytes(kAnyYaml, json::ToYaml(value)); });
  }

  void Text(std::uint32_t number, const Value& value, Zero zero) {
    if (!value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    if (!text.empty() || zero == Zero::kWrite) Bytes(number, text);
  }

  void Scalar(std::uint32_t number, std::uint64_t value) {
    Key(number, WireType::kVarint);
    out_ += Varint(value);
  }

  void Fixed(std::uint32_t number, double value) {
    Key(number, WireType::kFixed64);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(bits); ++i, bits >>= 8U) out_ += static_cast<char>(bits & 0xFFU);
  }

  void Bytes(std::uint32_t number, std::string_view bytes) {
    Key(number, WireType::kBytes);
    out_ += Varint(bytes.size());
    out_ += bytes;
  }

  // The length of a message goes before it and is known only after: what follows it moves, which is cheaper
  // than to measure first.
  template <typename WriteBody>
  void Nested(std::uint32_t number, WriteBody write_body) {
    Key(number, WireType::kBytes);
    const std::size_t begin = out_.size();
    write_body();
    out_.insert(begin, Varint(out_.size() - begin));
  }

  void Key(std::uint32_t number, WireType type) {
    out_ += Varint((static_cast<std::uint64_t>(number) << 3U) | static_cast<std::uint64_t>(type));
  }

  std::string& out_;
};

}  // namespace

void AppendProtobuf(std::string& out, const Value& document, OpenApiVersion form) {
  Encoder(out).Message(form == OpenApiVersion::kV2 ? kOpenApiV2Document : kOpenApiV3Document, document);
}

}  // namespace annex::api
