// Resources whose objects a webhook converts: what is sent to it, what clients see, and what is stored.
#include "api_fixture.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

using Calls = std::vector<std::size_t>;

std::string Part(const std::string& version, const std::string& name, const std::string& spec,
                 const std::string& labels = "{}") {
  return R"({"apiVersion":"example.com/)" + version + R"(","kind":"Part","metadata":{"name":")" + name +
         R"(","labels":)" + labels + R"(},"spec":)" + spec + "}";
}

// Parts a, b and c of the sizes 1, 2 and 3, made as v1.
void MakeParts(ApiFixture& api) {
  int size = 0;
  for (const char* name : {"a", "b", "c"}) {
    const std::string spec = "{\"size\":" + std::to_string(++size) + "}";
    REQUIRE(api.Call("POST", kPartsV1, Part("v1", name, spec)).status == 201);
  }
  CHECK(api.webhook().TakeCalls().empty());
}

std::vector<std::string> Names(const Answer& list) {
  std::vector<std::string> names;
  for (const json::Value& item : json::ItemsAt(list.body, {"items"})) {
    names.push_back(json::TextAt(item, {"metadata", "name"}));
  }
  return names;
}

// The lines of a watch as "TYPE name".
std::vector<std::string> Events(const Answer& watch) {
  std::vector<std::string> events;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = watch.text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const json::Value event = json::Value::parse(watch.text.substr(begin, end - begin));
    events.push_back(json::TextAt(event, {"type"}) + " " + json::TextAt(event, {"object", "apiVersion"}) +
                     " " + json::TextAt(event, {"object", "metadata", "name"}));
  }
  return events;
}

void Rename(json::Value& review) {
  review["response"]["convertedObjects"][0]["metadata"]["name"] = "zz";
}

constexpr const char* kRenamed = "returned invalid object: must have the same name: a != zz";

}  // namespace

TEST_CASE("an object is converted for the version that asks, and only for that", "[api][conversion]") {
  ApiFixture api;
  MakeParts(api);
  CHECK(api.Get(kPartsV1 + "/a").body["spec"] == json::Value({{"name", "none"}, {"size", 1}}));
  CHECK(api.webhook().TakeCalls().empty());
  const Answer shown = api.Get(kPartsV2 + "/a");
  CHECK(shown.body["apiVersion"] == "example.com/v2");
  CHECK(shown.body["spec"] == json::Value({{"length", 1}, {"name", "none"}}));
  CHECK(shown.body["metadata"]["labels"] == json::Value({{"shown", "v2"}}));
  CHECK(shown.body["metadata"]["resourceVersion"] ==
        api.Get(kPartsV1 + "/a").body["metadata"]["resourceVersion"]);
  CHECK(api.webhook().TakeCalls() == Calls{1});
}

TEST_CASE("a list is converted with one call", "[api][conversion]") {
  ApiFixture api;
  MakeParts(api);
  const Answer list = api.Get(kPartsV2);
  CHECK(Names(list) == std::vector<std::string>{"a", "b", "c"});
  CHECK(list.body["items"][2]["spec"]["length"] == 3);
  CHECK(api.webhook().TakeCalls() == Calls{3});

  const Answer page = api.Get(kPartsV2 + "?limit=2");
  CHECK(Names(page) == std::vector<std::string>{"a", "b"});
  CHECK(page.body["metadata"]["remainingItemCount"] == 1);
  CHECK(api.webhook().TakeCalls() == Calls{2});
  const std::string token = page.body["metadata"]["continue"].get<std::string>();
  CHECK(Names(api.Get(kPartsV2 + "?limit=2&continue=" + token)) == std::vector<std::string>{"c"});
  CHECK(api.webhook().TakeCalls() == Calls{1});
}

