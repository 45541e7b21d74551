// The forms of answers: what clients may accept, and what deletions and lists say. The texts are those of
// kube-apiserver 1.34.4.
#include "api_fixture.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

std::string As(const char* form) {
  return std::string("application/json;as=") + form + ";v=v1;g=meta.k8s.io";
}

constexpr const char* kAnyForm =
    "only the following media types are accepted: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf";
constexpr const char* kStreamForm =
    "only the following media types are accepted: application/json;stream=watch, "
    "application/vnd.kubernetes.protobuf;stream=watch";

}  // namespace

TEST_CASE("a watch refuses what is no answer before what is no stream", "[api][answers]") {
  ApiFixture api;
  const auto message = [&](const std::string& accept) {
    return api.Get(kWidgets + "?watch=1&timeoutSeconds=1", accept).message();
  };
  CHECK(message("text/html") == kAnyForm);
  CHECK(message(As("Foo")) == kAnyForm);
  CHECK(api.Get(kWidgets + "?watch=1", "application/yaml")
            .text.find("message: 'only the following media types are accepted: "
                       "application/json;stream=watch,") != std::string::npos);
  CHECK(api.Get(kWidgets + "?watch=1", "application/vnd.kubernetes.protobuf").text.find(kAnyForm) !=
        std::string::npos);
  CHECK(message("application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io") ==
        kStreamForm);
  CHECK(
      api.Get(kWidgets + "?watch=1&timeoutSeconds=1", "application/vnd.kubernetes.protobuf,application/json")
          .status == 200);
}

TEST_CASE("a watch whose time is over before it began ends at once", "[api][watch]") {
  ApiFixture api;
  api.Create("a");
  CHECK(api.Get(kWidgets + "?watch=1&timeoutSeconds=-1").status == 200);
  CHECK(api.Get(kWidgets + "?watch=1&timeoutSeconds=9223372036854775808").status == 400);
}

TEST_CASE("nobody learns or keeps a revision of objects that leave, and single ones are read and written",
          "[api][release]") {
  ApiFixture api;
  const std::string version = json::TextAt(api.Create("a"), {"metadata", "resourceVersion"});
  api.LetWidgetsLeave();
  const Answer list = api.Get(kWidgets);
  CHECK(list.status == 429);
  CHECK(list.headers.First("retry-after") == "1");
  CHECK(api.Get(kWidgets + "?resourceVersion=0").status == 429);
  CHECK(api.Get(kWidgets + "?resourceVersion=" + version).status == 410);
  for (const std::string from : {"", "&resourceVersion=0", "&resourceVersion=1"}) {
    const Answer watch = api.Get(kWidgets + "?watch=1&timeoutSeconds=1" + from);
    CHECK(watch.status == 200);
    CHECK(json::TextAt(watch.body, {"type"}) == "ERROR");
    CHECK(json::IntegerAt(watch.body, {"object", "code"}) == 410);
  }
  CHECK(api.Get(kWidgets + "/a").status == 200);
  CHECK(api.Send("PATCH", kWidgets + "/a", "merge-patch+json", R"({"spec":{"size":2}})").status == 200);
}

TEST_CASE("a watch from nowhere cannot be continued", "[api][watch]") {
  ApiFixture api;
  const Answer answer = api.Get(kWidgets + "?watch=1&timeoutSeconds=1&continue=abc");
  CHECK(answer.status == 422);
  CHECK(answer.message() ==
        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is "
        "forbidden when continue is "
        "provided");
}

TEST_CASE("one object is no list, and a list no object", "[api][answers]") {
  ApiFixture api;
  api.Create("a");
  REQUIRE(api.Call("POST", kNamespaces, R"({"metadata":{"name":"a"}})").status == 201);
  const Answer widget = api.Get(kWidgets + "/a", As("PartialObjectMetadataList"));
  CHECK(widget.status == 500);
  CHECK(widget.message() == "content is not a list");
  CHECK(api.Get(kNamespaces + "/a", As("PartialObjectMetadataList")).message() ==
        "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Namespace)");
  CHECK(api.Get(kNamespaces, As("PartialObjectMetadata")).message() ==
        "you requested PartialObjectMetadata, but the requested object is a list (*core.NamespaceList)");
  CHECK(api.Get(kWidgets, As("PartialObjectMetadata")).message() ==
        "you requested PartialObjectMetadata, but the requested object is a list "
        "(*unstructured.UnstructuredList)");
}

TEST_CASE("the table of an object that was not stored has no resourceVersion", "[api][answers]") {
  ApiFixture api;
  const Answer answer =
      api.Call("POST", kWidgets + "?dryRun=All", ApiFixture::Widget("a"), {{"accept", As("Table")}});
  CHECK(answer.status == 201);
  CHECK(*json::Find(answer.body, "metadata") == json::Value::object());
}

TEST_CASE("a deletion that is tried answers as the deletion itself", "[api][answers]") {
  ApiFixture api;
  api.Create("a");
  const Answer dry = api.Call("DELETE", kWidgets + "/a?dryRun=All");
  CHECK(json::TextAt(dry.body, {"kind"}) == "Status");
  CHECK(api.Get(kWidgets + "/a").status == 200);
  CHECK(api.Call("DELETE", kWidgets + "/a").text == dry.text);
}

TEST_CASE("the deletion of a page of a collection says how many are left", "[api][answers]") {
  ApiFixture api;
  for (const char* name : {"a", "b", "c"}) api.Create(name);
  const Answer answer = api.Call("DELETE", kWidgets + "?limit=1");
  CHECK(json::ItemsAt(answer.body, {"items"}).size() == 1);
  CHECK(json::IntegerAt(answer.body, {"metadata", "remainingItemCount"}) == 2);
  CHECK(json::ItemsAt(api.Get(kWidgets).body, {"items"}).size() == 2);
}

TEST_CASE("a continue token is read before it is found out of place", "[api][answers]") {
  ApiFixture api;
  const auto message = [&](const std::string& query) { return api.Get(kWidgets + "?" + query).message(); };
  const std::string bad =
      "invalid continue token: continue key is not valid: illegal base64 data at input byte ";
  CHECK(message("continue=x") == bad + "0");
  CHECK(message("continue=abcde") == bad + "4");
  CHECK(message("continue=ab!d") == bad + "2");
  CHECK(message("limit=1&continue=x&resourceVersion=5") == bad + "0");
  for (const char* name : {"a", "b"}) api.Create(name);
  const std::string token = json::TextAt(api.Get(kWidgets + "?limit=1").body, {"metadata", "continue"});
  CHECK(message("limit=1&continue=" + token + "&resourceVersion=5") ==
        "specifying resource version is not allowed when using continue");
  CHECK(json::ItemsAt(api.Get(kWidgets + "?limit=1&continue=" + token).body, {"items"}).size() == 1);
}

}  // namespace annex::test
