// How Annex is installed in the cluster, and whether it runs: Service, Deployment, pods, endpoints.
#pragma once

#include "annex/base/task.h"
#include "annex/json/value.h"
#include "visit.h"

#include <optional>
#include <string>

namespace annex::server::doctor {

// What the rest of an examination goes by.
struct Installation {
  bool found = false;    // there is the Service
  bool has_pod = false;  // and what follows is read off a pod
  std::string service_account = "annex";
  bool adopts = false;
  std::string owner_cluster_role;
  std::string ca_secret;
};

base::Task<Installation> ExamineInstallation(Visit& visit);

// What a pod's command line says.
Installation ReadInstallation(const json::Value& pod);

// The parts that judge. `pods`, `deployments` and `slices` are lists.
void JudgePods(const json::Value& pods, const std::string& service_namespace, Findings& findings);
void JudgeDeployments(const json::Value& deployments, Findings& findings);
void JudgeEndpoints(const json::Value& slices, const std::string& service, Findings& findings);

}  // namespace annex::server::doctor
