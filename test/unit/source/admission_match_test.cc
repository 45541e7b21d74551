// Which admission webhooks and policies look at a group's objects.
#include "source/admission_match.h"

#include "annex/json/read.h"
#include "annex/source/adoption_check.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::source {
namespace {

using json::Value;
using Texts = std::vector<std::string>;

const GroupResources kWidgets{"example.com", {"widgets", "parts"}};

Value Parse(const std::string& text) {
  return json::Parse(text).value();
}

Value Rule(const std::string& groups, const std::string& resources) {
  return Parse(R"([{"apiGroups":)" + groups + R"(,"resources":)" + resources + "}]");
}

Value Definition(const std::string& labels, const std::string& established) {
  return Parse(R"({"metadata":{"name":"widgets.example.com","labels":)" + labels +
               R"(},"status":{"conditions":[{"type":"Established","status":")" + established + R"("}]}})");
}

}  // namespace

TEST_CASE("a rule matches by group and resource, its subresources included", "[source][adoption]") {
  CHECK(AnyRuleMatches(Rule(R"(["example.com"])", R"(["widgets"])"), kWidgets));
  CHECK(AnyRuleMatches(Rule(R"(["apps","example.com"])", R"(["pods","parts"])"), kWidgets));
  CHECK(AnyRuleMatches(Rule(R"(["*"])", R"(["*"])"), kWidgets));
  CHECK(AnyRuleMatches(Rule(R"(["*"])", R"(["*/*"])"), kWidgets));
  CHECK(AnyRuleMatches(Rule(R"(["example.com"])", R"(["widgets/status"])"), kWidgets));
  CHECK(AnyRuleMatches(Rule(R"(["example.com"])", R"(["*/scale"])"), kWidgets));

  CHECK_FALSE(AnyRuleMatches(Rule(R"(["apps"])", R"(["*"])"), kWidgets));
  CHECK_FALSE(AnyRuleMatches(Rule(R"(["sub.example.com"])", R"(["widgets"])"), kWidgets));
  CHECK_FALSE(AnyRuleMatches(Rule(R"(["example.com"])", R"(["gadgets","widget"])"), kWidgets));
  CHECK_FALSE(AnyRuleMatches(Rule(R"([""])", R"(["widgets"])"), kWidgets));
  CHECK_FALSE(AnyRuleMatches(Value(), kWidgets));
}

TEST_CASE("webhooks and policies that match are named, Annex's own guards are not", "[source][adoption]") {
  const Value webhooks = Parse(R"({"items":[
    {"metadata":{"name":"others"},"webhooks":[{"name":"a.io","rules":[{"apiGroups":["apps"],"resources":["*"]}]}]},
    {"metadata":{"name":"mine"},"webhooks":[
      {"name":"b.io","rules":[{"apiGroups":["apps"],"resources":["*"]}]},
      {"name":"c.io","rules":[{"apiGroups":["example.com"],"resources":["widgets"]}]},
      {"name":"d.io"}]}]})");
  CHECK(MatchingAdmission("Hooks", webhooks, kWidgets) == Texts{R"(Hooks "mine", webhook "c.io")"});

  const Value policies = Parse(R"({"items":[
    {"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"resources":["*"]}]}}},
    {"metadata":{"name":"example.com.adopted.annex.dev","labels":{"app.kubernetes.io/managed-by":"annex"},
                 "annotations":{"annex.dev/group":"example.com"}},
     "spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["example.com"],"resources":["*/*"]}]}}},
    {"metadata":{"name":"q"},"spec":{}}]})");
  CHECK(MatchingAdmission("Policy", policies, kWidgets) == Texts{R"(Policy "p")"});
  CHECK(MatchingAdmission("Policy", Parse("{}"), kWidgets).empty());
}

TEST_CASE("a group with a kind that nobody asked for, or that is not ready, is not adopted",
          "[source][adoption]") {
  const auto obstacles = [](const Value& definition) {
    return DefinitionObstacles({{"widgets.example.com", definition}});
  };
  const std::string asked = R"({"annex.dev/serve":"true"})";
  CHECK(obstacles(Definition(asked, "True")).empty());
  CHECK(obstacles(Definition(asked, "False")) == Texts{R"("widgets.example.com" is not established)"});
  CHECK(obstacles(Definition(R"({"annex.dev/serve":"yes"})", "True")) ==
        Texts{R"("widgets.example.com" of the same group lacks the label annex.dev/serve=true)"});
  Value deleting = Definition(asked, "True");
  deleting["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  CHECK(obstacles(deleting) == Texts{R"("widgets.example.com" is being deleted)"});
}

}  // namespace annex::source
