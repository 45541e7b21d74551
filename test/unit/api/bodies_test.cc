// What bodies of requests are taken for, and how those that are nothing are refused. The texts are those of
// kube-apiserver 1.34.4.
#include "api_fixture.h"
#include "support/test_files.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

std::string Sample(const std::string& name) {
  return ReadTestFile("data/protobuf/" + name + ".pb");
}

constexpr const char* kProtobuf = "vnd.kubernetes.protobuf";

}  // namespace

TEST_CASE("a namespace is created from protobuf and answered in JSON", "[api][bodies]") {
  ApiFixture api;
  const Answer answer = api.Send("POST", kNamespaces, kProtobuf, Sample("namespace_name_only"));
  CHECK(answer.status == 201);
  CHECK(json::TextAt(answer.body, {"metadata", "name"}) == "a");
  CHECK(json::TextAt(answer.body, {"status", "phase"}) == "Active");
}

TEST_CASE("a definition in protobuf meets the same rules as one in JSON", "[api][bodies]") {
  ApiFixture api;
  const Answer expected = api.Call("POST", kDefinitions, ReadTestFile("data/protobuf/definition_zeros.json"));
  const Answer answer = api.Send("POST", kDefinitions, kProtobuf, Sample("definition_zeros"));
  CHECK(answer.status == 422);
  CHECK(answer.text == expected.text);
}

TEST_CASE("DeleteOptions may come in protobuf, for custom resources too", "[api][bodies]") {
  ApiFixture api;
  api.Create("a");
  // Its precondition names a UID that the object does not have.
  CHECK(api.Send("DELETE", kWidgets + "/a", kProtobuf, Sample("namespace")).message() ==
        "no kind \"Namespace\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:110\"");
  CHECK(api.Send("DELETE", kWidgets + "/a", kProtobuf, "{}").message() ==
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  CHECK(api.Send("DELETE", kWidgets + "/a", kProtobuf, Sample("delete_options_custom")).status == 200);
  CHECK(api.Get(kWidgets + "/a").status == 404);
}

TEST_CASE("custom resources are not read from protobuf, their scales are", "[api][bodies]") {
  ApiFixture api;
  api.Create("a");
  // autoscaling/v1 Scale, metadata.name "a", spec.replicas 3.
  using namespace std::string_literals;
  const std::string scale =
      "k8s\0\n\x17\n\x0e"
      "autoscaling/v1\x12\x05Scale\x12\x09\n\x03\n\x01"
      "a\x12\x02\x08\x03"s;
  CHECK(api.Send("PUT", kWidgets + "/a/scale", kProtobuf, scale).status == 200);
  CHECK(json::IntegerAt(api.Get(kWidgets + "/a").body, {"spec", "replicas"}) == 3);
  CHECK(api.Send("POST", kWidgets, kProtobuf, Sample("namespace")).status == 415);
  CHECK(api.Send("PUT", kWidgets + "/a/scale", kProtobuf, Sample("namespace")).message() ==
        "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:110\"");
}

TEST_CASE("an object of a built-in type need not say what it is, but must not say something else",
          "[api][bodies]") {
  ApiFixture api;
  CHECK(api.Call("POST", kNamespaces, R"({"metadata":{"name":"a"}})").status == 201);
  const Answer other =
      api.Call("POST", kNamespaces, R"({"apiVersion":"v1","kind":"Foo","metadata":{"name":"b"}})");
  CHECK(other.status == 400);
  CHECK(other.message() ==
        "Foo in version \"v1\" cannot be handled as a Namespace: no kind \"Foo\" is registered for version "
        "\"v1\" in scheme "
        "\"pkg/runtime/scheme.go:110\"");
}

TEST_CASE("a custom resource has to say what it is", "[api][bodies]") {
  ApiFixture api;
  CHECK(api.Call("POST", kWidgets, R"({"metadata":{"name":"a"}})").message() ==
        "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in "
        "'{\"metadata\":{\"name\":\"a\"}}' ({\"metadata\":{\"name\":\"a\"}})");
  CHECK(api.Call("POST", kWidgets, R"({"apiVersion":"a/b/c","kind":"Widget"})").message() ==
        "the object provided is unrecognized (must be of type Widget): unexpected GroupVersion string: a/b/c "
        "({\"apiVersion\":\"a/b/c\",\"kind\":\" ...)");
  CHECK(
      api.Call("POST", kWidgets, R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}})")
          .message() ==
      "the API version in the data (example.com/v2) does not match the expected API version "
      "(example.com/v1)");
}

