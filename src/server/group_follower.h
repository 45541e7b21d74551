// GroupFollower: waits until the definitions of a group say by a condition that what was asked for is done,
// and tells each step on the way.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"
#include "annex/source/adoption_check.h"
#include "group_definitions.h"
#include "progress_lines.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace annex::server {

// Why there is no use in waiting on for a definition whose condition has been `state` for `unchanged`, and
// was `before` when it was asked for; nullopt if there is.
std::optional<base::Status> FindStandstill(const ConditionState& state, const ConditionState& before,
                                           std::chrono::nanoseconds unchanged);

class GroupFollower {
 public:
  struct Parts {
    kube::Client& client;
    base::Executor& executor;
    const base::Clock& clock;
    ProgressLines& progress;
  };
  struct Goal {
    std::string condition;
    std::function<bool(const ConditionState&)> reached;
    std::chrono::seconds timeout;
  };
  // `before`: the definitions as they were when it was asked for.
  GroupFollower(Parts parts, Goal goal, source::DefinitionsByName before)
      : parts_(parts), goal_(std::move(goal)), before_(std::move(before)) {}

  // What the condition says in the end. Errors: Conflict (something is in the way), NotFound (nobody takes it
  // up, or the definition is gone), Timeout.
  base::Task<base::Result<ConditionState>> Follow();

 private:
  base::Task<base::Result<ConditionState>> FollowOne(std::string name);
  void Tell(const ConditionState& state);

  const Parts parts_;
  const Goal goal_;
  const source::DefinitionsByName before_;
  std::chrono::steady_clock::time_point begin_;
  ConditionState told_;
};

}  // namespace annex::server
