// What keeps a group of the cluster from being adopted, in words for people.
//
// Thread rule: the task runs on `executor`.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace annex::source {

// The cluster's definitions of one group, by their names.
using DefinitionsByName = std::map<std::string, json::Value>;

// Whether a definition carries the label that asks for adoption, or for the way back.
bool WantsAdoption(const json::Value& definition);
bool WantsRelease(const json::Value& definition);

// Definitions of the group that nobody wants adopted, that are not established or are being deleted: the
// routing of requests knows only whole groups.
std::vector<std::string> DefinitionObstacles(const DefinitionsByName& definitions);

// Admission webhooks and policies that look at objects of the group. Errors: as CallCluster.
base::Task<base::Result<std::vector<std::string>>> AdmissionObstacles(kube::Client& client, std::string group,
                                                                      DefinitionsByName definitions,
                                                                      base::Executor& executor);

// What of the cluster itself stands in the way: APIServices of the group that lead elsewhere, and more than
// one kube-apiserver, of which only one could be asked whether writes are refused. Errors: as CallCluster.
base::Task<base::Result<std::vector<std::string>>> RoutingObstacles(kube::Client& client, std::string group,
                                                                    DefinitionsByName definitions,
                                                                    base::Executor& executor);

// Whether Annex could serve a definition. Errors: Invalid, Conflict; the message says which one and why not.
using CheckDefinition = std::function<base::Task<base::Result<void>>(json::Value definition)>;

// Who is asked, besides the definitions themselves.
struct AdoptionQuestion {
  kube::Client& client;
  CheckDefinition check;
  base::Executor& executor;
};

// Everything that keeps the group from being adopted; none if nothing does. `own`: the definitions that carry
// the label, as Annex would have them. Errors: as CallCluster.
base::Task<base::Result<std::vector<std::string>>> FindObstacles(AdoptionQuestion question, std::string group,
                                                                 DefinitionsByName definitions,
                                                                 DefinitionsByName own);

}  // namespace annex::source
