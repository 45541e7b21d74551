// The decisions and words of Kubernetes' own code (test/unit/testdata/generate_schema.go), case by case.
#include "annex/base/strings.h"
#include "annex/json/field_error.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/schema/object_meta.h"
#include "annex/schema/pattern.h"
#include "annex/schema/schema.h"
#include "annex/schema/typed.h"
#include "annex/schema/types.h"
#include "schema/fits.h"
#include "schema/formats.h"
#include "support/test_files.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::schema {
namespace {

using json::Value;

std::vector<Value> Cases(const std::string& op) {
  std::ifstream file(test::TestFile("unit/testdata/schema_cases.jsonl"));
  std::vector<Value> cases;
  for (std::string line; std::getline(file, line);) {
    auto parsed = json::Parse(line);
    REQUIRE(parsed);
    if (json::TextAt(*parsed, {"op"}) == op) cases.push_back(*std::move(parsed));
  }
  return cases;
}

const Value& Want(const Value& test_case) {
  return test_case.at("want");
}
std::string WantedError(const Value& test_case) {
  return json::TextAt(Want(test_case), {"error"});
}

std::vector<std::string> Texts(const Value& want, const std::string& member) {
  std::vector<std::string> texts;
  for (const Value& text : json::ItemsAt(want, {member})) texts.push_back(text.get<std::string>());
  return texts;
}

std::vector<std::string> Texts(const json::FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const json::FieldError& error : errors) texts.push_back(error.Message());
  std::sort(texts.begin(), texts.end());
  return texts;
}

Value ReadSchema(const Value& test_case) {
  Value schema = test_case.at("schema");
  REQUIRE(ReadTyped(schema, JsonSchemaPropsType(), ""));
  return schema;
}

// Reads an object as a request's body is read.
Value ReadObject(const Schema& schema, Value object, std::vector<std::string>* unknown) {
  REQUIRE(schema.Coerce(object, MalformedFields::kRefuse, unknown));
  REQUIRE(schema.Default(object));
  return object;
}

}  // namespace

TEST_CASE("objects are coerced, defaulted and validated as kube-apiserver does it", "[schema][upstream]") {
  const auto cases = Cases("object");
  REQUIRE(cases.size() > 200);
  for (const Value& test_case : cases) {
    INFO(json::ToJson(test_case));
    const auto schema = Schema::Compile(ReadSchema(test_case));
    REQUIRE(schema);
    std::vector<std::string> unknown;
    const Value object = ReadObject(**schema, test_case.at("doc"), &unknown);
    const Value& want = Want(test_case);
    CHECK(object == want.at("out"));
    CHECK(unknown == Texts(want, "unknown"));
    CHECK(Texts((*schema)->ValidateEmbedded(object)) == Texts(want, "embedded"));
    CHECK(Texts((*schema)->ValidateListTypes(object)) == Texts(want, "lists"));
    if (!test_case.contains("old")) {
      CHECK(Texts((*schema)->Validate(object)) == Texts(want, "errors"));
      CHECK(Fits((*schema)->root(), object) == Texts(want, "errors").empty());
      continue;
    }
    const Value old = ReadObject(**schema, test_case.at("old"), nullptr);
    CHECK(Texts((*schema)->ValidateUpdate(object, old)) == Texts(want, "errors"));
    CHECK(Texts((*schema)->ValidateStatusUpdate(object, old)) == Texts(want, "status"));
  }
}

TEST_CASE("what keeps a schema from being structural is said in kube-apiserver's words",
          "[schema][upstream]") {
  const auto cases = Cases("structural");
  REQUIRE(cases.size() > 100);
  for (const Value& test_case : cases) {
    INFO(json::ToJson(test_case));
    const Value schema = ReadSchema(test_case);
    const auto wrong = Texts(CheckStructural(schema, {}));
    CHECK(wrong == Texts(Want(test_case), "errors"));
    if (!wrong.empty()) CHECK_FALSE(Schema::Compile(schema));
  }
}

TEST_CASE("structs are read as Go reads them", "[schema][upstream]") {
  const std::map<std::string, const TypedStruct&> types = {
      {"CustomResourceDefinition", CustomResourceDefinitionType()},
      {"DeleteOptions", DeleteOptionsType()},
      {"JSONSchemaProps", JsonSchemaPropsType()},
      {"Namespace", NamespaceType()},
      {"ObjectMeta", ObjectMetaType()},
      {"Scale", ScaleType()},
  };
  const auto cases = Cases("typed");
  REQUIRE(cases.size() > 150);
  for (const Value& test_case : cases) {
    INFO(json::ToJson(test_case));
    Value document = test_case.at("doc");
    TypedReport report;
    const auto read = ReadTyped(document, types.at(json::TextAt(test_case, {"type"})), "", &report);
    CHECK((read ? "" : read.error().message) == WantedError(test_case));
    if (!read) continue;
    CHECK(document == Want(test_case).value("out", Value::object()));
    std::vector<std::string> unknown;
    for (const std::string& field : report.unknown_fields)
      unknown.push_back("unknown field " + base::Quote(field));
    CHECK(unknown == Texts(Want(test_case), "unknown"));
  }
}

TEST_CASE("metadata is validated in kube-apiserver's words", "[schema][upstream]") {
  const json::FieldPath path("metadata");
  const auto created = Cases("meta");
  const auto changed = Cases("metaupdate");
  REQUIRE(created.size() > 100);
  REQUIRE(changed.size() > 100);
  for (const Value& test_case : created) {
    INFO(json::ToJson(test_case));
    ObjectMetaRules rules;
    rules.namespaced = json::FlagAt(test_case, {"namespaced"});
    CHECK(Texts(ValidateObjectMeta(test_case.at("doc"), rules, path)) == Texts(Want(test_case), "errors"));
  }
  for (const Value& test_case : changed) {
    INFO(json::ToJson(test_case));
    CHECK(Texts(ValidateObjectMetaUpdate(test_case.at("doc"), test_case.at("old"), path)) ==
          Texts(Want(test_case), "errors"));
  }
}

TEST_CASE("formats accept what kube-openapi's do", "[schema][upstream]") {
  const auto cases = Cases("format");
  REQUIRE(cases.size() > 400);
  for (const Value& test_case : cases) {
    INFO(json::ToJson(test_case));
    const FormatCheck check = FindFormat(json::TextAt(test_case, {"name"}));
    REQUIRE(check != nullptr);
    CHECK(check(json::TextAt(test_case, {"value"})) == json::FlagAt(Want(test_case), {"matches"}));
  }
}

TEST_CASE("patterns compile and match as Go's do", "[schema][upstream]") {
  const auto cases = Cases("pattern");
  REQUIRE(cases.size() > 200);
  for (const Value& test_case : cases) {
    INFO(json::ToJson(test_case));
    const auto pattern = Pattern::Compile(json::TextAt(test_case, {"pattern"}));
    CHECK(pattern.has_value() == WantedError(test_case).empty());
    if (pattern)
      CHECK((*pattern)->Matches(json::TextAt(test_case, {"text"})) ==
            json::FlagAt(Want(test_case), {"matches"}));
  }
}

}  // namespace annex::schema
