// Metrics in the Prometheus exposition format, under the names that dashboards for kube-apiserver use.
//
//   auto& requests = metrics.Counters("apiserver_request_total", "…help…", {"verb", "code"});
//   requests.With({"GET", "200"}).Increment();
//
// Thread rule: everything here is thread-safe. With() looks its series up under a lock (some 100 ns): keep
// the reference where the labels are fixed. Ownership: families and series live as long as their Metrics.
// Label values come from bounded sets only, never from what a client sent.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace annex::base {

class Counter {
 public:
  explicit Counter(prometheus::Counter& series) : series_(series) {}
  void Increment(double by = 1);

 private:
  prometheus::Counter& series_;
};

class Gauge {
 public:
  explicit Gauge(prometheus::Gauge& series) : series_(series) {}
  void Set(double value);
  void Add(double by);

 private:
  prometheus::Gauge& series_;
};

class Histogram {
 public:
  explicit Histogram(prometheus::Histogram& series) : series_(series) {}
  void Observe(double value);

 private:
  prometheus::Histogram& series_;
};

// All series of one metric name. `label_values` go with the family's label names, in their order.
template <typename Series>
class MetricFamily {
 public:
  virtual ~MetricFamily() = default;
  // REQUIRES: as many values as the family has label names.
  virtual Series& With(const std::vector<std::string>& label_values) = 0;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // REQUIRES: each name is registered once per Metrics.
  MetricFamily<Counter>& Counters(const std::string& name, const std::string& help,
                                  const std::vector<std::string>& label_names);
  MetricFamily<Gauge>& Gauges(const std::string& name, const std::string& help,
                              const std::vector<std::string>& label_names);
  MetricFamily<Histogram>& Histograms(const std::string& name, const std::string& help,
                                      const std::vector<std::string>& label_names,
                                      const std::vector<double>& buckets);

  // The text of /metrics: all families, and the process_* series of this process as of now.
  std::string Expose();

 private:
  class Registry;
  std::unique_ptr<Registry> registry_;
};

}  // namespace annex::base
