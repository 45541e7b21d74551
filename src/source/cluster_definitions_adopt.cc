// The way to Annex: what ClusterDefinitions does with a group whose definitions all carry
// annex.dev/serve=true, and for one that has come.
#include "adoption_report.h"
#include "annex/base/strings.h"
#include "annex/source/adoption_check.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"
#include "annex/source/cluster_definitions.h"
#include "annex/source/definition_facts.h"
#include "etcd_version.h"
#include "group_move.h"
#include "group_routing.h"
#include "old_copies.h"
#include "write_guard.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr std::chrono::milliseconds kPoll{10};

}  // namespace

base::Task<base::Result<std::vector<std::string>>> ClusterDefinitions::Obstacles(std::string group) {
  Definitions definitions = groups_[group].definitions;
  Definitions own;
  for (const auto& [name, definition] : definitions) {
    if (WantsAdoption(definition)) own[name] = OwnForm(definition);
  }
  AdoptionQuestion question{parts_.client,
                            [this](Value definition) {
                              return parts_.definitions.Apply(std::move(definition),
                                                              LocalDefinitions::Mode::kCheck);
                            },
                            parts_.executor};
  co_return co_await FindObstacles(std::move(question), std::move(group), std::move(definitions),
                                   std::move(own));
}

base::Task<base::Result<void>> ClusterDefinitions::Adopt(std::string group) {
  ANNEX_CO_TRY(const auto obstacles, co_await Obstacles(group));
  if (!obstacles.empty()) {
    co_await Tell(group, false, "Blocked", "not adopted: " + base::Join(obstacles, "; "));
    co_return co_await Leave(group);
  }
  Definitions own = OwnForms(group);
  guarded_.insert(group);
  const GroupMove::Parts parts{parts_.client,      parts_.store, parts_.publisher, *guard_,
                               parts_.stored_form, parts_.clock, parts_.executor,  tasks_};
  GroupMove move(parts, group, own, [this, group](std::string reason, std::string message) {
    return Tell(group, false, std::move(reason), std::move(message));
  });
  ANNEX_CO_RETURN_IF_ERROR(co_await move.Run());
  if (const auto confirmed = co_await Confirm(group, own); !confirmed) {
    ANNEX_CO_RETURN_IF_ERROR(co_await guard_->Lower(group));
    co_return confirmed;
  }
  ANNEX_CO_RETURN_IF_ERROR(co_await ApplyDefinitions(group, std::move(own)));
  ANNEX_CO_RETURN_IF_ERROR(co_await AwaitAnnex(group));
  const auto frozen =
      std::chrono::duration_cast<std::chrono::milliseconds>(parts_.clock.Monotonic() - move.frozen_since());
  ANNEX_CO_RETURN_IF_ERROR(co_await EndOldWatches(group));
  co_return co_await TellServed(group, std::to_string(move.objects()) +
                                           " objects of the group were moved; writes were refused for " +
                                           std::to_string(frozen.count()) + " ms");
}

// A definition that was made anew meanwhile has other objects than those that were copied; and somebody may
// have made a webhook.
base::Task<base::Result<void>> ClusterDefinitions::Confirm(std::string group, Definitions own) {
  for (const auto& [name, definition] : own) {
    std::string target = std::string(kDefinitionsPath) + "/" + name;
    ANNEX_CO_TRY(const Value now, co_await GetFromCluster(parts_.client, std::move(target), parts_.executor));
    if (!IsDeleting(now) && OwnForm(WithoutEtcdVersion(now)) == definition) continue;
    co_return base::Error(base::Reason::kConflict,
                          "the definition " + base::Quote(name) + " changed while its objects were copied");
  }
  Definitions definitions = Present(group);
  ANNEX_CO_TRY(const auto admission,
               co_await AdmissionObstacles(parts_.client, group, std::move(definitions), parts_.executor));
  if (admission.empty()) co_return base::Result<void>();
  co_return base::Error(base::Reason::kConflict,
                        base::Join(admission, ", ") + " appeared while the objects were copied");
}

base::Task<base::Result<void>> ClusterDefinitions::Serve(std::string group, std::string blocked) {
  guarded_.insert(group);
  ANNEX_CO_RETURN_IF_ERROR(co_await Restore(group));
  ANNEX_CO_RETURN_IF_ERROR(co_await AwaitAnnex(group));
  ANNEX_CO_RETURN_IF_ERROR(co_await EndOldWatches(group));
  Definitions definitions = Present(group);
  ANNEX_CO_TRY(const auto admission,
               co_await AdmissionObstacles(parts_.client, group, std::move(definitions), parts_.executor));
  if (!blocked.empty()) {
    co_await Tell(group, true, "Blocked", std::move(blocked));
  } else if (!admission.empty()) {
    co_await Tell(group, true, "PolicySkipped",
                  "served by Annex, which does not call " + base::Join(admission, "; "));
  } else {
    ANNEX_CO_RETURN_IF_ERROR(co_await TellServed(group, "served by Annex"));
  }
  definitions = Present(group);
  std::set<std::string> opened = groups_[group].opened;
  co_return co_await old_copies_->Reconcile(std::move(definitions), std::move(opened));
}

// While held, requests see nothing of it: all kinds of a group appear at once.
base::Task<base::Result<void>> ClusterDefinitions::ApplyDefinitions(std::string group, Definitions wanted) {
  std::vector<Value> changed;
  for (auto& [name, own] : wanted) {
    if (const auto applied = applied_.find(name); applied == applied_.end() || applied->second != own)
      changed.push_back(std::move(own));
  }
  parts_.publisher.Hold();
  base::Result<void> done;
  for (Value& own : changed) {
    const std::string name = NameOf(own);
    Value document = own;
    if (done) done = co_await parts_.definitions.Apply(std::move(document), LocalDefinitions::Mode::kApply);
    if (!done) continue;
    own_[name] = own;
    applied_[name] = std::move(own);
    while (!parts_.publisher.Find(name)) co_await base::Sleep(parts_.executor, kPoll);
  }
  parts_.publisher.Release();
  co_return done;
}

base::Task<base::Result<void>> ClusterDefinitions::AwaitAnnex(std::string group) {
  parts_.registrar.Adopt(group);
  Definitions definitions = Present(group);
  co_return co_await routing_->Await(GroupRouting::From::kAnnex, std::move(definitions));
}

// Watches that began before are still at kube-apiserver's own storage, and would see nothing any more.
base::Task<base::Result<void>> ClusterDefinitions::EndOldWatches(std::string group) {
  for (const auto& [name, definition] : Present(group)) {
    if (report_->StateOf(definition, kAdoptedCondition).holds) continue;
    std::string old = name;
    ANNEX_CO_RETURN_IF_ERROR(co_await routing_->EndWatches(std::move(old)));
  }
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ClusterDefinitions::TellServed(std::string group, std::string message) {
  // What the adoption itself reported says more.
  bool told = true;
  for (const auto& [name, definition] : Present(group)) {
    const AdoptionReport::State state = report_->StateOf(definition, kAdoptedCondition);
    told = told && state.holds && state.reason == "Served";
  }
  if (!told) co_await Tell(group, true, "Served", std::move(message));
  co_return base::Result<void>();
}

}  // namespace annex::source
