// Where the cluster sends the requests of each group and version, and whether what leads to Annex works: the
// APIServices, and the certificates that kube-apiserver verifies Annex with.
#pragma once

#include "annex/base/task.h"
#include "annex/json/value.h"
#include "installation.h"
#include "visit.h"

#include <chrono>
#include <map>
#include <string>

namespace annex::server::doctor {

// Who serves a group.
struct Routing {
  std::map<std::string, std::string> services;  // group: "namespace/name" of a Service; none: kube-apiserver
  std::string annex;                            // Annex's own Service

  bool LeadsToAnnex(const std::string& group) const {
    const auto found = services.find(group);
    return found != services.end() && found->second == annex;
  }
};

base::Task<Routing> ExamineApiServices(Visit& visit, Installation installation);

// The parts that judge. `list`: all APIServices. `annex`: Annex's own Service.
Routing JudgeApiServices(const json::Value& list, const std::string& annex, const Installation& installation,
                         Findings& findings);
// `bundle`: what APIServices verify Annex with, PEM.
void JudgeCaBundle(const std::string& bundle, std::chrono::system_clock::time_point now, Findings& findings);

}  // namespace annex::server::doctor
