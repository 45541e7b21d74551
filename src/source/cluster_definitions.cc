#include "annex/source/cluster_definitions.h"

#include "adoption_report.h"
#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/definition/conditions.h"
#include "annex/kube/backoff.h"
#include "annex/source/adoption_check.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"
#include "annex/source/definition_facts.h"
#include "collector_guard.h"
#include "etcd_version.h"
#include "group_routing.h"
#include "old_copies.h"
#include "write_guard.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kApprovedAnnotation = "api-approved.kubernetes.io";
constexpr kube::Backoff::Options kBackoff{std::chrono::seconds(1), 2.0, 0.2, std::chrono::seconds(30)};
// How often it is looked whether what was in the way is gone, or something new is.
constexpr std::chrono::seconds kLookAgain{30};
constexpr std::chrono::seconds kRemovalPoll{1};

// All of a definition that adoption goes by: its status changes with every report.
Value EssenceOf(const Value& definition) {
  Value essence = {{"uid", json::TextAt(definition, {"metadata", "uid"})},
                   {"deleting", IsDeleting(definition)},
                   {"serve", json::TextAt(definition, {"metadata", "labels", kServeLabel})},
                   {"purge", json::TextAt(definition, {"metadata", "annotations", kPurgeAnnotation})},
                   {"established", definition::ConditionIsTrue(definition, "Established")},
                   {"approved", json::TextAt(definition, {"metadata", "annotations", kApprovedAnnotation})}};
  if (const Value* spec = json::Find(definition, "spec")) essence["spec"] = *spec;
  return essence;
}

}  // namespace

ClusterDefinitions::ClusterDefinitions(Parts parts, const std::string& probe_namespace)
    : parts_(std::move(parts)),
      guard_(std::make_unique<WriteGuard>(parts_.client, probe_namespace, parts_.executor)),
      collector_guard_(std::make_unique<CollectorGuard>(parts_.client, probe_namespace, parts_.executor)),
      report_(std::make_unique<AdoptionReport>(parts_.client, parts_.clock, parts_.executor)),
      call_([this](kube::Client::Call call) {
        return CallCluster(parts_.client, std::move(call), parts_.executor);
      }),
      routing_(std::make_unique<GroupRouting>(call_, parts_.clock, parts_.executor)),
      etcd_version_(std::make_unique<EtcdVersion>(call_, parts_.clock, parts_.executor)),
      old_copies_(std::make_unique<OldCopies>(
          GroupPurge::Parts{call_, *etcd_version_, parts_.clock, parts_.executor, tasks_}, *report_)),
      reflector_(parts_.client, {.path = kDefinitionsPath, .field_selector = ""}, parts_.random,
                 parts_.executor) {}

ClusterDefinitions::~ClusterDefinitions() = default;

void ClusterDefinitions::Start() {
  parts_.executor.Post([this] { tasks_.Spawn(Begin()); });
}

base::Task<void> ClusterDefinitions::Begin() {
  kube::Backoff backoff(kBackoff);
  while (true) {
    const auto read = co_await ReadState();
    if (read) break;
    base::LogError("Adoption cannot begin; trying again", {{"error", read.error().message}});
    co_await base::Sleep(parts_.executor, backoff.Next(parts_.random));
  }
  kube::Reflector::Handlers handlers;
  handlers.on_begin = [this] {
    synced_ = false;
    listed_.clear();
  };
  handlers.on_object = [this](const Value& definition, bool deleted) { OnDefinition(definition, deleted); };
  handlers.on_synced = [this] { OnSynced(); };
  tasks_.Spawn(LookAgain());
  co_await reflector_.Run(std::move(handlers));
}

base::Task<base::Result<void>> ClusterDefinitions::ReadState() {
  std::string target = "/api/v1/namespaces/kube-system";
  ANNEX_CO_TRY(const Value system,
               co_await GetFromCluster(parts_.client, std::move(target), parts_.executor));
  cluster_ = json::TextAt(system, {"metadata", "uid"});
  ANNEX_CO_TRY(guarded_, co_await guard_->Groups());
  ANNEX_CO_TRY(collector_guarded_, co_await collector_guard_->Groups());
  co_return co_await ReadOwnDefinitions();
}

