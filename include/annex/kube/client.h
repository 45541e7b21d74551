// Client: requests to a kube-apiserver.
//
// One call at a time and connection, many connections, kept open between calls (cpprestsdk's asynchronous
// client). A call whose kept connection turns out dead is not repeated here: callers know what may be
// repeated.
//
// Thread rule: thread-safe. Tasks go on on the executor that was given.
// Lifetime: destroy it when no task of it is under way; the executors must outlive the answers.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/config.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace annex::kube {

struct Answer {
  int status = 0;
  json::Value body;

  bool ok() const { return status >= 200 && status < 300; }
  // The message of a Status, for logs.
  std::string Message() const;
};

// An answer as it came.
struct TextAnswer {
  int status = 0;
  std::string text;
};

// A value of a query, percent-encoded.
std::string EscapeQuery(const std::string& value);

class Client {
 public:
  // Errors: Invalid (certificates that cannot be used).
  static base::Result<std::unique_ptr<Client>> Make(Config config);
  ~Client();

  struct Call {
    std::string method;
    std::string target;          // path and query, percent-encoded
    json::Value body = nullptr;  // null: none
    std::string content_type = "application/json";
    std::string accept = "application/json";
  };
  // One request and its whole answer, which may be an error's Status. Errors: ServiceUnavailable (no answer
  // within 10 seconds).
  base::Task<base::Result<Answer>> Send(Call call, base::Executor& executor);

  // The same for an answer that need not be JSON, such as metrics, or whose bytes matter.
  base::Task<base::Result<TextAnswer>> Fetch(Call call, base::Executor& executor);

  // A watch: tells each event as it comes, until the server ends the stream, `on_event` returns an error, or
  // Stop. Errors: ServiceUnavailable (no connection, or it broke), the answer's own Status (not 200), what
  // on_event returned.
  using OnEvent = std::function<base::Task<base::Result<void>>(json::Value event)>;
  base::Task<base::Result<void>> Watch(Call call, OnEvent on_event, base::Executor& executor);

  // Ends all calls that are under way, with errors, and lets no new one begin. Returns when none is left.
  void Stop();

 private:
  class Implementation;
  explicit Client(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace annex::kube
