#include "annex/json/value.h"
#include "annex/schema/schema.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::schema {
namespace {

// Lists of ten objects, each of which has such a list by default, `levels` deep.
json::Value Multiplying(int levels) {
  json::Value schema = {{"type", "string"}, {"default", "x"}};
  for (int i = 0; i < levels; ++i) {
    const json::Value item = {{"type", "object"}, {"properties", {{"a", std::move(schema)}}}};
    schema = {{"type", "array"}, {"items", item}, {"default", json::Value(10, json::Value::object())}};
  }
  return {{"type", "object"}, {"properties", {{"a", std::move(schema)}}}};
}

TEST_CASE("defaults within defaults are set", "[schema][default]") {
  const auto schema = Schema::Compile(Multiplying(2));
  REQUIRE(schema);
  json::Value object = json::Value::object();
  REQUIRE((*schema)->Default(object));
  CHECK(object["a"].size() == 10);
  CHECK(object["a"][9]["a"][9]["a"] == "x");
}

TEST_CASE("defaults that multiply beyond measure are refused", "[schema][default]") {
  const auto schema = Schema::Compile(Multiplying(30));
  REQUIRE(schema);
  json::Value object = json::Value::object();
  const auto result = (*schema)->Default(object);
  REQUIRE_FALSE(result);
  CHECK(result.error().reason == base::Reason::kRequestEntityTooLarge);
}

}  // namespace
}  // namespace annex::schema
