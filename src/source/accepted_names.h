// Which names of a definition are accepted: those that no other definition of its group uses
// (k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go).
#pragma once

#include "annex/definition/resource.h"
#include "annex/json/value.h"

#include <set>
#include <string>

namespace annex::source {

struct AcceptedNames {
  definition::Names names;
  bool all = true;
  std::string reason;   // of the last conflict: "PluralConflict", …
  std::string message;  // `"x" is already in use`
};

// The names that other definitions of the group have.
struct UsedNames {
  std::set<std::string> resources;  // plural, singular, short
  std::set<std::string> kinds;      // kind, list kind
  void Add(const definition::Names& accepted);
};

// `current`: what of the definition's names was accepted before.
AcceptedNames AcceptNames(const definition::Names& wanted, const definition::Names& current,
                          const UsedNames& used);

}  // namespace annex::source
