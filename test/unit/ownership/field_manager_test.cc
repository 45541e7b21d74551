// Field management by hand: what the cases decided by upstream do not show.
#include "annex/ownership/field_manager.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/ownership/managed_fields.h"
#include "annex/schema/types.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::ownership {
namespace {

using json::Value;

Value Read(const std::string& text) {
  return json::Parse(text).value();
}

// A built-in type with one version.
class Builtin final : public Versions {
 public:
  Builtin(const schema::TypedStruct& structure, std::string api_version)
      : type_(structure), api_version_(std::move(api_version)) {}
  const ObjectType* TypeOf(std::string_view api_version) const override {
    return api_version == api_version_ ? &type_ : nullptr;
  }
  base::Result<Value> Convert(const Value&, std::string_view) const override {
    return base::Error(base::Reason::kUnknown, "there is one version");
  }

 private:
  const ObjectType type_;
  const std::string api_version_;
};

const Value kObject =
    Read(R"({"metadata":{"managedFields":[{"manager":"m","time":"2026-01-01T00:00:00Z"}]},"spec":1})");

Value WithTime(Value object, const std::string& time) {
  object["metadata"]["managedFields"][0]["time"] = time;
  return object;
}

}  // namespace

TEST_CASE("a write that changes nothing but times changes nothing", "[ownership]") {
  Value object = WithTime(kObject, "2026-01-01T00:00:09Z");
  IgnoreTimesOfNoChange(object, kObject);
  CHECK(object == kObject);

  Value first = WithTime(kObject, "");
  first["metadata"]["managedFields"][0].erase("time");
  IgnoreTimesOfNoChange(first, kObject);
  CHECK(first == kObject);
}

TEST_CASE("times stay new if anything else changed", "[ownership]") {
  const char* const changes[] = {
      R"({"spec":2})", R"({"metadata":{"labels":{"a":"b"}}})", R"({"status":{}})",
      R"({"metadata":{"managedFields":[{"manager":"n","time":"2026-01-01T00:00:09Z"}]}})"};
  for (const char* change : changes) {
    INFO(change);
    Value object = WithTime(kObject, "2026-01-01T00:00:09Z");
    object.merge_patch(Read(change));
    const Value wanted = object;
    IgnoreTimesOfNoChange(object, kObject);
    CHECK(object == wanted);
  }
}

TEST_CASE("conflicts are listed by manager with a cause for each field", "[ownership]") {
  const Builtin namespaces(schema::NamespaceType(), "v1");
  FieldManager::Options options;
  options.api_version = "v1";
  options.kind = "Namespace";
  options.new_object = Read(R"({"apiVersion":"v1","kind":"Namespace","metadata":{}})");
  const FieldManager manager(namespaces, options);
  const Value live = Read(
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"a":"x","b":"x"},"name":"n","uid":"u"}})");
  const Value owners = Read(R"([
    {"manager":"a","operation":"Update","apiVersion":"v1","subresource":"status","fieldsType":"FieldsV1",
     "fieldsV1":{"f:metadata":{"f:labels":{"f:a":{},"f:b":{}}}}},
    {"manager":"b","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1",
     "fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}}}}])");
  const auto apply = [&](const std::string& labels) {
    const Value applied =
        Read(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","labels":)" + labels + "}}");
    return manager.Apply(live, owners, applied, {"c", "2026-01-01T00:00:00Z"}, false);
  };

  const auto one = apply(R"({"b":"y"})");
  REQUIRE_FALSE(one);
  CHECK(
      one.error().message ==
      R"(Apply failed with 1 conflict: conflict with "a" with subresource "status" using v1: .metadata.labels.b)");
  CHECK(one.error().reason == base::Reason::kConflict);

  const auto several = apply(R"({"a":"y","b":"y"})");
  REQUIRE_FALSE(several);
  CHECK(several.error().message ==
        "Apply failed with 3 conflicts: conflicts with \"a\" with subresource \"status\" using v1:\n"
        "- .metadata.labels.a\n- .metadata.labels.b\nconflicts with \"b\":\n- .metadata.labels.a");
  const std::vector<base::Cause> causes = {
      {"FieldManagerConflict", "conflict with \"a\" with subresource \"status\" using v1",
       ".metadata.labels.a"},
      {"FieldManagerConflict", "conflict with \"a\" with subresource \"status\" using v1",
       ".metadata.labels.b"},
      {"FieldManagerConflict", "conflict with \"b\"", ".metadata.labels.a"}};
  CHECK(several.error().details.causes == causes);
  CHECK(several.error().details.present);
}

TEST_CASE("definitions' versions are owned as a whole, their conditions by type", "[ownership]") {
  const Builtin definitions(schema::CustomResourceDefinitionType(), "apiextensions.k8s.io/v1");
  FieldManager::Options options;
  options.api_version = "apiextensions.k8s.io/v1";
  options.kind = "CustomResourceDefinition";
  const FieldManager manager(definitions, options);
  const Value live = Read(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"})");
  Value object = live;
  object["spec"] =
      Read(R"({"group":"g","versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object"}}}]})");
  object["status"] = Read(R"({"conditions":[{"type":"Established","status":"True"}]})");
  const Value managed = manager.Update(live, nullptr, object, nullptr, {"m", "2026-01-01T00:00:00Z"});
  REQUIRE(managed.size() == 1);
  CHECK(json::ToJson(managed[0]["fieldsV1"]) ==
        R"({"f:spec":{".":{},"f:group":{},"f:versions":{}},"f:status":{".":{},"f:conditions":{".":{},)"
        R"("k:{\"type\":\"Established\"}":{".":{},"f:status":{},"f:type":{}}}}})");
}

}  // namespace annex::ownership
