// AdmissionGuard: a ValidatingAdmissionPolicy of a group, which Annex raises and lowers again.
//
// A policy takes effect some time after it is made, and nothing tells when. So it also refuses one ConfigMap
// that nobody has; a dry run of creating that is the probe.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace annex::source {

class AdmissionGuard {
 public:
  // `suffix`: what the policies' names end with, behind that of the group. `probe_namespace`: where the
  // ConfigMap of the probe would be.
  AdmissionGuard(kube::Client& client, std::string suffix, std::string probe_namespace,
                 base::Executor& executor)
      : client_(client),
        suffix_(std::move(suffix)),
        probe_namespace_(std::move(probe_namespace)),
        executor_(executor) {}

  struct Rules {
    json::Value resources = json::Value::array();   // matchConstraints.resourceRules
    json::Value conditions = json::Value::array();  // matchConditions
    std::string allowed;                            // CEL: what is let through all the same
    std::string message;                            // for whom is refused
  };
  // Makes the guard of a group, or repairs it. Errors of all: as CallCluster.
  base::Task<base::Result<void>> Raise(std::string group, Rules rules);
  // Whether it refuses by now.
  base::Task<base::Result<bool>> InForce(std::string group);
  // Returns when it does, or does no more. Errors: also Timeout.
  enum class Effect : std::uint8_t { kRefuses, kLifted };
  base::Task<base::Result<void>> Await(std::string group, Effect effect, const base::Clock& clock);
  base::Task<base::Result<void>> Lower(std::string group);
  // The groups that have one.
  base::Task<base::Result<std::set<std::string>>> Groups();

 private:
  bool Refused(const base::Status& error, const std::string& group) const;
  std::string NameOf(const std::string& group) const { return group + suffix_; }
  std::string PathOf(const char* resource, const std::string& group) const;
  json::Value MetadataOf(const std::string& group) const;
  json::Value PolicyOf(const std::string& group, Rules rules) const;

  kube::Client& client_;
  const std::string suffix_;
  const std::string probe_namespace_;
  base::Executor& executor_;
};

// Whether a ValidatingAdmissionPolicy is such a guard.
bool IsAdmissionGuard(const json::Value& policy);

}  // namespace annex::source
