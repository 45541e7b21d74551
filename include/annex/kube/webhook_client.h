// WebhookClient: calls webhooks over HTTPS, on a thread of its own.
//
// Connections are kept for the next call. A call lasts 30 seconds at most, whatever the webhook does; its
// answer has a limit too. Redirects are not followed: a webhook does not choose whom this server talks to.
//
// Thread rule: thread-safe. Tasks go on on the executor that was given.
// Lifetime: Stop before the executors of its tasks are destroyed.
#pragma once

#include "annex/kube/service_resolver.h"
#include "annex/kube/webhook_caller.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace annex::kube {

class WebhookClient final : public WebhookCaller {
 public:
  struct Options {
    std::chrono::milliseconds timeout{30'000};
    std::size_t max_answer_bytes = 64UL << 20U;
  };
  // `services` must outlive the client.
  WebhookClient(ServiceResolver& services, Options options);
  ~WebhookClient() override;

  base::Task<base::Result<WebhookReply>> Post(std::shared_ptr<const WebhookTarget> target, std::string body,
                                              base::Executor& executor) override;

  // Ends all calls that are under way, with errors, and lets no new one begin. Returns when none is left.
  void Stop();

 private:
  class Implementation;
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace annex::kube
