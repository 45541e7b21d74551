// The metrics of requests, under the names and labels of kube-apiserver
// (k8s.io/apiserver/pkg/endpoints/metrics).
#pragma once

#include "annex/base/metrics.h"
#include "context.h"

#include <chrono>
#include <string>

namespace annex::api {

class RequestMetrics {
 public:
  explicit RequestMetrics(base::Metrics& metrics);

  // Counts an answered request. `info` names a resource that exists, or is no resource request: label values
  // stay bounded.
  void Count(const RequestInfo& info, bool known_resource, bool dry_run, int code,
             std::chrono::duration<double> duration, std::size_t response_bytes);

  base::Gauge& InFlight(bool read_only) { return inflight_.With({read_only ? "readOnly" : "mutating"}); }

 private:
  base::MetricFamily<base::Counter>& requests_;
  base::MetricFamily<base::Histogram>& durations_;
  base::MetricFamily<base::Histogram>& sizes_;
  base::MetricFamily<base::Gauge>& inflight_;
};

}  // namespace annex::api
