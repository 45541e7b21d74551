#include "annex/source/definition_controller.h"

#include "accepted_names.h"
#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/definition/approval.h"
#include "annex/definition/conditions.h"
#include "annex/definition/webhook.h"
#include "annex/source/adoption_names.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";
// How often a definition whose objects wait for their finalizers looks whether they are gone.
constexpr std::chrono::milliseconds kFinalizePoll{200};

bool IsDeleting(const Value& definition) {
  return json::FindPath(definition, {"metadata", "deletionTimestamp"}) != nullptr;
}

bool HasCleanupFinalizer(const Value& definition) {
  const auto& finalizers = json::ItemsAt(definition, {"metadata", "finalizers"});
  return std::find(finalizers.begin(), finalizers.end(), Value(kCleanupFinalizer)) != finalizers.end();
}

// The cluster has its objects: what is here is a copy, whose end is nobody's business.
bool WasReleased(const Value& definition) {
  return json::TextAt(definition, {"metadata", "annotations", kReleaseAnnotation}) == kReleaseDecided;
}

std::string GroupOf(const Value& definition) {
  return json::TextAt(definition, {"spec", "group"});
}

definition::Names NamesAt(const Value& definition, std::initializer_list<std::string_view> path) {
  const Value* names = json::FindPath(definition, path);
  return names == nullptr ? definition::Names() : definition::ReadNames(*names);
}

Value NamesJson(const definition::Names& names) {
  Value json = {{"kind", names.kind}, {"plural", names.plural}};
  if (!names.singular.empty()) json["singular"] = names.singular;
  if (!names.list_kind.empty()) json["listKind"] = names.list_kind;
  if (!names.short_names.empty()) json["shortNames"] = names.short_names;
  if (!names.categories.empty()) json["categories"] = names.categories;
  return json;
}

// The first Established that a definition gets, or what it waits for.
definition::Condition Establish(const Value& definition, const AcceptedNames& accepted) {
  if (!accepted.all) return {"Established", "False", "NotAccepted", "not all names are accepted"};
  if (!definition::CheckCaBundleOf(definition)) {
    return {"Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"};
  }
  return {"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"};
}

// Brings the status to what the names are now. True if it changed.
bool SetNamesStatus(Value& definition, const AcceptedNames& accepted, const std::string& now) {
  const Value before = definition["status"];
  if (const auto approval = definition::ApprovalOf(definition))
    definition::SetCondition(definition, definition::ConditionOf(*approval), now);
  definition["status"]["acceptedNames"] = NamesJson(accepted.names);
  const definition::Condition names_accepted =
      accepted.all ? definition::Condition{"NamesAccepted", "True", "NoConflicts", "no conflicts found"}
                   : definition::Condition{"NamesAccepted", "False", accepted.reason, accepted.message};
  definition::SetCondition(definition, names_accepted, now);
  // Once established, always established.
  if (!definition::ConditionIsTrue(definition, "Established")) {
    definition::SetCondition(definition, Establish(definition, accepted), now);
  }
  return definition["status"] != before;
}

}  // namespace

DefinitionController::DefinitionController(Parts parts)
    : parts_(std::move(parts)), follower_(parts_.store, parts_.hub, parts_.collection, parts_.executor) {}

DefinitionController::~DefinitionController() = default;

void DefinitionController::Start(std::function<void()> ready) {
  ObjectFollower::Handlers handlers;
  handlers.on_begin = [this] {
    known_.clear();
    synced_ = false;
    parts_.publisher.Hold();
  };
  handlers.on_object = [this](std::string name, const Value* definition) {
    return OnDefinition(std::move(name), definition);
  };
  handlers.on_synced = [this, ready = std::move(ready)]() mutable {
    return OnSynced(std::exchange(ready, nullptr));
  };
  auto shared = std::make_shared<ObjectFollower::Handlers>(std::move(handlers));
  parts_.executor.Post([this, shared] { tasks_.Spawn(follower_.Run(std::move(*shared))); });
}

base::Task<void> DefinitionController::OnSynced(std::function<void()> ready) {
  synced_ = true;
  std::vector<std::string> names;
  names.reserve(known_.size());
  for (const auto& [name, known] : known_) names.push_back(name);
  for (std::string& name : names) co_await Reconcile(std::move(name));
  // What was served and is gone: its definition was deleted while nobody looked.
  std::vector<std::string> gone;
  for (const auto& [name, resource] : parts_.publisher.resources()) {
    if (!known_.contains(name)) gone.push_back(name);
  }
  for (std::string& name : gone) co_await Withdraw(std::move(name));
  parts_.publisher.Release();
  if (ready) ready();
}

base::Task<void> DefinitionController::OnDefinition(std::string name, const Value* definition) {
  const auto found = known_.find(name);
  const Known before = found == known_.end() ? Known() : found->second;
  if (definition == nullptr) {
    known_.erase(name);
    co_await Withdraw(name);
  } else {
    Known& known = known_[name];
    known.definition = *definition;
    known.group = GroupOf(*definition);
    known.accepted = NamesAt(*definition, {"status", "acceptedNames"});
  }
  if (!synced_) co_return;
  co_await Reconcile(name);
  const auto after = known_.find(name);
  const bool gave_up = after == known_.end() || after->second.accepted != before.accepted;
  if (gave_up && before.accepted != definition::Names()) co_await ReconcileWaiting(before.group);
}

std::string DefinitionController::IncarnationOf(const Value& definition) const {
  if (parts_.objects == Objects::kDelete) return json::TextAt(definition, {"metadata", "uid"});
  return json::TextAt(definition, {"metadata", "annotations", kAdoptedAnnotation});
}

