// LocalClient: the server's own administrator as a client of its own API: through every check that a client passes, but without a
// socket. For what a start has to set up.
#pragma once

#include <memory>
#include <string>

#include "annex/api/message.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"

namespace annex::server {

class LocalClient {
 public:
  // `certificate`: of a user who may do what will be asked, PEM. `tasks` runs on `executor`.
  LocalClient(api::Service& service, base::Executor& executor, base::TaskScope& tasks, const std::string& certificate);

  struct Answer {
    int status = 0;
    json::Value body;
  };
  // Sends a request and waits. REQUIRES: not on the executor's thread. Errors: InternalError (an answer that is no JSON).
  base::Result<Answer> Call(const std::string& method, const std::string& target, const json::Value& body);

 private:
  api::Service& service_;
  base::Executor& executor_;
  base::TaskScope& tasks_;
  const std::shared_ptr<auth::Peer> peer_;
};

}  // namespace annex::server
