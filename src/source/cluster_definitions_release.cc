// The way back: what ClusterDefinitions does with a group whose definitions all carry annex.dev/serve=false.
#include "adoption_report.h"
#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/source/adoption_check.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_definitions.h"
#include "annex/source/definition_facts.h"
#include "collector_guard.h"
#include "dependents.h"
#include "etcd_version.h"
#include "group_purge.h"
#include "group_release.h"
#include "group_routing.h"
#include "old_copies.h"
#include "write_guard.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

// A client whose watch ends twice within a second lists anew, with whatever revision it asks for (client-go).
constexpr std::chrono::milliseconds kSecondEnd{500};
// How long a client may take from its list to its watch, and a controller to learn the new uids.
constexpr std::chrono::seconds kStragglers{3};
// A client whose watch ended lists after 0.8 to 1.6 seconds (client-go): by then it has to forget the
// revision that it knows, or kube-apiserver would let it wait for that.
constexpr std::chrono::milliseconds kForget{1700};
constexpr int kEndRounds = 2;
constexpr int kRenameRounds = 5;
constexpr std::chrono::milliseconds kRemovalPoll{20};

std::string StepOf(const Value& own) {
  return json::TextAt(own, {"metadata", "annotations", kReleaseAnnotation});
}

std::string SomeOf(std::vector<std::string> texts) {
  constexpr std::size_t kShown = 5;
  const std::size_t all = texts.size();
  if (all > kShown) texts.resize(kShown);
  std::string text = base::Join(texts, ", ");
  if (all > kShown) text += " and " + std::to_string(all - kShown) + " more";
  return text;
}

std::string Summary(const ObjectReturn::Numbers& numbers, const std::string& renamed) {
  return std::to_string(numbers.objects) + " objects of the group were given back; " +
         std::to_string(numbers.kept_uid) + " kept their uid, " +
         std::to_string(numbers.objects - numbers.kept_uid) + " have a new one; " + renamed;
}

}  // namespace

bool ClusterDefinitions::IsDecided(const std::string& group) const {
  return std::any_of(own_.begin(), own_.end(), [&group](const auto& named) {
    return GroupOf(named.first) == group && StepOf(named.second) == kReleaseDecided;
  });
}

base::Task<base::Result<void>> ClusterDefinitions::ServeOrRelease(std::string group) {
  if (IsDecided(group)) co_return co_await ResumeRelease(group);
  const Definitions definitions = Present(group);
  const auto asked = std::count_if(definitions.begin(), definitions.end(),
                                   [](const auto& named) { return WantsRelease(named.second); });
  if (asked == 0) co_return co_await Serve(group, "");
  ANNEX_CO_TRY(std::string obstacle, co_await ReleaseObstacle(group));
  if (!obstacle.empty()) co_return co_await Serve(group, "not given back: " + obstacle);
  const auto released = co_await Release(group);
  if (released || IsDecided(group)) co_return released;
  const auto restored = co_await Restore(group);
  if (!restored) base::LogWarning("After a failed release", {{"error", restored.error().message}});
  co_await Tell(group, true, "Failed", released.error().message);
  co_return released;
}

base::Task<base::Result<void>> ClusterDefinitions::Restore(std::string group) {
  Definitions own = OwnForms(group);
  ANNEX_CO_RETURN_IF_ERROR(co_await ApplyDefinitions(group, std::move(own)));
  ANNEX_CO_RETURN_IF_ERROR(co_await guard_->Raise(group));
  if (collector_guarded_.erase(group) > 0) ANNEX_CO_RETURN_IF_ERROR(co_await collector_guard_->Lower(group));
  co_return base::Result<void>();
}

base::Task<base::Result<std::string>> ClusterDefinitions::ReleaseObstacle(std::string group) {
  Definitions definitions = Present(group);
  std::vector<std::string> found;
  for (const auto& [name, definition] : groups_[group].definitions) {
    if (!WantsRelease(definition))
      found.push_back(base::Quote(name) + " of the same group lacks the label " + kServeLabel + "=false");
  }
  if (const std::string obstacle = EtcdVersionObstacle(definitions); !obstacle.empty())
    found.push_back(obstacle);
  ANNEX_CO_TRY(const auto admission,
               co_await AdmissionObstacles(parts_.client, group, std::move(definitions), parts_.executor));
  for (const std::string& who : admission) found.push_back(who + " would judge every object on its way");
  co_return base::Join(found, "; ");
}

GroupRelease ClusterDefinitions::ReleaseOf(const std::string& group) {
  const GroupRelease::Parts parts{
      call_, parts_.store, parts_.publisher, *etcd_version_, parts_.clock, parts_.executor, tasks_};
  return {parts, Present(group),
          [this, group](std::string message) { return Tell(group, true, "Releasing", std::move(message)); },
          [this, group] { return PrepareFreeze(group); }};
}

base::Task<base::Result<void>> ClusterDefinitions::Release(std::string group) {
  // Whatever an earlier try left is put in order first.
  ANNEX_CO_RETURN_IF_ERROR(co_await Restore(group));
  ANNEX_CO_RETURN_IF_ERROR(co_await AwaitAnnex(group));
  Definitions own = OwnForms(group);
  GroupRelease release = ReleaseOf(group);
  ANNEX_CO_RETURN_IF_ERROR(co_await release.Run());
  auto decided = co_await Mark(group, kReleaseFrozen);
  if (decided) decided = co_await Confirm(group, std::move(own));
  if (decided) decided = co_await Mark(group, kReleaseDecided);
  if (!decided && !IsDecided(group)) {
    ANNEX_CO_RETURN_IF_ERROR(co_await release.Thaw());
    co_return decided;
  }
  co_return co_await FinishRelease(group, release);
}