base::Task<void> DefinitionController::Withdraw(std::string name) {
  auto withdrawn = co_await parts_.publisher.Withdraw(name);
  if (!withdrawn) {
    base::LogError("Removing the objects of a deleted definition failed",
                   {{"definition", name}, {"error", withdrawn.error().message}});
  }
}

base::Task<void> DefinitionController::ReconcileWaiting(std::string group) {
  std::vector<std::string> names;
  for (const auto& [name, known] : known_) {
    if (known.group == group && !definition::ConditionIsTrue(known.definition, "NamesAccepted"))
      names.push_back(name);
  }
  for (std::string& name : names) co_await Reconcile(std::move(name));
}

void DefinitionController::TellConflict(const std::string& name, const AcceptedNames& accepted) {
  std::string& told = known_[name].conflict;
  if (told == accepted.message) return;
  told = accepted.message;
  if (accepted.all) return;
  base::LogError("Names of a definition are another's",
                 {{"definition", name}, {"reason", accepted.reason}, {"error", accepted.message}});
}

base::Task<void> DefinitionController::Reconcile(std::string name) {
  const auto known = known_.find(name);
  if (known == known_.end()) co_return;
  const Value definition = known->second.definition;
  UsedNames used;
  for (const auto& [other_name, other] : known_) {
    if (other_name != name && other.group == known->second.group) used.Add(other.accepted);
  }
  const AcceptedNames accepted =
      AcceptNames(NamesAt(definition, {"spec", "names"}), known->second.accepted, used);
  TellConflict(name, accepted);

  // Served before its conditions say so: who waits for them finds it there.
  ResourcePublisher::Options options;
  options.names = accepted.names;
  // Objects of a definition that was deleted are not those of one that is made again, unless they are kept.
  options.incarnation = IncarnationOf(definition);
  options.terminating = definition::ConditionIsTrue(definition, "Terminating");
  const std::string& release = json::TextAt(definition, {"metadata", "annotations", kReleaseAnnotation});
  options.leaving = !release.empty();
  options.read_only = release == kReleaseFrozen || release == kReleaseDecided;
  options.established = definition::ConditionIsTrue(definition, "Established") ||
                        Establish(definition, accepted).status == "True";
  if (accepted.all || options.established) {
    auto published = co_await parts_.publisher.Publish(definition, std::move(options));
    if (!published) {
      base::LogError("A definition cannot be served",
                     {{"definition", name}, {"error", published.error().message}});
      co_return;
    }
  }
  if (IsDeleting(definition)) {
    const auto still = known_.find(name);
    // Without the finalizer its objects were deleted before; another finalizer holds it.
    if (still != known_.end() && HasCleanupFinalizer(definition) &&
        !std::exchange(still->second.finalizing, true))
      tasks_.Spawn(Finalize(name));
    co_return;
  }
  const std::string now = base::Rfc3339(parts_.clock.Now());
  const auto change = [accepted, now](Value& object) { return SetNamesStatus(object, accepted, now); };
  Value expected = definition;
  if (!change(expected)) co_return;
  // The others see the names at once, not only when the change comes back from the store.
  if (const auto still = known_.find(name); still != known_.end()) {
    still->second.definition["status"] = expected["status"];
    still->second.accepted = accepted.names;
  }
  auto updated = co_await parts_.definitions.Update(name, change, parts_.executor);
  if (!updated) {
    base::LogError("Setting the status of a definition failed",
                   {{"definition", name}, {"error", updated.error().message}});
  }
}

base::Task<void> DefinitionController::DeleteAllObjects(std::string name) {
  while (true) {
    const auto resource = parts_.publisher.Find(name);
    base::Result<std::int64_t> left = 0;
    if (resource) left = co_await parts_.delete_objects(resource, "", parts_.executor);
    if (left && *left == 0) break;
    if (!left)
      base::LogError("Deleting the objects of a definition failed",
                     {{"definition", name}, {"error", left.error().message}});
    co_await base::Sleep(parts_.executor, kFinalizePoll);
  }
}

base::Task<void> DefinitionController::Finalize(std::string name) {
  const auto begin = [time = base::Rfc3339(parts_.clock.Now())](Value& object) {
    return definition::SetCondition(
        object,
        {"Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"},
        time);
  };
  if (auto begun = co_await parts_.definitions.Update(name, begin, parts_.executor); !begun) {
    base::LogError("Beginning the deletion of a definition's objects failed",
                   {{"definition", name}, {"error", begun.error().message}});
  }
  const auto known = known_.find(name);
  if (known != known_.end() && !IncarnationOf(known->second.definition).empty() &&
      !WasReleased(known->second.definition))
    co_await DeleteAllObjects(name);
  const auto finish = [time = base::Rfc3339(parts_.clock.Now())](Value& object) {
    definition::SetCondition(object,
                             definition::ConditionIsTrue(object, "Established")
                                 ? definition::Condition{"Terminating", "False", "InstanceDeletionCompleted",
                                                         "removed all instances"}
                                 : definition::Condition{"Terminating", "False", "NeverEstablished",
                                                         "resource was never established"},
                             time);
    Value& metadata = object["metadata"];
    Value finalizers = Value::array();
    for (const Value& finalizer : json::ItemsAt(metadata, {"finalizers"})) {
      if (finalizer != kCleanupFinalizer) finalizers.push_back(finalizer);
    }
    metadata["finalizers"] = std::move(finalizers);
    if (metadata["finalizers"].empty()) metadata.erase("finalizers");
    return true;
  };
  auto updated = co_await parts_.definitions.Update(name, finish, parts_.executor);
  if (!updated) {
    base::LogError("Letting a definition go failed",
                   {{"definition", name}, {"error", updated.error().message}});
  }
  if (const auto still = known_.find(name); still != known_.end()) still->second.finalizing = false;
}

}  // namespace annex::source
