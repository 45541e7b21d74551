#include "group_follower.h"

#include <utility>

namespace annex::server {
namespace {

constexpr std::chrono::milliseconds kPoll{250};
// While the definitions of a group are labelled one after the other, some of them are in the way of the
// others for a moment.
constexpr std::chrono::seconds kBlockedPatience{5};
// Annex sees a new label at once; whether what was in the way before is gone, it looks every 30 seconds.
constexpr std::chrono::seconds kAnswerPatience{15};
constexpr std::chrono::seconds kLookPatience{45};

bool IsUnderWay(const std::string& reason) {
  return reason == "Copying" || reason == "Verifying" || reason == "Freezing" || reason == "Releasing" ||
         reason == "Purging";
}

}  // namespace

std::optional<base::Status> FindStandstill(const ConditionState& state, const ConditionState& before,
                                           std::chrono::nanoseconds unchanged) {
  const bool as_before = state == before;
  if (state.reason == "Blocked" && unchanged > (as_before ? kLookPatience : kBlockedPatience))
    return base::Status{base::Reason::kConflict, state.message};
  if (!as_before || IsUnderWay(state.reason)) return std::nullopt;
  if (unchanged <= (state.present ? kLookPatience : kAnswerPatience)) return std::nullopt;
  return base::Status{base::Reason::kNotFound,
                      "no Annex took it up: is one running in this cluster, with --adopt and the rights for "
                      "it? annex doctor says what is missing"};
}

base::Task<base::Result<ConditionState>> GroupFollower::Follow() {
  begin_ = parts_.clock.Monotonic();
  base::Result<ConditionState> last;
  for (const auto& [name, definition] : before_) {
    last = co_await FollowOne(name);
    if (!last) break;
  }
  parts_.progress.Close();
  co_return last;
}

base::Task<base::Result<ConditionState>> GroupFollower::FollowOne(std::string name) {
  const ConditionState before = ReadCondition(before_.at(name), goal_.condition);
  ConditionState state = before;
  auto changed = parts_.clock.Monotonic();
  while (true) {
    const auto definition = co_await ReadDefinition(parts_.client, name, parts_.executor);
    if (!definition && definition.error().reason == base::Reason::kNotFound)
      co_return base::Error(base::Reason::kNotFound, "the definition is gone: " + definition.error().message);
    // Any other error may pass: a kube-apiserver that starts anew, for example.
    const ConditionState now = definition ? ReadCondition(*definition, goal_.condition) : state;
    if (now != state) {
      state = now;
      changed = parts_.clock.Monotonic();
      Tell(state);
    }
    if (goal_.reached(state)) co_return state;
    if (auto standstill = FindStandstill(state, before, parts_.clock.Monotonic() - changed))
      co_return base::Error(*std::move(standstill));
    if (parts_.clock.Monotonic() - begin_ > goal_.timeout) {
      co_return base::Error(base::Reason::kTimeout, "it is not done in time; the last that was said is " +
                                                        state.reason + ": " + state.message);
    }
    co_await base::Sleep(parts_.executor, kPoll);
  }
}

void GroupFollower::Tell(const ConditionState& state) {
  // What is in the way is told in the end, if it stays.
  if (state == told_ || state.reason == "Blocked") return;
  told_ = state;
  parts_.progress.Tell(state.reason, state.message);
}

}  // namespace annex::server
