// metadata.managedFields and server-side apply. The texts are those of kube-apiserver 1.34.4.
#include "annex/json/write.h"
#include "api_fixture.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

constexpr const char* kApply = "apply-patch+yaml";
constexpr const char* kMerge = "merge-patch+json";
const std::string kA = kWidgets + "/a";
const std::string kAsOne = "?fieldManager=one";
const std::string kAsTwo = "?fieldManager=two";

// "MANAGER OPERATION SUBRESOURCE FIELDS" for each entry.
std::vector<std::string> Owners(const json::Value& object) {
  std::vector<std::string> owners;
  for (const json::Value& entry : json::ItemsAt(object, {"metadata", "managedFields"})) {
    owners.push_back(json::TextAt(entry, {"manager"}) + " " + json::TextAt(entry, {"operation"}) + " " +
                     json::TextAt(entry, {"subresource"}) + " " + json::ToJson(entry.at("fieldsV1")));
  }
  return owners;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a manager is named by the request or by its client", "[api][ownership]") {
  ApiFixture api;
  const Answer named = api.Call("POST", kWidgets + kAsOne, ApiFixture::Widget("a", R"("spec":{"size":1})"));
  REQUIRE(named.status == 201);
  CHECK(Owners(named.body) == Texts{R"(one Update  {"f:spec":{".":{},"f:color":{},"f:size":{}}})"});
  CHECK(json::TextAt(named.body["metadata"]["managedFields"][0], {"apiVersion"}) == "example.com/v1");
  const Answer client =
      api.Call("PATCH", kA, R"({"spec":{"size":2}})",
               {{"user-agent", "cli\x01 ent/1.0 (x)"}, {"content-type", "application/merge-patch+json"}});
  CHECK(Owners(client.body) == Texts{R"(cli ent Update  {"f:spec":{"f:size":{}}})",
                                     R"(one Update  {"f:spec":{".":{},"f:color":{}}})"});
}

TEST_CASE("a write that changes nothing is none, whoever makes it", "[api][ownership]") {
  ApiFixture api;
  const json::Value created = api.Create("a", R"("spec":{"size":1})");
  CHECK(api.Send("PATCH", kA + kAsTwo, kMerge, R"({"spec":{"size":1}})").body == created);
  CHECK(api.Call("PUT", kA + kAsTwo, created.dump()).body == created);
}

TEST_CASE("what an apply makes, changes and drops belongs to its manager", "[api][ownership]") {
  ApiFixture api;
  const std::string one = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":)";
  const Answer created = api.Send("PATCH", kA + kAsOne, kApply, one + R"({"size":1,"replicas":2}})");
  CHECK(created.status == 201);
  CHECK(Owners(created.body) == Texts{R"(one Apply  {"f:spec":{"f:replicas":{},"f:size":{}}})"});
  const Answer conflict = api.Send("PATCH", kA + kAsTwo, kApply, one + R"({"size":2}})");
  CHECK(conflict.status == 409);
  CHECK(conflict.message() == "Apply failed with 1 conflict: conflict with \"one\": .spec.size");
  CHECK(
      json::ToJson(conflict.body["details"]) ==
      R"({"causes":[{"field":".spec.size","message":"conflict with \"one\"","reason":"FieldManagerConflict"}]})");
  const Answer forced = api.Send("PATCH", kA + kAsTwo + "&force=true", kApply, one + R"({"size":2}})");
  CHECK(forced.status == 200);
  CHECK(json::IntegerAt(forced.body, {"spec", "size"}) == 2);
  const Answer dropped = api.Send("PATCH", kA + kAsOne, kApply, one + "{}}");
  CHECK(json::ToJson(dropped.body["spec"]) == R"({"color":"blue","size":2})");
  CHECK(Owners(dropped.body) ==
        Texts{R"(one Apply  {"f:spec":{}})", R"(two Apply  {"f:spec":{"f:size":{}}})"});
}

