#include "adoption_report.h"

#include "annex/base/log.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"
#include "annex/source/definition_facts.h"

#include <utility>

namespace annex::source {
namespace {

using json::Value;

// Where Events about cluster-scoped objects are.
constexpr const char* kEvents = "/api/v1/namespaces/default/events";

const Value* FindCondition(const Value& definition, const std::string& type) {
  for (const Value& condition : json::ItemsAt(definition, {"status", "conditions"})) {
    if (json::TextAt(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

bool IsTrouble(const std::string& reason) {
  return reason == "Blocked" || reason == "Failed" || reason == "PolicySkipped";
}

// Each condition has a manager of its own: what a manager applies replaces all that it applied before.
std::string ManagerOf(const std::string& condition) {
  return condition == kAdoptedCondition ? "annex" : "annex-purge";
}

}  // namespace

AdoptionReport::State AdoptionReport::StateOf(const Value& definition, const std::string& condition) const {
  if (const auto told = told_.find(json::TextAt(definition, {"metadata", "name"})); told != told_.end()) {
    if (const auto state = told->second.find(condition); state != told->second.end()) return state->second;
  }
  const Value* shown = FindCondition(definition, condition);
  if (shown == nullptr) return {};
  return {json::TextAt(*shown, {"status"}) == "True", json::TextAt(*shown, {"reason"}),
          json::TextAt(*shown, {"message"})};
}

base::Task<void> AdoptionReport::Tell(Value definition, std::string condition, State state) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const State before = StateOf(definition, condition);
  if (state == before) co_return;
  base::LogInfo("Adoption", {{"definition", name},
                             {"condition", condition},
                             {"status", state.holds ? "True" : "False"},
                             {"reason", state.reason},
                             {"message", state.message}});
  auto done = co_await SetCondition(definition, condition, state);
  // Numbers that go up are no news.
  const bool news = state.reason != before.reason || state.holds != before.holds || IsTrouble(state.reason);
  if (done && news) done = co_await PostEvent(definition, state);
  if (!done) {
    base::LogWarning("Reporting the adoption of a definition failed",
                     {{"definition", name}, {"error", done.error().message}});
    co_return;
  }
  told_[name][condition] = std::move(state);
}

base::Task<base::Result<void>> AdoptionReport::SetCondition(const Value& definition, const std::string& type,
                                                            const State& state) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const Value* before = FindCondition(definition, type);
  const char* status = state.holds ? "True" : "False";
  const bool same = before != nullptr && json::TextAt(*before, {"status"}) == status;
  const Value condition = {{"type", type},
                           {"status", status},
                           {"reason", state.reason},
                           {"message", state.message},
                           {"lastTransitionTime", same ? json::TextAt(*before, {"lastTransitionTime"})
                                                       : base::Rfc3339(clock_.Now())}};
  Value object = {{"apiVersion", "apiextensions.k8s.io/v1"},
                  {"kind", "CustomResourceDefinition"},
                  {"metadata", {{"name", name}}},
                  {"status", {{"conditions", Value::array({condition})}}}};
  std::string path = std::string(kDefinitionsPath) + "/" + name + "/status";
  std::string manager = ManagerOf(type);
  ANNEX_CO_RETURN_IF_ERROR(
      co_await ApplyToCluster(client_, std::move(path), std::move(object), executor_, std::move(manager)));
  co_return base::Result<void>();
}

base::Task<base::Result<void>> AdoptionReport::PostEvent(const Value& definition, const State& state) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const std::string now = base::Rfc3339(clock_.Now());
  kube::Client::Call call;
  call.method = "POST";
  call.target = kEvents;
  call.body = {{"apiVersion", "v1"},
               {"kind", "Event"},
               {"metadata", {{"generateName", name + "."}, {"namespace", "default"}}},
               {"involvedObject",
                {{"apiVersion", "apiextensions.k8s.io/v1"},
                 {"kind", "CustomResourceDefinition"},
                 {"name", name},
                 {"uid", json::TextAt(definition, {"metadata", "uid"})}}},
               {"type", IsTrouble(state.reason) ? "Warning" : "Normal"},
               {"reason", state.reason},
               {"message", state.message.substr(0, 1024)},
               {"source", {{"component", "annex"}}},
               {"firstTimestamp", now},
               {"lastTimestamp", now},
               {"count", 1}};
  ANNEX_CO_RETURN_IF_ERROR(co_await CallCluster(client_, std::move(call), executor_));
  co_return base::Result<void>();
}

}  // namespace annex::source
