// FakeWebhook: a conversion webhook without a network. It renames spec.size (v1) to spec.length (v2) and
// back, and labels v2's objects with "shown: v2".
//
// Thread rule: one thread.
#pragma once

#include "annex/json/value.h"
#include "annex/kube/webhook_caller.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace annex::test {

class FakeWebhook final : public kube::WebhookCaller {
 public:
  base::Task<base::Result<kube::WebhookReply>> Post(std::shared_ptr<const kube::WebhookTarget> target,
                                                    std::string body, base::Executor& executor) override;

  // How many objects each call so far was about; forgotten when it is asked for.
  std::vector<std::size_t> TakeCalls();
  // Changes each answer before it is given.
  std::function<void(json::Value& review)> distort;

 private:
  std::vector<std::size_t> calls_;
};

}  // namespace annex::test
