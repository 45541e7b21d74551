// AdoptionReport: tells the people of a cluster how far the adoption of their definitions is, or what else
// was asked for: a condition on each, and an Event whenever its reason changes.
//
// Thread rule: used on one executor. Failure: what cannot be told is logged, and told with the next change.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/source/adoption_names.h"

#include <map>
#include <string>

namespace annex::source {

class AdoptionReport {
 public:
  AdoptionReport(kube::Client& client, const base::Clock& clock, base::Executor& executor)
      : client_(client), clock_(clock), executor_(executor) {}

  struct State {
    bool holds = false;  // the condition's status
    std::string reason;  // CamelCase
    std::string message;
    bool operator==(const State&) const = default;
  };
  // `definition`: as the cluster has it now. What its condition says already is not told again.
  base::Task<void> Tell(json::Value definition, std::string condition, State state);
  // What the condition of a definition says: what was told last, even if the cluster did not show it yet.
  State StateOf(const json::Value& definition, const std::string& condition) const;
  // Forgets a definition that is gone.
  void Forget(const std::string& name) { told_.erase(name); }

 private:
  base::Task<base::Result<void>> SetCondition(const json::Value& definition, const std::string& type,
                                              const State& state);
  base::Task<base::Result<void>> PostEvent(const json::Value& definition, const State& state);

  kube::Client& client_;
  const base::Clock& clock_;
  base::Executor& executor_;
  std::map<std::string, std::map<std::string, State>> told_;  // by definition and condition
};

}  // namespace annex::source
