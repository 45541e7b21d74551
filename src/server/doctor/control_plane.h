// Whether the cluster is one that Annex can serve behind: its version, its aggregation layer, its servers.
#pragma once

#include "annex/base/task.h"
#include "annex/json/value.h"
#include "visit.h"

#include <string>

namespace annex::server::doctor {

// False if kube-apiserver does not answer, and nothing else can be asked.
base::Task<bool> ExamineControlPlane(Visit& visit);

// The parts that judge: `version` is the answer of /version, `authentication` the ConfigMap
// kube-system/extension-apiserver-authentication, `endpoints` the EndpointSlice default/kubernetes.
void JudgeVersion(const json::Value& version, const std::string& server, Findings& findings);
void JudgeAggregation(const json::Value& authentication, Findings& findings);
void JudgeServers(const json::Value& endpoints, Findings& findings);

}  // namespace annex::server::doctor
