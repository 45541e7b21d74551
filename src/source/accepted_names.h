// Which names of a definition are accepted: those that no other definition of its group uses
// (k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go).
#pragma once

#include "annex/definition/resource.h"
#include "annex/json/value.h"

#include <string>
#include <vector>

namespace annex::source {

struct AcceptedNames {
  definition::Names names;
  bool all = true;
  std::string reason;   // of the last conflict: "PluralConflict", …
  std::string message;  // `"x" is already in use`
};

// `others`: the accepted names of the other definitions of the group.
AcceptedNames AcceptNames(const definition::Names& wanted, const definition::Names& current,
                          const std::vector<definition::Names>& others);

}  // namespace annex::source