TEST_CASE("selectors see the converted object", "[api][conversion]") {
  ApiFixture api;
  MakeParts(api);
  CHECK(Names(api.Get(kPartsV2 + "?labelSelector=shown%3Dv2")).size() == 3);
  CHECK(Names(api.Get(kPartsV1 + "?labelSelector=shown%3Dv2")).empty());
  CHECK(Names(api.Get(kPartsV2 + "?fieldSelector=spec.length%3D2")) == std::vector<std::string>{"b"});
  CHECK(Names(api.Get(kPartsV1 + "?fieldSelector=spec.size%3D2")) == std::vector<std::string>{"b"});
  CHECK(api.Get(kPartsV2 + "?fieldSelector=spec.size%3D2").message() ==
        "field label not supported: spec.size");
  CHECK(Names(api.Get(kPartsV2 + "?fieldSelector=spec.length%3E0")).empty());
  const Answer page = api.Get(kPartsV2 + "?labelSelector=shown&limit=2");
  CHECK(Names(page) == std::vector<std::string>{"a", "b"});
  CHECK(!page.body["metadata"]["continue"].get<std::string>().empty());
  CHECK(!page.body["metadata"].contains("remainingItemCount"));
  // Names are no business of the webhook.
  api.webhook().TakeCalls();
  CHECK(Names(api.Get(kPartsV2 + "?fieldSelector=metadata.name%3Dc")) == std::vector<std::string>{"c"});
  CHECK(api.webhook().TakeCalls() == Calls{1});
}

TEST_CASE("a write is stored in the storage version and answered in its own", "[api][conversion]") {
  ApiFixture api;
  const Answer created = api.Call("POST", kPartsV2, Part("v2", "a", R"({"length":7})", R"({"x":"y"})"));
  REQUIRE(created.status == 201);
  CHECK(created.body["spec"] == json::Value({{"length", 7}, {"name", "none"}}));
  CHECK(created.body["metadata"]["labels"] == json::Value({{"shown", "v2"}, {"x", "y"}}));
  CHECK(api.webhook().TakeCalls() == Calls{1, 1});
  CHECK(api.Get(kPartsV1 + "/a").body["spec"] == json::Value({{"name", "none"}, {"size", 7}}));

  const Answer patched = api.Send("PATCH", kPartsV2 + "/a", "merge-patch+json", R"({"spec":{"length":8}})");
  CHECK(patched.body["spec"]["length"] == 8);
  CHECK(patched.body["metadata"]["generation"] == 2);
  const Answer status =
      api.Send("PATCH", kPartsV2 + "/a/status", "merge-patch+json", R"({"status":{"phase":"done"}})");
  CHECK(status.body["status"]["phase"] == "done");
  CHECK(api.Get(kPartsV1 + "/a").body["spec"]["size"] == 8);

  // What changes nothing is not written.
  const Answer same = api.Send("PATCH", kPartsV2 + "/a", "merge-patch+json", R"({"spec":{"length":8}})");
  CHECK(same.body["metadata"]["resourceVersion"] == status.body["metadata"]["resourceVersion"]);
  CHECK(api.Call("DELETE", kPartsV2 + "/a").status == 200);
  CHECK(api.Get(kPartsV1 + "/a").status == 404);
}

TEST_CASE("a dry run is converted there and back, and stores nothing", "[api][conversion]") {
  ApiFixture api;
  const Answer dry = api.Call("POST", kPartsV2 + "?dryRun=All", Part("v2", "a", R"({"length":7})"));
  CHECK(dry.status == 201);
  CHECK(dry.body["spec"]["length"] == 7);
  CHECK(api.webhook().TakeCalls() == Calls{1, 1});
  CHECK(api.Get(kPartsV1 + "/a").status == 404);
}

TEST_CASE("objects of an old storage version are converted, and rewritten at the next write",
          "[api][conversion]") {
  ApiFixture api;
  MakeParts(api);
  api.StoreParts("v2", "[v1, v2]");
  CHECK(api.Get(kPartsV2 + "/a").body["spec"]["length"] == 1);
  CHECK(api.webhook().TakeCalls() == Calls{1});
  // Stored as v1, it is read as v1 as it is.
  CHECK(api.Get(kPartsV1 + "/a").body["spec"]["size"] == 1);
  CHECK(api.webhook().TakeCalls().empty());
  CHECK(Names(api.Get(kPartsV2 + "?labelSelector=shown")).size() == 3);

  const std::string before = api.Get(kPartsV2 + "/a").body["metadata"]["resourceVersion"].get<std::string>();
  const Answer rewritten = api.Send("PATCH", kPartsV2 + "/a", "merge-patch+json", "{}");
  CHECK(rewritten.body["metadata"]["resourceVersion"] != before);
  api.webhook().TakeCalls();
  CHECK(Names(api.Get(kPartsV2)) == std::vector<std::string>{"a", "b", "c"});
  CHECK(api.webhook().TakeCalls() == Calls{2});
  CHECK(api.Get(kPartsV2 + "/a").body["spec"]["length"] == 1);
  CHECK(api.webhook().TakeCalls().empty());
  CHECK(Names(api.Get(kPartsV2 + "?labelSelector=shown")).size() == 3);
}