TEST_CASE("a key that YAML has twice is shown once quoted", "[api][bodies]") {
  ApiFixture api;
  const Answer answer =
      api.Send("POST", kWidgets, "yaml",
               "apiVersion: example.com/v1\nkind: Widget\nkind: Widget\nmetadata: {name: a}\n");
  CHECK(answer.status == 201);
  CHECK(answer.headers.First("warning") == R"(299 - "line 3: key \"kind\" already set in map")");
}

TEST_CASE("a new object with a resourceVersion is refused, but not by a dry run", "[api][bodies]") {
  ApiFixture api;
  const std::string body =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","resourceVersion":"5"}})";
  CHECK(api.Call("POST", kWidgets, body).status == 500);
  const Answer dry = api.Call("POST", kWidgets + "?dryRun=All", body);
  CHECK(dry.status == 201);
  CHECK(json::TextAt(dry.body, {"metadata", "resourceVersion"}) == "5");
}

TEST_CASE("an object that is too large with the owners of its fields loses them", "[api][bodies]") {
  ApiFixture api;
  constexpr std::size_t kKey = 1'700'000;  // once in the object, once among the owners: more than 3 MiB
  const auto gadget = [](const char* name, const std::string& key) {
    return std::string(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":")") + name +
           R"("},"spec":{")" + key + R"(":1}})";
  };
  const std::string long_key(kKey, 'k');
  const Answer created = api.Call("POST", kGadgets, gadget("a", long_key));
  CHECK(created.status == 201);
  CHECK(json::FindPath(created.body, {"metadata", "managedFields"}) == nullptr);
  // Owners that fit stay.
  const Answer small = api.Call("POST", kGadgets, gadget("c", "k"));
  CHECK(json::FindPath(small.body, {"metadata", "managedFields"}) != nullptr);
}

TEST_CASE("neither patches nor applies let an object grow for ever", "[api][bodies]") {
  ApiFixture api;
  api.Call("POST", kGadgets, R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"}})");
  const std::string note(2'000'000, 'n');
  const auto with = [&](const char* field) { return std::string("\"") + field + "\":\"" + note + "\"}"; };
  const auto patch = [&](const char* field) {
    return api.Send("PATCH", kGadgets + "/a", "merge-patch+json", "{" + with(field));
  };
  const auto apply = [&](const char* field) {
    return api.Send(
        "PATCH", kGadgets + "/a?fieldManager=m", "apply-patch+yaml",
        R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},)" + with(field));
  };
  CHECK(patch("x").status == 200);
  for (const Answer& refused : {patch("y"), apply("z")}) {
    CHECK(refused.status == 500);
    CHECK(refused.message() == "etcdserver: request is too large");
  }
}

TEST_CASE("DeleteOptions are those of any group, but nothing else", "[api][bodies]") {
  ApiFixture api;
  api.Create("a");
  const auto remove = [&](const std::string& body) {
    return api.Call("DELETE", kWidgets + "/a?dryRun=All", body).message();
  };
  CHECK(remove("[]").starts_with(
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value"));
  CHECK(remove(R"({"apiVersion":"x/y/z","kind":"DeleteOptions"})") ==
        "unexpected GroupVersion string: x/y/z");
  CHECK(remove(R"({"kind":"Foo"})") ==
        "no kind \"Foo\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:110\"");
  CHECK(api.Call("DELETE", kWidgets + "/a", R"({"apiVersion":"foo/v1","kind":"DeleteOptions"})").status ==
        200);
}

}  // namespace annex::test