base::Task<base::Result<void>> ClusterDefinitions::Unlock(std::string group) {
  collector_guarded_.insert(group);
  ANNEX_CO_RETURN_IF_ERROR(co_await collector_guard_->Raise(group, parts_.clock));
  ANNEX_CO_RETURN_IF_ERROR(co_await guard_->Lower(group));
  co_return co_await guard_->AwaitLifted(group, parts_.clock);
}

base::Task<base::Result<void>> ClusterDefinitions::PrepareFreeze(std::string group) {
  const Definitions definitions = Present(group);
  const bool still = std::all_of(definitions.begin(), definitions.end(),
                                 [](const auto& named) { return WantsRelease(named.second); });
  if (!still) co_return base::Error(base::Reason::kConflict, "the labels were changed meanwhile");
  ANNEX_CO_RETURN_IF_ERROR(co_await Unlock(group));
  ANNEX_CO_RETURN_IF_ERROR(co_await Mark(group, kReleaseLeaving));
  co_await base::Sleep(parts_.executor, kForget);
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ClusterDefinitions::Mark(std::string group, const char* step) {
  Definitions own = OwnForms(group);
  for (auto& [name, definition] : own) definition["metadata"]["annotations"][kReleaseAnnotation] = step;
  co_return co_await ApplyDefinitions(std::move(group), std::move(own));
}

base::Task<base::Result<void>> ClusterDefinitions::ResumeRelease(std::string group) {
  parts_.registrar.GiveBack(group);
  GroupRelease release = ReleaseOf(group);
  ANNEX_CO_RETURN_IF_ERROR(co_await Unlock(group));
  ANNEX_CO_RETURN_IF_ERROR(co_await release.LearnUids());
  co_return co_await FinishRelease(group, release);
}

// Each step may be done again, until the last: without definitions of its own, Annex has nothing of the
// group.
base::Task<base::Result<void>> ClusterDefinitions::FinishRelease(std::string group, GroupRelease& release) {
  ANNEX_CO_RETURN_IF_ERROR(co_await Mark(group, kReleaseDecided));
  parts_.registrar.GiveBack(group);
  Definitions definitions = Present(group);
  ANNEX_CO_RETURN_IF_ERROR(co_await routing_->Await(GroupRouting::From::kEtcd, definitions));
  const auto writes_again = parts_.clock.Monotonic();
  ANNEX_CO_TRY(const std::string renamed, co_await BringClients(group, release));
  for (const auto& [name, definition] : definitions) {
    std::string closed = name;
    ANNEX_CO_RETURN_IF_ERROR(co_await etcd_version_->Close(std::move(closed)));
  }
  ANNEX_CO_RETURN_IF_ERROR(co_await collector_guard_->Lower(group));
  ANNEX_CO_RETURN_IF_ERROR(co_await guard_->Lower(group));
  collector_guarded_.erase(group);
  guarded_.erase(group);
  std::string message = Summary(release.numbers(), renamed);
  if (const auto frozen = release.frozen_since(); frozen.time_since_epoch().count() != 0) {
    const auto lasted = std::chrono::duration_cast<std::chrono::milliseconds>(writes_again - frozen);
    message += "; writes waited for " + std::to_string(lasted.count()) + " ms";
  }
  // Told first: who starts without definitions knows nothing of it.
  co_await Tell(group, false, "Released", std::move(message));
  co_await old_copies_->Returned(std::move(definitions));
  co_return co_await RemoveOwn(group);
}

// Somebody may have listed at Annex before that was refused, and only now begin a watch at kube-apiserver,
// with a revision that etcd will never reach: that is silent. Ending it twice helps.
base::Task<base::Result<std::string>> ClusterDefinitions::BringClients(std::string group,
                                                                       const GroupRelease& release) {
  Dependents dependents(call_, release.owners());
  Dependents::Found found;
  std::int64_t renamed = 0;
  for (int round = 0; round < kRenameRounds; ++round) {
    if (round > 0) co_await base::Sleep(parts_.executor, kStragglers);
    if (!release.owners().empty()) {
      ANNEX_CO_TRY(found, co_await dependents.Rename());
      renamed += found.renamed;
    }
    if (round < kEndRounds) ANNEX_CO_RETURN_IF_ERROR(co_await EndWatchesTwice(group));
    if (round > 0 && found.renamed == 0 && !found.again) break;
  }
  std::string told = std::to_string(renamed) + " objects name their owners anew";
  if (!found.unknown.empty()) told += "; not looked at: " + SomeOf(std::move(found.unknown));
  co_return told;
}

base::Task<base::Result<void>> ClusterDefinitions::EndWatchesTwice(std::string group) {
  for (int end = 0; end < 2; ++end) {
    if (end > 0) co_await base::Sleep(parts_.executor, kSecondEnd);
    for (const auto& [name, definition] : Present(group)) {
      std::string watched = name;
      ANNEX_CO_RETURN_IF_ERROR(co_await routing_->EndWatches(std::move(watched)));
    }
  }
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ClusterDefinitions::RemoveOwn(std::string group) {
  while (IsMoved(group)) {
    std::vector<std::string> names;
    for (const auto& [name, own] : own_) {
      if (GroupOf(name) == group) names.push_back(name);
    }
    for (std::string& name : names) {
      applied_.erase(name);
      ANNEX_CO_RETURN_IF_ERROR(co_await parts_.definitions.Remove(std::move(name)));
    }
    co_await base::Sleep(parts_.executor, kRemovalPoll);
    ANNEX_CO_RETURN_IF_ERROR(co_await ReadOwnDefinitions());
  }
  co_return base::Result<void>();
}

}  // namespace annex::source