TEST_CASE("a watch shows converted states and changes", "[api][conversion]") {
  ApiFixture api;
  MakeParts(api);
  const std::string begin = api.Get(kPartsV1).body["metadata"]["resourceVersion"].get<std::string>();
  CHECK(
      Events(api.Get(kPartsV2 + "?watch=1&timeoutSeconds=1")) ==
      std::vector<std::string>{"ADDED example.com/v2 a", "ADDED example.com/v2 b", "ADDED example.com/v2 c"});
  CHECK(api.webhook().TakeCalls() == Calls{3});

  api.Send("PATCH", kPartsV1 + "/a", "merge-patch+json", R"({"spec":{"size":9}})");
  api.Call("DELETE", kPartsV1 + "/b");
  const std::string changes = "?watch=1&timeoutSeconds=1&resourceVersion=" + begin;
  const Answer watch = api.Get(kPartsV2 + changes);
  CHECK(Events(watch) == std::vector<std::string>{"MODIFIED example.com/v2 a", "DELETED example.com/v2 b"});
  CHECK(watch.text.find("\"length\":9") != std::string::npos);
  CHECK(api.webhook().TakeCalls() == Calls{2});
  // The next watch finds what the first has learned.
  CHECK(api.Get(kPartsV2 + changes).text == watch.text);
  CHECK(api.webhook().TakeCalls().empty());

  const Answer selected = api.Get(kPartsV2 + changes + "&fieldSelector=spec.length%3D9");
  CHECK(Events(selected) == std::vector<std::string>{"ADDED example.com/v2 a"});
}

TEST_CASE("what a webhook does wrong is answered in kube-apiserver's words and loses nothing",
          "[api][conversion]") {
  ApiFixture api;
  MakeParts(api);
  api.webhook().distort = Rename;
  const std::string about = "conversion webhook for example.com/v1, Kind=Part ";
  const auto check = [&](const Answer& answer) {
    CHECK(answer.status == 500);
    CHECK(answer.message() == about + kRenamed);
    CHECK(!answer.body.contains("reason"));
  };
  check(api.Get(kPartsV2 + "/a"));
  check(api.Get(kPartsV2 + "/a", "application/json;as=Table;v=v1;g=meta.k8s.io"));
  check(api.Call("PUT", kPartsV2 + "/a", Part("v2", "a", "{}")));
  check(api.Send("PATCH", kPartsV2 + "/a", "merge-patch+json", "{}"));
  check(api.Call("DELETE", kPartsV2 + "/a"));
  check(api.Call("DELETE", kPartsV2));
  for (const std::string query : {"", "?watch=1"}) {
    const Answer refused = api.Get(kPartsV2 + query);
    CHECK(refused.status == 429);
    CHECK(refused.message() ==
          "storage is (re)initializing: failed to list example.com/v2, Kind=Part: " + about + kRenamed);
  }
  CHECK(
      api.Call("POST", kPartsV2, Part("v2", "d", "{}")).message() ==
      "conversion webhook for example.com/v2, Kind=Part returned invalid object: must have the same name: d "
      "!= zz");
  CHECK(Names(api.Get(kPartsV1)) == std::vector<std::string>{"a", "b", "c"});

  // A watch that is under way just ends.
  const std::string begin = api.Get(kPartsV1).body["metadata"]["resourceVersion"].get<std::string>();
  api.Send("PATCH", kPartsV1 + "/a", "merge-patch+json", R"({"spec":{"size":9}})");
  CHECK(api.Get(kPartsV2 + "?watch=1&timeoutSeconds=5&resourceVersion=" + begin).text.empty());
  api.webhook().distort = nullptr;
  CHECK(Events(api.Get(kPartsV2 + "?watch=1&timeoutSeconds=1&resourceVersion=" + begin)) ==
        std::vector<std::string>{"MODIFIED example.com/v2 a"});
}

}  // namespace annex::test
