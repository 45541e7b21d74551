// WebhookCaller: sends a question to a webhook that a definition names, and brings what comes back.
//
// Thread rule: thread-safe. Tasks go on on the executor that was given.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace annex::kube {

// Where a webhook is, and who may say that it is it.
struct WebhookTarget {
  struct Service {
    std::string namespace_name;
    std::string name;
  };
  std::string host;  // a name or an address; of a service: "NAME.NAMESPACE.svc"
  std::uint16_t port = 443;
  std::string authority;  // host and port as the URL has them: "127.0.0.1:8443", "hooks.example.com"
  std::string path;       // percent-encoded, begins with "/"
  std::optional<Service> service;
  std::string ca_bundle;  // PEM; "": the system's authorities

  // "https://AUTHORITY/PATH?timeout=30s", as messages and the request have it.
  std::string Url() const;
};

struct WebhookReply {
  int status = 0;
  std::string content_type;
  std::string body;
};

class WebhookCaller {
 public:
  virtual ~WebhookCaller() = default;

  // POSTs a JSON document. Errors: ServiceUnavailable with the words that kube-apiserver has for it, such as
  // `Post "https://…": dial tcp 127.0.0.1:1: connect: connection refused`.
  virtual base::Task<base::Result<WebhookReply>> Post(std::shared_ptr<const WebhookTarget> target,
                                                      std::string body, base::Executor& executor) = 0;
};

}  // namespace annex::kube