base::Task<base::Result<void>> ClusterDefinitions::ReadOwnDefinitions() {
  ANNEX_CO_TRY(const auto definitions, co_await parts_.definitions.List());
  own_.clear();
  for (const Value& definition : definitions) {
    // Those of another cluster are not this one's to delete.
    if (json::TextAt(definition, {"metadata", "annotations", kClusterAnnotation}) == cluster_)
      own_[NameOf(definition)] = definition;
  }
  co_return base::Result<void>();
}

base::Task<void> ClusterDefinitions::LookAgain() {
  while (true) {
    co_await base::Sleep(parts_.executor, kLookAgain);
    std::vector<std::string> names;
    names.reserve(groups_.size());
    for (const auto& [name, group] : groups_) names.push_back(name);
    for (const std::string& name : names) Wake(name);
  }
}

void ClusterDefinitions::NoteOpened(Group& group, const Value& definition, bool deleted) {
  if (!deleted && HasEtcdVersion(definition)) {
    group.opened.insert(NameOf(definition));
  } else {
    group.opened.erase(NameOf(definition));
  }
}

void ClusterDefinitions::OnDefinition(const Value& definition, bool deleted) {
  const std::string name = NameOf(definition);
  if (!synced_) {
    listed_[name] = KeptForm(WithoutEtcdVersion(definition));
    NoteOpened(groups_[GroupOf(name)], definition, deleted);
    return;
  }
  Group& group = groups_[GroupOf(name)];
  NoteOpened(group, definition, deleted);
  Definitions& known = group.definitions;
  const auto before = known.find(name);
  Value kept = KeptForm(WithoutEtcdVersion(definition));
  const bool same = !deleted && before != known.end() && EssenceOf(before->second) == EssenceOf(kept);
  if (deleted) {
    known.erase(name);
    report_->Forget(name);
  } else {
    known[name] = std::move(kept);
  }
  if (!same) Wake(GroupOf(name));
}

void ClusterDefinitions::OnSynced() {
  synced_ = true;
  for (auto& [name, group] : groups_) group.definitions.clear();
  for (auto& [name, definition] : std::exchange(listed_, {}))
    groups_[GroupOf(name)].definitions[name] = std::move(definition);
  for (const auto& [name, definition] : own_) groups_[GroupOf(name)];
  for (const std::string& group : guarded_) groups_[group];
  for (const auto& [name, group] : groups_) Wake(name);
}

void ClusterDefinitions::Wake(const std::string& name) {
  Group& group = groups_[name];
  group.again = true;
  if (!std::exchange(group.working, true)) tasks_.Spawn(Work(name));
}

base::Task<void> ClusterDefinitions::Work(std::string name) {
  Group& group = groups_[name];  // stays where it is: groups are not forgotten
  kube::Backoff backoff(kBackoff);
  while (synced_ && std::exchange(group.again, false)) {
    const auto done = co_await Reconcile(name);
    if (done) {
      backoff.Reset();
      continue;
    }
    base::LogWarning("Adoption did not succeed; trying again",
                     {{"group", name}, {"error", done.error().message}});
    if (!IsMoved(name)) co_await Tell(name, false, "Failed", done.error().message);
    co_await base::Sleep(parts_.executor, backoff.Next(parts_.random));
    group.again = true;
  }
  group.working = false;
}

base::Task<base::Result<void>> ClusterDefinitions::Reconcile(std::string group) {
  ANNEX_CO_TRY(const bool leaving, co_await RemoveDeleted(group));
  if (leaving) {
    co_await base::Sleep(parts_.executor, kRemovalPoll);
    groups_[group].again = true;
    co_return base::Result<void>();
  }
  if (IsMoved(group)) co_return co_await ServeOrRelease(group);
  bool wanted = false;
  for (const auto& [name, definition] : groups_[group].definitions)
    wanted = wanted || WantsAdoption(definition);
  if (wanted) co_return co_await Adopt(group);
  co_return co_await Leave(group);
}

