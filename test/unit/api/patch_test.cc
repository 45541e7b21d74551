// PATCH of objects and of their scale. The texts are those of kube-apiserver 1.34.4.
#include "api_fixture.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

constexpr const char* kMerge = "merge-patch+json";
constexpr const char* kJson = "json-patch+json";

}  // namespace

TEST_CASE("a patch that is null is nothing or no patch", "[api][patch]") {
  ApiFixture api;
  const json::Value created = api.Create("a");
  const Answer merged = api.Send("PATCH", kWidgets + "/a", kMerge, "null");
  CHECK(merged.status == 400);
  CHECK(merged.message() == "Invalid JSON Patch");
  const Answer patched = api.Send("PATCH", kWidgets + "/a", kJson, "null");
  CHECK(patched.status == 200);
  CHECK(patched.body == created);
}

TEST_CASE("an object that is not there is told before what is wrong with the patch", "[api][patch]") {
  ApiFixture api;
  CHECK(api.Send("PATCH", kWidgets + "/a", kMerge, "[").status == 404);
  CHECK(api.Send("PATCH", kWidgets + "/a", kJson, "{}").status == 404);
}

TEST_CASE("operations are read as Go reads them, or not at all", "[api][patch]") {
  ApiFixture api;
  api.Create("a");
  const auto message = [&](const char* patch, const std::string& query = "") {
    return api.Send("PATCH", kWidgets + "/a" + query, kJson, patch).message();
  };
  CHECK(message(R"([{"op":1}])") ==
        "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type "
        "string");
  CHECK(message(R"([{"op":"add","path":"/a","value":1e999}])") ==
        "error decoding patch: json: cannot unmarshal number 1e999 into Go struct field jsonPatchOp.value of "
        "type "
        "float64");
  CHECK(message("[1]", "?fieldValidation=Ignore") ==
        "json: cannot unmarshal number into Go value of type jsonpatch.Operation");
}

TEST_CASE("a patch cannot change the UID", "[api][patch]") {
  ApiFixture api;
  api.Create("a");
  const Answer answer = api.Send("PATCH", kWidgets + "/a", kMerge, R"({"metadata":{"uid":"q"}})");
  CHECK(answer.status == 422);
  CHECK(answer.message() ==
        "Widget.example.com \"a\" is invalid: metadata.uid: Invalid value: \"q\": field is immutable");
}

TEST_CASE("the UID in a PUT is a precondition", "[api][patch]") {
  ApiFixture api;
  json::Value object = api.Create("a");
  object["metadata"]["uid"] = "q";
  const Answer answer = api.Call("PUT", kWidgets + "/a", object.dump());
  CHECK(answer.status == 409);
  CHECK(answer.message().find("Precondition failed: UID in precondition: q") != std::string::npos);
}

TEST_CASE("a patched object must be one of the resource", "[api][patch]") {
  ApiFixture api;
  api.Create("a");
  CHECK(api.Send("PATCH", kWidgets + "/a", kJson, R"([{"op":"replace","path":"","value":{}}])").message() ==
        " \"\" is invalid: patch: Invalid value: \"{}\": Object 'Kind' is missing in '{}'");
  CHECK(api.Send("PATCH", kWidgets + "/a", kMerge, R"({"apiVersion":"x/v1"})").message() ==
        "Widget.x \"a\" is invalid: apiVersion: Invalid value: \"x/v1\": must be example.com/v1");
}

TEST_CASE("replicas that cannot be reached are named", "[api][patch][scale]") {
  ApiFixture api;
  api.Create("a");
  CHECK(api.Send("PATCH", kWidgets + "/a", kMerge, R"({"spec":"x"})").message() ==
        "Widget.example.com \"a\" is invalid: [spec: Invalid value: \"string\": spec in body must be of type "
        "object: \"string\", "
        ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected "
        "map[string]interface{}]");
  CHECK(
      api.Send("PATCH", kWidgets + "/a", kMerge, R"({"spec":{"replicas":["x",1,null]}})")
          .message()
          .find(".spec.replicas accessor error: [x 1 <nil>] is of the type []interface {}, expected int64") !=
      std::string::npos);
}

TEST_CASE("a scale that cannot be read is refused", "[api][scale]") {
  ApiFixture api;
  api.Create("a", R"("spec":{"replicas":2})");
  const std::string scale = kWidgets + "/a/scale";
  const std::string refused =
      "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:110\"";
  for (const char* body : {"{", "", R"({"kind":"Foo"})", R"({"apiVersion":"autoscaling/v2","kind":"Scale"})",
                           R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":"5"}})"}) {
    INFO(body);
    CHECK(api.Call("PUT", scale, body).message() == refused);
  }
  const Answer patched = api.Send("PATCH", scale, kMerge, R"({"spec":{"replicas":"x"}})");
  CHECK(patched.status == 422);
  CHECK(patched.message().starts_with(" \"\" is invalid: patch: Invalid value: "));
  CHECK(json::IntegerAt(api.Get(scale).body, {"spec", "replicas"}) == 2);
}

TEST_CASE("a scale is shown in all forms", "[api][scale]") {
  ApiFixture api;
  api.Create("a", R"("spec":{"replicas":2})");
  const std::string scale = kWidgets + "/a/scale";
  const Answer partial = api.Get(scale, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  CHECK(json::TextAt(partial.body, {"kind"}) == "PartialObjectMetadata");
  CHECK(json::FindPath(partial.body, {"spec"}) == nullptr);
  const Answer table = api.Get(scale, "application/json;as=Table;v=v1;g=meta.k8s.io");
  const json::Value& row = json::ItemsAt(table.body, {"rows"}).at(0);
  CHECK(row["cells"] == json::Value({"a", 2, 0, "0s"}));
  CHECK(json::TextAt(row, {"object", "kind"}) == "PartialObjectMetadata");
}

TEST_CASE("only JSON patches, merge patches and applies are taken", "[api][patch]") {
  ApiFixture api;
  api.Create("a");
  for (const char* type : {"strategic-merge-patch+json", "json"}) {
    CHECK(api.Send("PATCH", kWidgets + "/a", type, "{}").status == 415);
  }
}

}  // namespace annex::test
