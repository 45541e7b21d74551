#include "annex/base/metrics.h"

#include "annex/base/check.h"
#include "annex/base/mutex.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

namespace annex::base {

void Counter::Increment(double by) {
  series_.Increment(by);
}
void Gauge::Set(double value) {
  series_.Set(value);
}
void Gauge::Add(double by) {
  series_.Increment(by);
}
void Histogram::Observe(double value) {
  series_.Observe(value);
}

namespace {

// Keeps the series by their label values: the library's own look-up builds a map of labels on each call.
template <typename Series, typename LibrarySeries>
class FamilyOf final : public MetricFamily<Series> {
 public:
  FamilyOf(prometheus::Family<LibrarySeries>& family, std::vector<std::string> label_names,
           std::vector<double> buckets)
      : family_(family), label_names_(std::move(label_names)), buckets_(std::move(buckets)) {}

  Series& With(const std::vector<std::string>& label_values) override {
    ANNEX_CHECK(label_values.size() == label_names_.size(), "a series needs a value for each label");
    const MutexLock lock(mutex_);
    auto& series = series_[label_values];
    if (!series) series = std::make_unique<Series>(Add(label_values));
    return *series;
  }

 private:
  LibrarySeries& Add(const std::vector<std::string>& label_values) {
    std::map<std::string, std::string> labels;
    for (std::size_t i = 0; i < label_names_.size(); ++i) labels.emplace(label_names_[i], label_values[i]);
    if constexpr (std::is_same_v<LibrarySeries, prometheus::Histogram>) {
      return family_.Add(labels, buckets_);
    } else {
      return family_.Add(labels);
    }
  }

  prometheus::Family<LibrarySeries>& family_;
  const std::vector<std::string> label_names_;
  const std::vector<double> buckets_;
  Mutex mutex_;
  std::map<std::vector<std::string>, std::unique_ptr<Series>> series_ ANNEX_GUARDED_BY(mutex_);
};

double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double OpenFileDescriptors() {
  std::error_code error;
  double count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace

class Metrics::Registry {
 public:
  Registry() {
    start_time_->Set(static_cast<double>(
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count()));
  }

  void RefreshProcess() {
    resident_->Set(ResidentBytes());
    open_files_->Set(OpenFileDescriptors());
    const double cpu = CpuSeconds();
    const MutexLock lock(mutex_);
    cpu_->Increment(cpu - cpu_counted_);
    cpu_counted_ = cpu;
  }

  prometheus::Registry library;
  Mutex mutex_;
  std::vector<std::unique_ptr<MetricFamily<Counter>>> counters ANNEX_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<MetricFamily<Gauge>>> gauges ANNEX_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<MetricFamily<Histogram>>> histograms ANNEX_GUARDED_BY(mutex_);

 private:
  prometheus::Gauge* NewGauge(const std::string& name, const std::string& help) {
    return &prometheus::BuildGauge().Name(name).Help(help).Register(library).Add({});
  }

  double cpu_counted_ ANNEX_GUARDED_BY(mutex_) = 0;
  prometheus::Counter* cpu_ = &prometheus::BuildCounter()
                                   .Name("process_cpu_seconds_total")
                                   .Help("Total user and system CPU time spent in seconds.")
                                   .Register(library)
                                   .Add({});
  prometheus::Gauge* resident_ = NewGauge("process_resident_memory_bytes", "Resident memory size in bytes.");
  prometheus::Gauge* open_files_ = NewGauge("process_open_fds", "Number of open file descriptors.");
  prometheus::Gauge* start_time_ =
      NewGauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.");
};

Metrics::Metrics() : registry_(std::make_unique<Registry>()) {}
Metrics::~Metrics() = default;

MetricFamily<Counter>& Metrics::Counters(const std::string& name, const std::string& help,
                                         const std::vector<std::string>& label_names) {
  auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry_->library);
  const MutexLock lock(registry_->mutex_);
  return *registry_->counters.emplace_back(
      std::make_unique<FamilyOf<Counter, prometheus::Counter>>(family, label_names, std::vector<double>{}));
}

MetricFamily<Gauge>& Metrics::Gauges(const std::string& name, const std::string& help,
                                     const std::vector<std::string>& label_names) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(registry_->library);
  const MutexLock lock(registry_->mutex_);
  return *registry_->gauges.emplace_back(
      std::make_unique<FamilyOf<Gauge, prometheus::Gauge>>(family, label_names, std::vector<double>{}));
}

MetricFamily<Histogram>& Metrics::Histograms(const std::string& name, const std::string& help,
                                             const std::vector<std::string>& label_names,
                                             const std::vector<double>& buckets) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry_->library);
  const MutexLock lock(registry_->mutex_);
  return *registry_->histograms.emplace_back(
      std::make_unique<FamilyOf<Histogram, prometheus::Histogram>>(family, label_names, buckets));
}

std::string Metrics::Expose() {
  registry_->RefreshProcess();
  return prometheus::TextSerializer().Serialize(registry_->library.Collect());
}

}  // namespace annex::base
