#include "api/openapi.h"

#include "annex/json/write.h"
#include "api/openapi_data.h"
#include "api/openapi_paths.h"
#include "api/openapi_schema.h"
#include "openapi_fixture.h"

#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::api {
namespace {

using json::Value;

Value Parsed(std::string_view text) {
  return json::Parse(text).value();
}

// The members of `documents`' sections, all in one object.
void Merge(Value& into, const Value& section) {
  for (const auto& [name, member] : section.items()) into[name] = member;
}

// Each member of `expected` is in `actual`, and equal.
void RequireMembers(const Value& actual, const Value& expected) {
  for (const auto& [name, member] : expected.items()) {
    INFO(name);
    REQUIRE(actual.contains(name));
    CHECK(json::ToJson(actual[name]) == json::ToJson(member));
  }
}

std::string HashIn(const OpenApiIndex& index, const std::string& path) {
  const Value paths = Parsed(index.json)["paths"];
  if (!paths.contains(path)) return "";
  const auto url = paths[path]["serverRelativeURL"].get<std::string>();
  const std::string begin = "/openapi/v3/" + path + "?hash=";
  REQUIRE(url.starts_with(begin));
  return url.substr(begin.size());
}

std::vector<Value> Changed(std::vector<Value> definitions, std::string_view plural, void (*change)(Value&)) {
  for (Value& definition : definitions) {
    if (json::TextAt(definition, {"spec", "names", "plural"}) == plural) change(definition);
  }
  return definitions;
}

TEST_CASE("v3 schemas are those of kube-apiserver", "[api][openapi]") {
  OpenApi openapi(false);
  const auto snapshot = SnapshotOf(Definitions());
  Value schemas = Value::object();
  for (const auto& [name, group] : snapshot.groups()) {
    for (const auto& version : group.versions) {
      Merge(schemas,
            WrittenJson(
                openapi.V3(snapshot, "apis/" + name + "/" + version.name).value())["components"]["schemas"]);
    }
  }
  RequireMembers(schemas, OpenApiJson("published.json")["v3_schemas"]);
}

TEST_CASE("v2 definitions and paths are those of kube-apiserver", "[api][openapi]") {
  OpenApi openapi(false);
  const Value document = WrittenJson(openapi.V2(SnapshotOf(Definitions())));
  const Value published = OpenApiJson("published.json");
  RequireMembers(document["definitions"], published["v2_definitions"]);
  RequireMembers(document["paths"], published["v2_paths"]);
}

TEST_CASE("a whole v3 document is that of kube-apiserver", "[api][openapi]") {
  OpenApi openapi(false);
  const auto snapshot = SnapshotOf(Definitions({"my-kinds"}));
  const auto document = openapi.V3(snapshot, "apis/toy-box2.example.com/odd-version");
  REQUIRE(document);
  CHECK(WrittenJson(*document) == OpenApiJson("document_v3.json"));
}

TEST_CASE("a version that is not served is not published", "[api][openapi]") {
  OpenApi openapi(true);
  const auto snapshot = SnapshotOf(Definitions({"gadgets"}));
  CHECK(openapi.V3(snapshot, "apis/toys.example.com/v1"));
  CHECK_FALSE(openapi.V3(snapshot, "apis/toys.example.com/v1alpha1"));
  CHECK_FALSE(openapi.V3(snapshot, "apis/other.example.com/v1"));
  for (const char* path : {"", "apis", "apis/toys.example.com", "apis/toys.example.com/v1/gadgets", "api/v2",
                           "api/toys.example.com/v1"}) {
    INFO(path);
    CHECK_FALSE(openapi.V3(snapshot, path));
  }
}

TEST_CASE("every reference of a document leads somewhere", "[api][openapi]") {
  OpenApi openapi(true);
  const auto snapshot = SnapshotOf(Definitions());
  std::vector<OpenApiDocument> documents = {openapi.V2(snapshot)};
  const Value index = Parsed(openapi.V3Index(snapshot)->json);
  for (const auto& [path, unused] : index["paths"].items())
    documents.push_back(openapi.V3(snapshot, path).value());
  for (OpenApiDocument& document : documents) {
    const Value value = WrittenJson(std::move(document));
    std::vector<const Value*> todo = {&value};
    while (!todo.empty()) {
      const Value& node = *todo.back();
      todo.pop_back();
      if (!node.is_structured()) continue;
      for (const Value& child : node) todo.push_back(&child);
      const Value* reference = json::Find(node, "$ref");
      if (reference == nullptr || !reference->is_string()) continue;
      INFO(*reference);
      CHECK(value.contains(Value::json_pointer(reference->get<std::string>().substr(1))));
    }
  }
}

TEST_CASE("only standalone mode publishes built-in types", "[api][openapi]") {
  const auto snapshot = SnapshotOf({});
  OpenApi standalone(true);
  OpenApi aggregated(false);
  CHECK(Parsed(standalone.V3Index(snapshot)->json)["paths"].size() == 2);
  CHECK(aggregated.V3Index(snapshot)->json == R"({"paths":{}})");
  CHECK(standalone.V3(snapshot, "api/v1"));
  CHECK_FALSE(aggregated.V3(snapshot, "api/v1"));
  const Value document = WrittenJson(standalone.V3(snapshot, "apis/apiextensions.k8s.io/v1").value());
  CHECK(document["paths"].contains("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}/status"));
  CHECK(document["components"]["schemas"].contains(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"));
  CHECK(document["info"]["title"] == "Kubernetes");
  CHECK(WrittenJson(standalone.V2(snapshot))["definitions"].contains("io.k8s.api.core.v1.Namespace"));
  CHECK(WrittenJson(aggregated.V2(snapshot))["paths"].empty());
}

TEST_CASE("the hash of a group/version changes with its own definitions alone", "[api][openapi]") {
  OpenApi openapi(true);
  const auto definitions = Definitions();
  const auto before = openapi.V3Index(SnapshotOf(definitions));
  const std::string toys = HashIn(*before, "apis/toys.example.com/v1");
  const std::string boxes = HashIn(*before, "apis/toy-box2.example.com/v1alpha1");
  CHECK(toys.size() == 128);

  const auto same = openapi.V3Index(SnapshotOf(definitions));
  CHECK(same->json == before->json);
  CHECK(OpenApi(true).V3Index(SnapshotOf(definitions))->json == before->json);

  const auto changes = std::vector<void (*)(Value&)>{
      [](Value& definition) {
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = "new";
      },
      [](Value& definition) { definition["status"]["acceptedNames"]["listKind"] = "Gadgets"; },
      [](Value& definition) { definition["spec"]["versions"][0]["subresources"].erase("scale"); },
      [](Value& definition) { definition["spec"]["versions"][0].erase("selectableFields"); },
  };
  std::set<std::string> seen = {toys};
  for (const auto& change : changes) {
    const auto after = openapi.V3Index(SnapshotOf(Changed(definitions, "gadgets", change)));
    CHECK(seen.insert(HashIn(*after, "apis/toys.example.com/v1")).second);
    CHECK(HashIn(*after, "apis/toy-box2.example.com/v1alpha1") == boxes);
  }
  const auto irrelevant = Changed(definitions, "gadgets", [](Value& definition) {
    definition["metadata"]["resourceVersion"] = "5";
    definition["status"]["acceptedNames"]["shortNames"] = {"other"};
  });
  CHECK(openapi.V3Index(SnapshotOf(irrelevant))->json == before->json);
}

TEST_CASE("a document's ETag is the hash that the index names", "[api][openapi]") {
  OpenApi openapi(true);
  const auto snapshot = SnapshotOf(Definitions());
  const auto index = openapi.V3Index(snapshot);
  const Value parsed = Parsed(index->json);
  for (const auto& [path, unused] : parsed["paths"].items()) {
    CHECK(openapi.V3(snapshot, path)->etag == HashIn(*index, path));
  }
  const std::string all = openapi.V2(snapshot).etag;
  CHECK(openapi.V2(SnapshotOf(Definitions())).etag == all);
  CHECK(openapi.V2(SnapshotOf(Definitions({"gadgets"}))).etag != all);
}

TEST_CASE("what a structural schema does not have is not published", "[api][openapi]") {
  CHECK(PublishedSchema(
            Parsed(R"({"type":"string","example":"x","externalDocs":{},"id":"y","nullable":false,"pattern":"",
      "default":null,"enum":[],"properties":{}})")) == Parsed(R"({"type":"string"})"));
  CHECK(PublishedSchema(Parsed(R"({"not":{},"items":{},"default":"","additionalProperties":false})")) ==
        Parsed(R"({"not":{},"items":{},"default":"","additionalProperties":false})"));
  CHECK(PublishedSchema(Parsed(R"({"anyOf":[{"additionalProperties":{"minLength":1}}]})")) ==
        Parsed(R"({"anyOf":[{}]})"));
}

TEST_CASE("v2 loses what kubectl would take too literally", "[api][openapi]") {
  struct Row {
    std::string_view schema;
    std::string_view reduced;
  };
  for (const Row& row : std::vector<Row>{
           {R"({"anyOf":[{}],"oneOf":[{}],"allOf":[{}],"not":{},"default":1,"type":"integer"})",
            R"({"type":"integer"})"},
           {R"({"nullable":true,"type":"array","items":{},"minItems":1})", R"({"minItems":1})"},
           {R"({"x-kubernetes-preserve-unknown-fields":true,"type":"object","properties":{"a":{}}})",
            R"({"x-kubernetes-preserve-unknown-fields":true})"},
           {R"({"type":"object","required":["a","b"],"properties":{"a":{"nullable":true},"b":{}}})",
            R"({"type":"object","required":["b"],"properties":{"a":{},"b":{}}})"},
           {R"({"type":"object","required":["a"],"properties":{"a":{"nullable":true}}})",
            R"({"type":"object","properties":{"a":{}}})"},
           {R"({"type":"object","required":["a"],"additionalProperties":{"nullable":true}})",
            R"({"type":"object","additionalProperties":{}})"},
       }) {
    Value schema = Parsed(row.schema);
    ReduceToV2(schema);
    CHECK(schema == Parsed(row.reduced));
  }
}

TEST_CASE("descriptions have the article that the kind wants", "[api][openapi]") {
  const auto describe = [](std::string_view plural, const std::string& path) {
    const auto snapshot = SnapshotOf(Definitions({plural}));
    return PathsOf(*snapshot.Find("toys.example.com", "v1", plural))[path]["post"]["description"];
  };
  CHECK(describe("engines", "/apis/toys.example.com/v1/engines") == "create an Engine");
  CHECK(describe("classes", "/apis/toys.example.com/v1/classes") == "create Classes");
  CHECK(describe("glasses", "/apis/toys.example.com/v1/namespaces/{namespace}/glasses") == "create a Glass");
}

}  // namespace
}  // namespace annex::api
