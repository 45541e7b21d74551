// A group as a command is told of it on its command line, and the definitions that the cluster has of it.
//
// Thread rule: free functions; the tasks run on `executor`.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"
#include "annex/source/adoption_check.h"

#include <string>
#include <vector>

namespace annex::server {

// "example.com" or "example.com/v1".
struct GroupName {
  std::string group;
  std::string version;  // may be empty
};
// Errors: Invalid.
base::Result<GroupName> ParseGroupName(const std::string& text);

// The names of all definitions of the cluster, in pages. Errors: as source::CallCluster.
base::Task<base::Result<std::vector<std::string>>> ListDefinitionNames(kube::Client& client,
                                                                       base::Executor& executor);

// One definition, and all of a group. Errors: as source::CallCluster; NotFound, if there is none of the group
// or none with the version.
base::Task<base::Result<json::Value>> ReadDefinition(kube::Client& client, std::string name,
                                                     base::Executor& executor);
base::Task<base::Result<source::DefinitionsByName>> ReadGroup(kube::Client& client, GroupName group,
                                                              base::Executor& executor);

// Where the objects of a definition are listed, "/apis/example.com/v1/widgets": in the storage version if it
// is served, as no object needs conversion then.
std::string ListPath(const json::Value& definition);

// A condition in the status of a definition.
struct ConditionState {
  bool present = false;
  bool is_true = false;
  std::string reason;
  std::string message;
  bool operator==(const ConditionState&) const = default;
};
ConditionState ReadCondition(const json::Value& definition, const std::string& type);

}  // namespace annex::server
