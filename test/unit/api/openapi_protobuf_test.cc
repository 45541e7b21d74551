// The protobuf encoder against documents that gnostic encoded: both are read back with the encoder's own
// tables, which a wrong field number would not survive.
#include "api/openapi_protobuf.h"

#include "annex/json/yaml.h"
#include "api/openapi_message.h"
#include "openapi_fixture.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

namespace annex::api {
namespace {

using json::Value;

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  Value Message(const OpenApiMessage& message) {
    Value value;
    if (message.choose == nullptr) value = Value::object();
    while (!bytes_.empty()) {
      const std::uint64_t key = Varint();
      const auto number = static_cast<std::uint32_t>(key >> 3U);
      ReadField(message, number, value);
    }
    return value;
  }

 private:
  void ReadField(const OpenApiMessage& message, std::uint32_t number, Value& value) {
    if (message.choose != nullptr) {
      const auto choice = ChoiceOf(message, number);
      REQUIRE(choice);
      if (choice->kind == OpenApiField::kTexts && value.is_null()) value = Value::array();
      return ReadValue(choice->kind, choice->message, value);
    }
    for (const OpenApiMember& member : message.members) {
      if (member.number == number)
        return ReadValue(member.kind, member.message, value[std::string(member.key)]);
    }
    INFO("field " << number);
    REQUIRE((number == message.extensions || number == message.entries));
    Decoder named(Bytes());
    named.Varint();
    const std::string name(named.Bytes());
    named.Varint();
    Decoder content(named.Bytes());
    if (number == message.extensions) {
      value[name] = content.Any();
    } else if (message.entry != nullptr) {
      Merge(value[name], content.Message(*message.entry));
    } else {
      value[name] = Value::array();
    }
  }

  // A message that may be several things chooses by the value: these are values of all kinds.
  static std::optional<OpenApiChoice> ChoiceOf(const OpenApiMessage& message, std::uint32_t number) {
    for (const Value& probe : {Value::object(), Value{{"$ref", "x"}}, Value{{"in", "path"}},
                               Value{{"in", "body"}}, Value("text"), Value(1), Value(true)}) {
      const OpenApiChoice choice = message.choose(probe);
      if (choice.number == number) return choice;
    }
    return std::nullopt;
  }

  void ReadValue(OpenApiField kind, const OpenApiMessage* message, Value& value) {
    switch (kind) {
      case OpenApiField::kText:
        value = std::string(Bytes());
        return;
      case OpenApiField::kFlag:
        value = Varint() != 0;
        return;
      case OpenApiField::kCount:
        value = static_cast<std::int64_t>(Varint());
        return;
      case OpenApiField::kNumber:
        value = Fixed();
        return;
      case OpenApiField::kTexts:
        value.push_back(std::string(Bytes()));
        return;
      case OpenApiField::kMessage:
        Merge(value, Decoder(Bytes()).Message(*message));
        return;
      case OpenApiField::kMessages:
        value.push_back(Decoder(Bytes()).Message(*message));
        return;
      case OpenApiField::kAny:
        value = Decoder(Bytes()).Any();
        return;
      case OpenApiField::kAnys:
        value.push_back(Decoder(Bytes()).Any());
        return;
    }
  }

  // What readers of protobuf do with a message that comes in parts.
  static void Merge(Value& value, const Value& more) {
    if (value.is_object() && more.is_object()) {
      for (const auto& [key, member] : more.items()) Merge(value[key], member);
    } else {
      value = more;
    }
  }

  Value Any() {
    Varint();
    // Different writers of YAML may fold and quote differently. gnostic's is of YAML 1.2, to which a bare y
    // is text.
    const std::string_view text = Bytes();
    if (text == "y\n") return "y";
    return json::ParseYaml(text).value();
  }

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      REQUIRE(!bytes_.empty());
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
  }

  double Fixed() {
    REQUIRE(bytes_.size() >= 8);
    std::uint64_t bits = 0;
    for (std::size_t i = 8; i-- > 0;) bits = (bits << 8U) | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(8);
    return std::bit_cast<double>(bits);
  }

  std::string_view Bytes() {
    const std::uint64_t size = Varint();
    REQUIRE(bytes_.size() >= size);
    const std::string_view read = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return read;
  }

  std::string_view bytes_;
};

std::string Encoded(std::string_view json, OpenApiVersion form) {
  std::string bytes;
  AppendProtobuf(bytes, json::Parse(json).value(), form);
  return bytes;
}

TEST_CASE("a v3 document in protobuf says what kube-apiserver's says", "[api][openapi]") {
  OpenApi openapi(false);
  const auto snapshot = SnapshotOf(Definitions({"my-kinds"}));
  const std::string own = Written(openapi.V3(snapshot, "apis/toy-box2.example.com/odd-version").value(),
                                  OpenApiEncoding::kProtobuf);
  const Value decoded = Decoder(own).Message(kOpenApiV3Document);
  CHECK(decoded["paths"].size() == 3);
  CHECK(decoded == Decoder(OpenApiFile("document_v3.pb")).Message(kOpenApiV3Document));
}

TEST_CASE("a v2 document in protobuf says what gnostic's says", "[api][openapi]") {
  OpenApi openapi(false);
  const auto snapshot = SnapshotOf(Definitions({"engines", "zoos"}));
  const std::string own = Written(openapi.V2(snapshot), OpenApiEncoding::kProtobuf);
  Value decoded = Decoder(own).Message(kOpenApiV2Document);
  const Value expected = Decoder(OpenApiFile("document_v2.pb")).Message(kOpenApiV2Document);
  CHECK(decoded["definitions"] == expected["definitions"]);
  CHECK(decoded["paths"] == expected["paths"]);
  // The definitions have no scale: their document lists all parameters, used or not.
  CHECK(decoded == expected);
}

TEST_CASE("zero values are left out, except where they choose a form", "[api][openapi]") {
  using namespace std::string_literals;
  // {"info": {}} is an empty message: key 2 << 3 | 2, length 0.
  CHECK(Encoded(R"({"info":{"title":""}})", OpenApiVersion::kV2) == "\x12\0"s);
  // definitions (9) > entry (1) > name (1) "A", value (2) > additionalProperties (21) > boolean (2) false
  CHECK(Encoded(R"({"definitions":{"A":{"additionalProperties":false}}})", OpenApiVersion::kV2) ==
        "\x4A\x0C\x0A\x0A\x0A\x01\x41\x12\x05\xAA\x01\x02\x10\x00"s);
  // A default is number, boolean or text; of anything else nothing is left but that there is one.
  const std::string prefix = R"({"components":{"schemas":{"A":{"default":)";
  CHECK(Encoded(prefix + "0}}}}", OpenApiVersion::kV3).ends_with("\x8A\x02\x09\x09\0\0\0\0\0\0\0\0"s));
  CHECK(Encoded(prefix + "\"\"}}}}", OpenApiVersion::kV3).ends_with("\x8A\x02\x02\x1A\0"s));
  CHECK(Encoded(prefix + "{}}}}}", OpenApiVersion::kV3).ends_with("\x8A\x02\0"s));
}

}  // namespace
}  // namespace annex::api
