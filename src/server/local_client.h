// LocalClient: this process as a client of its own API: through every rule for objects, but without a socket
// and past authorization. For what a start has to set up, and for definitions from files.
#pragma once

#include "annex/api/api_service.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"

#include <string>

namespace annex::server {

class LocalClient {
 public:
  // Requests are served on `executor`, by tasks of `tasks`.
  LocalClient(api::ApiService& service, base::Executor& executor, base::TaskScope& tasks)
      : service_(service), executor_(executor), tasks_(tasks) {}

  struct Answer {
    int status = 0;
    json::Value body;
  };
  // Sends a request. REQUIRES: on the executor. Errors: InternalError (an answer that is no JSON).
  base::Task<base::Result<Answer>> Send(std::string method, std::string target, json::Value body);
  // Sends a request and waits. REQUIRES: not on the executor's thread, which must be running. Errors:
  // InternalError (an answer that is no JSON).
  base::Result<Answer> Call(const std::string& method, const std::string& target, const json::Value& body);

 private:
  api::ApiService& service_;
  base::Executor& executor_;
  base::TaskScope& tasks_;
};

}  // namespace annex::server
