// Groups on a command line, and what commands read off definitions.
#include "server/group_definitions.h"

#include "annex/json/read.h"
#include "annex/source/definition_facts.h"

#include <string>

#include <catch2/catch.hpp>

namespace annex::server {
namespace {

json::Value Definition(const std::string& versions) {
  return json::Parse(
             R"({"spec":{"group":"example.com","names":{"plural":"widgets"},"versions":)" + versions +
             R"(},"status":{"conditions":[{"type":"annex.dev/Adopted","status":"True","reason":"Served",
                     "message":"served by Annex"}]}})")
      .value();
}

}  // namespace

TEST_CASE("a group is named with or without a version", "[server][hand over]") {
  const auto plain = ParseGroupName("example.com");
  REQUIRE(plain);
  CHECK(plain->group == "example.com");
  CHECK(plain->version.empty());
  const auto versioned = ParseGroupName("example.com/v1beta1");
  REQUIRE(versioned);
  CHECK(versioned->group == "example.com");
  CHECK(versioned->version == "v1beta1");
  for (const char* wrong : {"", "/v1", "Example.com", "example.com/", "example.com/v1/widgets", "a b"})
    CHECK_FALSE(ParseGroupName(wrong));
}

TEST_CASE("objects are listed in the storage version, if it is served", "[server][hand over]") {
  CHECK(ListPath(Definition(R"([{"name":"v1","served":true},{"name":"v2","served":true,"storage":true}])")) ==
        "/apis/example.com/v2/widgets");
  CHECK(
      ListPath(Definition(R"([{"name":"v2","served":false,"storage":true},{"name":"v1","served":true}])")) ==
      "/apis/example.com/v1/widgets");
  CHECK(source::GroupOf("widgets.example.com") == "example.com");
}

TEST_CASE("a condition that is not there is like no other", "[server][hand over]") {
  const auto definition = Definition("[]");
  const ConditionState served{true, true, "Served", "served by Annex"};
  CHECK(ReadCondition(definition, "annex.dev/Adopted") == served);
  CHECK(ReadCondition(definition, "Established") == ConditionState());
}

}  // namespace annex::server
