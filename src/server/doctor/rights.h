// Whether Annex's account has the rights that it needs, as kube-apiserver says: the same that manifests/base
// and manifests/adopt give.
#pragma once

#include "annex/base/task.h"
#include "installation.h"
#include "visit.h"

#include <set>
#include <string>
#include <vector>

namespace annex::server::doctor {

// One right; several verbs are several rights. A verb "list" with an empty name is about all objects.
struct Right {
  std::vector<std::string> verbs;
  std::string group;
  std::string resource;
  std::string subresource = {};
  std::string namespace_name = {};
  std::string name = {};
};

// What an installation needs, what it needs besides to adopt `groups`, and what to change what etcd has of
// them: to purge old copies, and to give groups back.
std::vector<Right> RightsToServe(const Installation& installation, const std::string& service_namespace);
std::vector<Right> RightsToAdopt(const std::set<std::string>& groups, const std::string& service_namespace);
std::vector<Right> RightsToChange(const std::set<std::string>& groups);

// `groups`: those of the cluster that ask for adoption.
base::Task<void> ExamineRights(Visit& visit, Installation installation, std::set<std::string> groups);

}  // namespace annex::server::doctor
