// Visit: what every part of an examination works with.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/kube/client.h"
#include "findings.h"

#include <string>

namespace annex::server::doctor {

// Thread rule: the parts of an examination run on `executor`, one after the other.
struct Visit {
  kube::Client& client;
  base::Executor& executor;
  const base::Clock& clock;
  Findings& findings;
  std::string server;  // its URL
  std::string service_namespace;
  std::string service_name;
  bool in_pod = false;  // beside Annex

  std::string ServiceText() const { return service_namespace + "/" + service_name; }
};

}  // namespace annex::server::doctor