ClusterDefinitions::Definitions ClusterDefinitions::Present(const std::string& group) const {
  Definitions present;
  for (const auto& [name, definition] : groups_.at(group).definitions) {
    if (!IsDeleting(definition)) present[name] = definition;
  }
  return present;
}

bool ClusterDefinitions::IsMoved(const std::string& group) const {
  for (const auto& [name, definition] : own_) {
    if (GroupOf(name) == group) return true;
  }
  return false;
}

base::Task<base::Result<bool>> ClusterDefinitions::RemoveDeleted(std::string group) {
  const Definitions present = Present(group);
  std::vector<std::string> gone;
  for (const auto& [name, own] : own_) {
    const auto there = present.find(name);
    const std::string& from = json::TextAt(own, {"metadata", "annotations", kAdoptedAnnotation});
    const bool same = there != present.end() && json::TextAt(there->second, {"metadata", "uid"}) == from;
    if (GroupOf(name) == group && !same) gone.push_back(name);
  }
  if (gone.empty()) co_return false;
  for (std::string& name : gone) {
    if (!IsDeleting(own_[name])) {
      base::LogInfo("The cluster deleted a definition; its objects are deleted with it",
                    {{"definition", name}});
    }
    applied_.erase(name);
    ANNEX_CO_RETURN_IF_ERROR(co_await parts_.definitions.Remove(std::move(name)));
  }
  ANNEX_CO_RETURN_IF_ERROR(co_await ReadOwnDefinitions());
  co_return true;
}

base::Task<base::Result<void>> ClusterDefinitions::Leave(std::string group) {
  if (!guarded_.contains(group)) co_return base::Result<void>();
  ANNEX_CO_RETURN_IF_ERROR(co_await guard_->Lower(group));
  guarded_.erase(group);
  co_return base::Result<void>();
}

// A cluster may have thousands of definitions that Annex has nothing to do with.
Value ClusterDefinitions::KeptForm(const Value& definition) const {
  if (WantsAdoption(definition) || IsMoved(GroupOf(NameOf(definition)))) return definition;
  Value kept = {{"metadata", definition["metadata"]}, {"status", Value::object()}};
  if (const Value* conditions = json::FindPath(definition, {"status", "conditions"}))
    kept["status"]["conditions"] = *conditions;
  kept["spec"] = {{"names", definition["spec"]["names"]}};
  kept["metadata"].erase("annotations");
  kept["metadata"].erase("managedFields");
  return kept;
}

Value ClusterDefinitions::OwnForm(const Value& definition) const {
  Value own = {{"apiVersion", "apiextensions.k8s.io/v1"},
               {"kind", "CustomResourceDefinition"},
               {"metadata",
                {{"name", NameOf(definition)},
                 {"annotations",
                  {{kAdoptedAnnotation, json::TextAt(definition, {"metadata", "uid"})},
                   {kClusterAnnotation, cluster_}}}}},
               {"spec", definition["spec"]}};
  const std::string& approved = json::TextAt(definition, {"metadata", "annotations", kApprovedAnnotation});
  if (!approved.empty()) own["metadata"]["annotations"][kApprovedAnnotation] = approved;
  return own;
}

ClusterDefinitions::Definitions ClusterDefinitions::OwnForms(const std::string& group) const {
  Definitions own;
  for (const auto& [name, definition] : Present(group)) own[name] = OwnForm(definition);
  return own;
}

base::Task<void> ClusterDefinitions::Tell(std::string group, bool adopted, std::string reason,
                                          std::string message) {
  const Definitions definitions = groups_[group].definitions;
  for (const auto& [name, definition] : definitions) {
    // Those whom nobody asked to adopt are told of elsewhere: in the conditions of the others.
    if (!adopted && !WantsAdoption(definition) && !WantsRelease(definition)) continue;
    Value document = definition;
    AdoptionReport::State state{adopted, reason, message};
    co_await report_->Tell(std::move(document), kAdoptedCondition, std::move(state));
  }
}

}  // namespace annex::source
