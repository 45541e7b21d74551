// The metrics of requests, under the names and labels of kube-apiserver
// (k8s.io/apiserver/pkg/endpoints/metrics).
#pragma once

#include "annex/base/metrics.h"
#include "annex/base/mutex.h"
#include "context.h"

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>

namespace annex::api {

class RequestMetrics {
 public:
  explicit RequestMetrics(base::Metrics& metrics);

  struct Answered {
    const RequestInfo& info;
    const QueryParameters& query;
    bool known_resource = false;  // `info` names a resource that exists: label values stay bounded
    int code = 0;
    std::chrono::duration<double> duration{0};
    std::size_t response_bytes = 0;
  };
  void Count(const Answered& request);

  // A request that is under way, for as long as this is there. A watch is until its answer begins.
  class UnderWay {
   public:
    explicit UnderWay(base::Gauge& gauge) : gauge_(gauge) { gauge_.Add(1); }
    ~UnderWay() { gauge_.Add(-1); }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    base::Gauge& gauge_;
  };
  UnderWay Begin(std::string_view method) {
    return UnderWay(method == "GET" || method == "HEAD" ? reading_ : mutating_);
  }

 private:
  struct Series {
    base::Counter* requests;
    base::Histogram* durations;
    base::Histogram* sizes;
  };
  // Made at their first use and then found by one key: three look-ups by lists of labels would cost more than
  // many a request.
  Series SeriesOf(const Answered& request);

  base::MetricFamily<base::Counter>& requests_;
  base::MetricFamily<base::Histogram>& durations_;
  base::MetricFamily<base::Histogram>& sizes_;
  base::MetricFamily<base::Gauge>& inflight_;
  base::Gauge& reading_;
  base::Gauge& mutating_;
  base::Mutex mutex_;
  std::unordered_map<std::string, Series> series_ ANNEX_GUARDED_BY(mutex_);
};

}  // namespace annex::api
