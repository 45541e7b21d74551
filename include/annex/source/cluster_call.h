// Calls to the cluster in which every answer but success is an error.
//
// Thread rule: free functions; the tasks run on `executor`.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"

#include <functional>
#include <string>

namespace annex::source {

// What a part that needs no more of the cluster than its answers is given for it: CallCluster, or a test's
// own cluster.
using ClusterCall = std::function<base::Task<base::Result<json::Value>>(kube::Client::Call call)>;

// The body of the answer. Errors: NotFound, Conflict, Forbidden, Expired, Invalid (the object was refused),
// ServiceUnavailable (anything else, and no answer); the message says what was asked.
base::Task<base::Result<json::Value>> CallCluster(kube::Client& client, kube::Client::Call call,
                                                  base::Executor& executor);

// Reads an object or list. Errors: as CallCluster.
base::Task<base::Result<json::Value>> GetFromCluster(kube::Client& client, std::string target,
                                                     base::Executor& executor);

// Server-side apply of `object` at `path`, as `manager`, taking over what others own. What the same manager
// applied earlier and `object` lacks goes. Errors: as CallCluster.
base::Task<base::Result<json::Value>> ApplyToCluster(kube::Client& client, std::string path,
                                                     json::Value object, base::Executor& executor,
                                                     std::string manager = "annex");

// Deletes an object; one that does not exist is no error. Errors: as CallCluster.
base::Task<base::Result<void>> DeleteFromCluster(kube::Client& client, std::string path,
                                                 base::Executor& executor);

}  // namespace annex::source
