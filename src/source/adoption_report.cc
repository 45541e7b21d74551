#include "adoption_report.h"

#include "annex/base/log.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"

#include <utility>

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";
// Where Events about cluster-scoped objects are.
constexpr const char* kEvents = "/api/v1/namespaces/default/events";

const Value* FindCondition(const Value& definition) {
  for (const Value& condition : json::ItemsAt(definition, {"status", "conditions"})) {
    if (json::TextAt(condition, {"type"}) == kAdoptedCondition) return &condition;
  }
  return nullptr;
}

}  // namespace

AdoptionReport::State AdoptionStateOf(const Value& definition) {
  const Value* condition = FindCondition(definition);
  if (condition == nullptr) return {};
  return {json::TextAt(*condition, {"status"}) == "True", json::TextAt(*condition, {"reason"}),
          json::TextAt(*condition, {"message"})};
}

base::Task<void> AdoptionReport::Tell(Value definition, State state) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const auto told = told_.find(name);
  if (state == (told == told_.end() ? AdoptionStateOf(definition) : told->second)) co_return;
  base::LogInfo("Adoption", {{"definition", name},
                             {"adopted", state.adopted ? "yes" : "no"},
                             {"reason", state.reason},
                             {"message", state.message}});
  auto done = co_await SetCondition(definition, state);
  if (done) done = co_await PostEvent(definition, state);
  if (!done) {
    base::LogWarning("Reporting the adoption of a definition failed",
                     {{"definition", name}, {"error", done.error().message}});
    co_return;
  }
  told_[name] = std::move(state);
}

base::Task<base::Result<void>> AdoptionReport::SetCondition(const Value& definition, const State& state) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const Value* before = FindCondition(definition);
  const char* status = state.adopted ? "True" : "False";
  const bool same = before != nullptr && json::TextAt(*before, {"status"}) == status;
  const Value condition = {{"type", kAdoptedCondition},
                           {"status", status},
                           {"reason", state.reason},
                           {"message", state.message},
                           {"lastTransitionTime", same ? json::TextAt(*before, {"lastTransitionTime"})
                                                       : base::Rfc3339(clock_.Now())}};
  Value object = {{"apiVersion", "apiextensions.k8s.io/v1"},
                  {"kind", "CustomResourceDefinition"},
                  {"metadata", {{"name", name}}},
                  {"status", {{"conditions", Value::array({condition})}}}};
  std::string path = kDefinitions + name + "/status";
  ANNEX_CO_RETURN_IF_ERROR(co_await ApplyToCluster(client_, std::move(path), std::move(object), executor_));
  co_return base::Result<void>();
}

base::Task<base::Result<void>> AdoptionReport::PostEvent(const Value& definition, const State& state) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const std::string now = base::Rfc3339(clock_.Now());
  const bool trouble =
      state.reason == "Blocked" || state.reason == "Failed" || state.reason == "PolicySkipped";
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
               {"type", trouble ? "Warning" : "Normal"},
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
