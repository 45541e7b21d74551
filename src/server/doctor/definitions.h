// The cluster's own definitions: those that ask for adoption and how far they are, those that a group of
// Annex hides, and the policies that guard old copies.
#pragma once

#include "annex/base/task.h"
#include "annex/json/value.h"
#include "apiservices.h"
#include "installation.h"
#include "visit.h"

#include <set>
#include <string>
#include <vector>

namespace annex::server::doctor {

struct DefinitionsSeen {
  std::vector<std::string> names;  // of all
  std::set<std::string> asking;    // groups of which a definition asks for adoption
  std::set<std::string> served;    // groups that were adopted
};

base::Task<DefinitionsSeen> ExamineDefinitions(Visit& visit, Installation installation, Routing routing);

// The parts that judge. `definitions`: those with the label annex.dev/serve. `policies`: Annex's
// ValidatingAdmissionPolicies.
void JudgeAdoptions(const std::vector<json::Value>& definitions, const Installation& installation,
                    DefinitionsSeen& seen, Findings& findings);
void JudgeGuards(const json::Value& policies, const DefinitionsSeen& seen, Findings& findings);
void JudgeHidden(const DefinitionsSeen& seen, const Routing& routing, Findings& findings);

}  // namespace annex::server::doctor
