// WebhookConverter: brings objects from one version of their definition to another by asking the webhook that
// the definition names (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
//
//   objects -> review -> POST -> reply -> answer, held to the question -> objects
//
// A webhook may change whatever it likes outside metadata, and labels and annotations in it. What it answers
// is checked; pruning by the target's schema is left to the caller.
//
// Thread rule: thread-safe. Tasks go on on the executor that was given. Failure: an object is converted, or
// the whole call fails with kube-apiserver's words and no reason (HTTP 500).
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/metrics.h"
#include "annex/base/random.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/webhook.h"
#include "annex/json/value.h"
#include "annex/kube/webhook_caller.h"

#include <memory>
#include <string>
#include <vector>

namespace annex::conversion {

class WebhookConverter {
 public:
  // All references must outlive the converter.
  struct Parts {
    kube::WebhookCaller& caller;
    base::Random& random;
    const base::Clock& clock;
    base::Metrics& metrics;
  };
  explicit WebhookConverter(const Parts& parts);

  // The objects in `api_version` ("GROUP/VERSION"), in their order. One call for all that are of another
  // version; none if there is no such object. REQUIRES: objects have no resourceVersion.
  base::Task<base::Result<std::vector<json::Value>>> Convert(
      std::shared_ptr<const definition::Webhook> webhook, std::string api_version,
      std::vector<json::Value> objects, base::Executor& executor);

 private:
  void Observe(const char* failure, std::chrono::steady_clock::time_point begin);

  const Parts parts_;
  base::MetricFamily<base::Counter>& requests_;
  base::MetricFamily<base::Histogram>& durations_;
};

}  // namespace annex::conversion
