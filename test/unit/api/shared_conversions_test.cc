// Many watches, one call: who asks, who waits, and what becomes of a failure.
#include "api/shared_conversions.h"

#include "annex/conversion/webhook_converter.h"
#include "annex/json/yaml.h"
#include "api/custom_resource_strategy.h"
#include "fake_webhook.h"
#include "support/seeded_random.h"
#include "support/simulated_scheduler.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

using api::SharedConversions;
using Calls = std::vector<std::size_t>;
using Result = base::Result<std::vector<SharedConversions::Shown>>;

constexpr const char* kDefinition = R"(
metadata: {name: parts.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: parts, singular: part, kind: Part, listKind: PartList}
  conversion:
    strategy: Webhook
    webhook: {clientConfig: {url: "https://hooks.example.com"}, conversionReviewVersions: [v1]}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)";

class Fixture {
 public:
  Fixture() : converter_({webhook, random_, scheduler_.clock(), metrics_}) {
    const json::Value definition = json::ParseYaml(kDefinition).value();
    const auto names = definition::ReadNames(*json::FindPath(definition, {"spec", "names"}));
    resource_ = definition::Resource::Compile(definition, {.names = names}).value();
    for (int i = 0; i < 2; ++i) executors_.push_back(scheduler_.NewExecutor("io"));
  }

  // Asks for states, as if by a watch of its own on one of two threads.
  void Ask(std::vector<store::Revision> revisions) {
    std::vector<store::ObjectPtr> states;
    for (const store::Revision revision : revisions) states.push_back(State(revision));
    base::Executor& executor = *executors_[asked_++ % executors_.size()];
    auto strategy =
        std::make_shared<api::CustomResourceStrategy>(resource_, *resource_->FindVersion("v2"), converter_);
    tasks_.Spawn<Result>(conversions_.Convert(std::move(strategy), std::move(states), executor),
                         [this](Result result) { results.push_back(std::move(result)); });
  }
  void Run() { scheduler_.RunUntilIdle(); }

  FakeWebhook webhook;
  std::vector<Result> results;

 private:
  store::ObjectPtr State(store::Revision revision) const {
    auto object = std::make_shared<store::Object>();
    object->key = "a" + std::to_string(revision);
    object->revision = revision;
    json::Value value = {{"apiVersion", "example.com/v1"},
                         {"kind", "Part"},
                         {"metadata", {{"name", object->key}}},
                         {"spec", {{"size", revision}}}};
    object->body = api::ToBody(value);
    object->format = resource_->format();
    return object;
  }

  SeededRandom random_{1};
  SimulatedScheduler scheduler_{1};
  base::Metrics metrics_;
  conversion::WebhookConverter converter_;
  std::shared_ptr<const definition::Resource> resource_;
  std::vector<std::unique_ptr<base::Executor>> executors_;
  SharedConversions conversions_;
  std::size_t asked_ = 0;
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace

TEST_CASE("a hundred watches of the same states make one call", "[api][conversion]") {
  Fixture fixture;
  for (int i = 0; i < 100; ++i) fixture.Ask({1, 2, 3});
  fixture.Run();
  CHECK(fixture.webhook.TakeCalls() == Calls{3});
  REQUIRE(fixture.results.size() == 100);
  for (const Result& result : fixture.results) {
    REQUIRE(result);
    CHECK((*(*result)[1])["spec"]["length"] == 2);
    CHECK((*result)[1] == (*fixture.results[0])[1]);
  }
}

TEST_CASE("a watch asks for what nobody has asked for yet", "[api][conversion]") {
  Fixture fixture;
  fixture.Ask({1, 2});
  fixture.Ask({2, 3});
  fixture.Run();
  Calls calls = fixture.webhook.TakeCalls();
  std::sort(calls.begin(), calls.end());
  CHECK(calls == Calls{1, 2});
  fixture.Ask({3, 2, 1});
  fixture.Run();
  CHECK(fixture.webhook.TakeCalls().empty());
  CHECK((*(*fixture.results[2])[0])["spec"]["length"] == 3);
}

TEST_CASE("a failure reaches all who wait for it, and nobody who comes later", "[api][conversion]") {
  Fixture fixture;
  fixture.webhook.distort = [](json::Value& review) { review["response"]["uid"] = "x"; };
  fixture.Ask({1, 2});
  fixture.Ask({2});
  fixture.Run();
  REQUIRE(fixture.results.size() == 2);
  CHECK(!fixture.results[0]);
  CHECK(!fixture.results[1]);
  fixture.webhook.distort = nullptr;
  fixture.Ask({1, 2});
  fixture.Run();
  CHECK(fixture.results[2]);
}

}  // namespace annex::test
