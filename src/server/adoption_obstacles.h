// What would be in the way if a group were asked to be adopted: the server's own question, with definitions
// judged here by the code that serves them.
//
// Thread rule: free functions; the task runs on `executor`.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/source/adoption_check.h"

#include <string>
#include <vector>

namespace annex::server {

// Whether Annex could serve a definition. Errors: Invalid; the message names the definition and every field
// that is in the way.
base::Result<void> CheckServable(json::Value definition);

// `definitions`: all of the group, as the cluster has them; labels need not be there yet. Errors: as
// source::CallCluster.
base::Task<base::Result<std::vector<std::string>>> ObstaclesOf(kube::Client& client, std::string group,
                                                               source::DefinitionsByName definitions,
                                                               base::Executor& executor);

}  // namespace annex::server
