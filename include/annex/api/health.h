// Health: the named checks behind /livez, /readyz and /healthz.
//
// Thread rule: checks are added before the server starts; afterwards everything is thread-safe. A check must
// be quick and must not block: it says what is known, it does not find out.
#pragma once

#include "annex/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

class Health {
 public:
  using Check = std::function<base::Result<void>()>;
  struct NamedCheck {
    std::string name;
    Check check;
    bool live = false;  // part of /livez and /healthz too: only what a restart would cure
  };

  void Add(NamedCheck check) { checks_.push_back(std::move(check)); }
  const std::vector<NamedCheck>& checks() const { return checks_; }

 private:
  std::vector<NamedCheck> checks_;
};

}  // namespace annex::api
