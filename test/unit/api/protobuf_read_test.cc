// The protobuf reader against objects that Kubernetes' own code encoded (test/data/protobuf/generate.go), and
// against damaged ones.
#include "api/protobuf_read.h"

#include "annex/base/thread.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/schema/types.h"
#include "api/protobuf_fields.h"
#include "support/test_files.h"

#include <functional>
#include <set>
#include <string>

#include <catch2/catch.hpp>

namespace annex::api {
namespace {

using json::Value;
using schema::TypedStruct;
using schema::TypedType;

std::string Sample(const std::string& name) {
  return test::ReadTestFile("data/protobuf/" + name);
}

const TypedStruct& TypeOf(const std::string& kind) {
  if (kind == "Namespace") return schema::NamespaceType();
  return kind == "DeleteOptions" ? schema::DeleteOptionsType() : schema::CustomResourceDefinitionType();
}

base::Result<Value> Read(const std::string& body, const std::string& kind) {
  ANNEX_TRY(const ProtobufDocument document, ReadProtobufDocument(body));
  ANNEX_TRY(Value object, ReadProtobufMessage(document.message, TypeOf(kind)));
  object["apiVersion"] = document.api_version;
  object["kind"] = document.kind;
  ANNEX_RETURN_IF_ERROR(schema::ReadTyped(object, TypeOf(kind), ""));
  return object;
}

// A field with a length: `number` below 16.
std::string Field(unsigned number, const std::string& bytes) {
  std::string text(1, static_cast<char>(number << 3U | 2U));
  for (std::size_t rest = bytes.size();; rest >>= 7U) {
    if (rest < 0x80) return text + static_cast<char>(rest) + bytes;
    text += static_cast<char>((rest & 0x7FU) | 0x80U);
  }
}

std::string Problem(const std::string& message, const TypedStruct& type = schema::NamespaceType()) {
  const auto read = ReadProtobufMessage(message, type);
  return read ? "" : read.error().message;
}

std::string DocumentProblem(const std::string& body) {
  const auto read = ReadProtobufDocument(body);
  return read ? "" : read.error().message;
}

}  // namespace

TEST_CASE("an object in protobuf is read as the same object in JSON", "[api][protobuf]") {
  for (const std::string name : {"namespace", "namespace_name_only", "definition", "definition_zeros",
                                 "delete_options", "delete_options_custom"}) {
    INFO(name);
    Value expected = json::Parse(Sample(name + ".json")).value();
    const std::string kind = json::TextAt(expected, {"kind"});
    REQUIRE(schema::ReadTyped(expected, TypeOf(kind), ""));
    const auto read = Read(Sample(name + ".pb"), kind);
    REQUIRE(read);
    CHECK(json::ToJson(*read) == json::ToJson(expected));
  }
}

TEST_CASE("every field of every type that is read as a struct has a number", "[api][protobuf]") {
  std::set<const TypedStruct*> seen;
  const std::function<void(const TypedStruct&)> check_struct = [&](const TypedStruct& structure) {
    if (!seen.insert(&structure).second) return;
    INFO(structure.go_name);
    std::set<std::string> numbered;
    std::set<std::int32_t> numbers;
    for (const ProtobufField& field : ProtobufFieldsOf(structure)) {
      CHECK(numbered.insert(field.name).second);
      CHECK(numbers.insert(field.number).second);
    }
    std::set<std::string> named;
    const std::function<void(const TypedType&)> check_type = [&](const TypedType& type) {
      if (type.structure != nullptr) check_struct(*type.structure);
      if (type.element) check_type(*type.element);
      for (const TypedType& alternative : type.alternatives) check_type(alternative);
    };
    const bool root = &structure == &schema::NamespaceType() ||
                      &structure == &schema::CustomResourceDefinitionType() ||
                      &structure == &schema::DeleteOptionsType();
    for (const schema::TypedField& field : structure.fields) {
      if (!root || (field.name != "apiVersion" && field.name != "kind")) named.insert(field.name);
      check_type(field.type);
    }
    CHECK(named == numbered);
  };
  for (const char* kind : {"Namespace", "CustomResourceDefinition", "DeleteOptions"})
    check_struct(TypeOf(kind));
  CHECK(seen.size() > 20);
}

TEST_CASE("a document that is none is refused in Kubernetes' words", "[api][protobuf]") {
  const std::string magic("k8s\0", 4);
  CHECK(DocumentProblem("") == "empty data");
  CHECK(DocumentProblem("k8s") ==
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  CHECK(DocumentProblem("{\"kind\":\"Namespace\"}") ==
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  CHECK(DocumentProblem(magic) == "empty body");
  CHECK(DocumentProblem(magic + "\x0a\x7f") == "unexpected EOF");
  CHECK(DocumentProblem(magic + "\x08\x01") == "proto: wrong wireType = 0 for field TypeMeta");
  CHECK(DocumentProblem(magic + "\x0c") == "proto: Unknown: wiretype end group for non-group");
  CHECK(DocumentProblem(magic + std::string("\x02\x00", 2)) == "proto: Unknown: illegal tag 0 (wire type 2)");
}

TEST_CASE("a malformed message is refused in Kubernetes' words", "[api][protobuf]") {
  CHECK(Problem("\x0a\x7f") == "unexpected EOF");
  CHECK(Problem("\x08\x01") == "proto: wrong wireType = 0 for field ObjectMeta");
  CHECK(Problem(Field(1, "\x38")) == "unexpected EOF");
  CHECK(Problem(Field(1, Field(7, "x"))) == "proto: wrong wireType = 2 for field Generation");
  CHECK(Problem("\x0a" + std::string(9, '\xff') + "\x01") ==
        "proto: negative length found during unmarshaling");
  CHECK(Problem(std::string(11, '\xff')) == "proto: integer overflow");
  CHECK(Problem("\xfe\x01\x01") == "proto: illegal wireType 6");
  CHECK(Problem(Field(1, Field(11, "\x08\x01"))) == "proto: wrong wireType = 0 for field Key");
  CHECK(Problem(Field(1, Field(8, std::string("\x08\xff\xff\xff\xff\xff\xff\xff\x7f"))))
            .find("outside of range") != std::string::npos);
}

TEST_CASE("unknown fields of any type are passed over", "[api][protobuf]") {
  const std::string fields[] = {
      std::string("\x98\x06\x01"),                      // 99: a varint
      std::string("\x99\x06") + "12345678",             // 8 bytes
      std::string("\x9a\x06\x03") + "abc",              // bytes
      std::string("\x9b\x06\x0b\x08\x01\x0c\x9c\x06"),  // a group in a group
      std::string("\x9d\x06") + "1234",                 // 4 bytes
  };
  for (const std::string& field : fields) {
    const auto read = ReadProtobufMessage(field + Field(1, Field(1, "a")), schema::NamespaceType());
    REQUIRE(read);
    CHECK(json::TextAt(*read, {"metadata", "name"}) == "a");
    for (std::size_t size = 1; size < field.size(); ++size) CHECK(Problem(field.substr(0, size)) != "");
  }
}

TEST_CASE("a message that comes in pieces is merged, and of a scalar the last one counts",
          "[api][protobuf]") {
  const std::string pieces = Field(1, Field(1, "a") + Field(3, "n")) + Field(1, Field(1, "b"));
  const auto read = ReadProtobufMessage(pieces, schema::NamespaceType());
  REQUIRE(read);
  CHECK(json::ToJson(*read) == R"({"metadata":{"name":"b","namespace":"n"}})");
}

TEST_CASE("a message nests only so deep", "[api][protobuf]") {
  const auto nested = [](std::size_t depth) {
    std::string schema;
    // not: field 28
    for (std::size_t i = 0; i < depth; ++i) schema = "\xe2\x01" + Field(1, schema).substr(1);
    return schema;
  };
  // On a thread as those of the server: the main thread's stack is the system's choice.
  base::Thread("deep", [&] {
    CHECK(Problem(nested(kMaxProtobufDepth - 1), schema::JsonSchemaPropsType()) == "");
    CHECK(Problem(nested(kMaxProtobufDepth), schema::JsonSchemaPropsType()) == "exceeded max depth");
  });
}

TEST_CASE("text that is no UTF-8 is read as JSON would be", "[api][protobuf]") {
  const auto read = ReadProtobufMessage(Field(1, Field(1, "a\xff")), schema::NamespaceType());
  REQUIRE(read);
  CHECK(json::TextAt(*read, {"metadata", "name"}) == "a\xEF\xBF\xBD");
}

TEST_CASE("no damage to a document does harm", "[api][protobuf]") {
  const std::string body = Sample("definition_zeros.pb");
  // Only a cut between the parts of the envelope leaves a document that can be read.
  std::size_t readable = 0;
  for (std::size_t size = 0; size < body.size(); ++size)
    readable += Read(body.substr(0, size), "CustomResourceDefinition").has_value() ? 1U : 0U;
  CHECK(readable <= 4);
  for (std::size_t place = 4; place < body.size(); ++place) {
    for (const char byte : {'\x00', '\x01', '\x0B', '\x0C', '\x7F', '\x80', '\xFF'}) {
      std::string damaged = body;
      damaged[place] = byte;
      const auto read = Read(damaged, "CustomResourceDefinition");
      if (!read) CHECK_FALSE(read.error().message.empty());
    }
  }
}

}  // namespace annex::api
