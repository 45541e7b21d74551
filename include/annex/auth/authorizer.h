// Authorizer: may this user do this?
//
// Thread rule: Authorize may be called from any executor, concurrently.
#pragma once

#include "annex/auth/user.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"

#include <cstdint>
#include <string>

namespace annex::auth {

// What a request asks for (authorization.k8s.io/v1, SubjectAccessReviewSpec).
struct Attributes {
  User user;
  std::string verb;  // "create", "list", …; for non-resource requests the HTTP method in lower case
  bool resource_request = false;
  // Resource requests.
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string namespace_name;
  std::string name;
  std::string field_selector;
  std::string label_selector;
  // Other requests.
  std::string path;
};

struct Decision {
  bool allowed = false;
  std::string reason;  // for the message to the client
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Errors: InternalError (nobody who could decide was reachable: never an allow).
  virtual base::Task<base::Result<Decision>> Authorize(Attributes attributes, base::Executor& executor) = 0;
};

}  // namespace annex::auth
