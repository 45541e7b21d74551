// Objects of built-in types are written with their keys in the order of Go's structs.
#include "annex/json/yaml.h"
#include "annex/schema/types.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::schema {
namespace {

std::string Written(const std::string& yaml, const TypedStruct& structure) {
  std::string out;
  AppendTyped(out, json::ParseYaml(yaml).value(), structure);
  return out;
}

}  // namespace

TEST_CASE("structs are written in the order of their declaration", "[schema][typed]") {
  CHECK(
      Written("{metadata: {uid: u, labels: {b: two, a: one}, name: my}, kind: Namespace, apiVersion: v1}",
              NamespaceType()) ==
      R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"my","uid":"u","labels":{"a":"one","b":"two"}}})");
}

TEST_CASE("a schema is written in Go's order at every depth", "[schema][typed]") {
  CHECK(
      Written("{properties: {b: {items: {default: {z: 1, a: 2}, type: object}, type: array}}, type: object, "
              "additionalProperties: {title: t, format: f}}",
              JsonSchemaPropsType()) ==
      R"({"type":"object","properties":{"b":{"type":"array","items":{"type":"object","default":{"a":2,"z":1}}}},)"
      R"("additionalProperties":{"format":"f","title":"t"}})");
}

TEST_CASE("what a struct does not have is written last", "[schema][typed]") {
  CHECK(Written("{a: 1, spec: null, kind: K}", NamespaceType()) == R"({"kind":"K","spec":null,"a":1})");
}

}  // namespace annex::schema
