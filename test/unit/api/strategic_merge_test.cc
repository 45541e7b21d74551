// Strategic merge patches, with the cases of k8s.io/apimachinery's rules that built-in types need.
#include "api/strategic_merge.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "api_fixture.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::api {
namespace {

const std::vector<MergedList>& Lists() {
  static const std::vector<MergedList> lists = {{"set"}, {"list", "k"}};
  return lists;
}

std::string Apply(const char* object, const char* patch) {
  json::Value value = json::Parse(object).value();
  const auto applied = ApplyStrategicMergePatch(value, json::Parse(patch).value(), Lists());
  return applied ? json::ToJson(value) : "error: " + applied.error().message;
}

}  // namespace

TEST_CASE("objects are merged, null removes, other lists are replaced", "[api][strategic]") {
  CHECK(Apply(R"({"a":{"b":1,"c":2},"l":[1,2]})", R"({"a":{"b":null,"d":3},"l":[3],"n":null})") ==
        R"({"a":{"c":2,"d":3},"l":[3]})");
  CHECK(Apply(R"({"a":1})", R"({"a":{"b":null,"c":{"d":null,"e":1}}})") == R"({"a":{"c":{"e":1}}})");
  CHECK(Apply(R"({"a":{"b":1}})", "{}") == R"({"a":{"b":1}})");
}

TEST_CASE("lists that are sets are united", "[api][strategic]") {
  CHECK(Apply(R"({"set":["a","b"]})", R"({"set":["b","c"]})") == R"({"set":["a","b","c"]})");
  CHECK(Apply(R"({})", R"({"set":["b"]})") == R"({"set":["b"]})");
  CHECK(Apply(R"({"set":["a","b"]})", R"({"$deleteFromPrimitiveList/set":["a","z"]})") == R"({"set":["b"]})");
  CHECK(Apply(R"({"set":["a","b"]})", R"({"set":null})") == "{}");
  CHECK(Apply(R"({"set":["a"]})", R"({"set":[{"k":1}]})") == "error: invalid list of set in the patch");
}

TEST_CASE("lists with a key are merged item by item", "[api][strategic]") {
  const char* object = R"({"list":[{"k":"a","v":1},{"k":"b","v":2}]})";
  CHECK(Apply(object, R"({"list":[{"k":"b","w":3},{"k":"c"}]})") ==
        R"({"list":[{"k":"a","v":1},{"k":"b","v":2,"w":3},{"k":"c"}]})");
  CHECK(Apply(object, R"({"list":[{"k":"a","$patch":"delete"}]})") == R"({"list":[{"k":"b","v":2}]})");
  CHECK(Apply(object, R"({"list":[{"$patch":"replace"},{"k":"c","v":null}]})") == R"({"list":[{"k":"c"}]})");
  CHECK(Apply(object, R"({"list":[{"v":1}]})") ==
        R"(error: map: {"v":1} does not contain declared merge key: k)");
  CHECK(Apply(object, R"({"list":[{"k":"a","$patch":"foo"}]})") ==
        "error: unknown patch type: foo in map: map[$patch:foo k:a]");
}

TEST_CASE("objects can be replaced, emptied and reduced", "[api][strategic]") {
  CHECK(Apply(R"({"a":{"b":1,"c":2}})", R"({"a":{"$patch":"replace","d":3}})") == R"({"a":{"d":3}})");
  CHECK(Apply(R"({"a":{"b":1,"c":2}})", R"({"a":{"$patch":"delete"}})") == R"({"a":{}})");
  CHECK(Apply(R"({"a":{"b":1,"c":2}})", R"({"a":{"$retainKeys":["c","d"],"d":3}})") ==
        R"({"a":{"c":2,"d":3}})");
  CHECK(Apply(R"({"a":{"b":1}})", R"({"a":{"$retainKeys":["c"],"d":3}})") ==
        "error: invalid patch format of retainKeys");
}

TEST_CASE("the order of items can be given", "[api][strategic]") {
  CHECK(Apply(R"({"set":["x","a","b"]})", R"({"set":["c"],"$setElementOrder/set":["c","b","a"]})") ==
        R"({"set":["c","x","b","a"]})");
  CHECK(Apply(R"({"list":[{"k":1},{"k":2},{"k":3}]})",
              R"({"$setElementOrder/list":[{"k":3},{"k":1}],"list":[{"k":1,"v":1}]})") ==
        R"({"list":[{"k":2},{"k":3},{"k":1,"v":1}]})");
}

TEST_CASE("built-in types take strategic merge patches", "[api][strategic]") {
  test::ApiFixture api;
  const std::string path = test::kNamespaces + "/a";
  REQUIRE(api.Call("POST", test::kNamespaces, R"({"metadata":{"name":"a","finalizers":["x.y/a"]}})").status ==
          201);
  const auto patch = [&](const std::string& body) {
    return api.Send("PATCH", path, "strategic-merge-patch+json", body);
  };
  CHECK(patch(R"({"metadata":{"labels":{"b":"c"},"finalizers":["x.y/b"]}})").status == 200);
  const json::Value object = api.Get(path).body;
  CHECK(json::TextAt(object, {"metadata", "labels", "b"}) == "c");
  CHECK(*json::FindPath(object, {"metadata", "finalizers"}) == json::Value({"x.y/a", "x.y/b"}));
  CHECK(patch("null").body == object);
  CHECK(patch("[]").status == 400);
  CHECK(patch(R"({"$patch":"foo"})").status == 500);
}

TEST_CASE("a namespace's finalizers and phase are checked", "[api][namespaces]") {
  test::ApiFixture api;
  CHECK(api.Call("POST", test::kNamespaces, R"({"metadata":{"name":"a"},"spec":{"finalizers":["foo"]}})")
            .message() ==
        "Namespace \"a\" is invalid: spec.finalizers: Invalid value: \"foo\": name is neither a standard "
        "finalizer name nor is it fully "
        "qualified");
  CHECK(api.Call("POST", test::kNamespaces, R"({"metadata":{"name":"a","finalizers":["x","y.z/a"]}})")
            .message() ==
        "Namespace \"a\" is invalid: metadata.finalizers[0]: Invalid value: \"x\": name is neither a "
        "standard finalizer name nor is it "
        "fully qualified");
  const test::Answer made =
      api.Call("POST", test::kNamespaces, R"({"metadata":{"name":"a"},"spec":{"finalizers":["y.z/a"]}})");
  CHECK(*json::FindPath(made.body, {"spec", "finalizers"}) == json::Value({"y.z/a", "kubernetes"}));
  const std::string status = test::kNamespaces + "/a/status";
  CHECK(api.Send("PATCH", status, "merge-patch+json", R"({"status":{"phase":"Terminating"}})").message() ==
        "Namespace \"a\" is invalid: status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
        "`deletionTimestamp` is empty");
  const test::Answer put = api.Call("PUT", status, R"({"metadata":{"name":"a"},"status":{}})");
  CHECK(json::TextAt(put.body, {"status", "phase"}) == "Active");
}

}  // namespace annex::api