TEST_CASE("an apply is refused for what is wrong with it", "[api][ownership]") {
  ApiFixture api;
  const std::string good = ApiFixture::Widget("a");
  CHECK(
      api.Send("PATCH", kA, kApply, good).message() ==
      "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
  CHECK(api.Send("PATCH", kA + kAsOne, kApply, "- a").message() ==
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array "
        "into Go value of "
        "type map[string]interface {}");
  CHECK(api.Send("PATCH", kA + kAsOne, kApply, "").message() == "invalid object type: /, Kind=");
  const Answer undeclared = api.Send("PATCH", kA + kAsOne, kApply, ApiFixture::Widget("a", R"("extra":1)"));
  CHECK(undeclared.status == 500);
  CHECK(undeclared.message() ==
        "failed to create typed patch object (/a; example.com/v1, Kind=Widget): .extra: field not declared "
        "in schema");
  CHECK(
      api.Send("PATCH", kA + kAsOne + "&fieldValidation=Strict", kApply,
               "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  size: 1\n  size: 2\n")
          .message() ==
      "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
      "  line 6: key \"size\" already set in map");
  CHECK(api.Send("PATCH", kA + "/status" + kAsOne, kApply, good).status == 404);
  CHECK(api.Get(kA).status == 404);
}

TEST_CASE("replicas change hands through the scale subresource", "[api][ownership][scale]") {
  ApiFixture api;
  api.Call("POST", kWidgets + kAsOne, ApiFixture::Widget("a", R"("spec":{"replicas":1,"size":1})"));
  REQUIRE(api.Send("PATCH", kA + "/scale" + kAsTwo, kMerge, R"({"spec":{"replicas":3}})").status == 200);
  CHECK(Owners(api.Get(kA).body) == Texts{R"(two Update scale {"f:spec":{"f:replicas":{}}})",
                                          R"(one Update  {"f:spec":{".":{},"f:color":{},"f:size":{}}})"});
  const Answer applied = api.Send(
      "PATCH", kA + "/scale?fieldManager=three&force=true", kApply,
      R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":5}})");
  CHECK(applied.status == 200);
  CHECK(json::IntegerAt(applied.body, {"spec", "replicas"}) == 5);
  CHECK(Owners(api.Get(kA).body)[0] == R"(three Apply scale {"f:spec":{"f:replicas":{}}})");
}

TEST_CASE("a status has owners of its own, and takes nothing of the spec", "[api][ownership]") {
  ApiFixture api;
  api.Create("a", R"("spec":{"size":1})");
  const Answer answer =
      api.Send("PATCH", kA + "/status" + kAsTwo, kMerge, R"({"spec":{"size":9},"status":{"replicas":1}})");
  CHECK(answer.status == 200);
  REQUIRE(Owners(answer.body).size() == 2);
  CHECK(Owners(answer.body)[0] == R"(two Update status {"f:status":{".":{},"f:replicas":{}}})");
}

TEST_CASE("owners of another version are asked about in their version, which a webhook shows",
          "[api][ownership][conversion]") {
  ApiFixture api;
  const auto part = [](const char* version, const char* spec) {
    return std::string(R"({"apiVersion":"example.com/)") + version +
           R"(","kind":"Part","metadata":{"name":"a"},"spec":)" + spec + "}";
  };
  REQUIRE(api.Send("PATCH", kPartsV1 + "/a" + kAsOne, kApply, part("v1", R"({"size":1})")).status == 201);
  const Answer conflict = api.Send("PATCH", kPartsV2 + "/a" + kAsTwo, kApply, part("v2", R"({"length":2})"));
  CHECK(conflict.status == 409);
  CHECK(conflict.message() == "Apply failed with 1 conflict: conflict with \"one\": .spec.size");
  const Answer forced =
      api.Send("PATCH", kPartsV2 + "/a" + kAsTwo + "&force=1", kApply, part("v2", R"({"length":2})"));
  CHECK(Owners(forced.body) == Texts{R"(two Apply  {"f:spec":{"f:length":{}}})"});
  CHECK(json::IntegerAt(api.Get(kPartsV1 + "/a").body, {"spec", "size"}) == 2);
}

}  // namespace annex::test
