#include "request_metrics.h"

#include <array>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

const std::vector<double> kDurationBuckets = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0,
                                              1.25,  1.5,   2,    3,   4,   5,   6,   8,   10};
const std::vector<double> kSizeBuckets = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

std::string MetricVerb(const RequestInfo& info) {
  if (info.verb == "get") return "GET";
  if (info.verb == "list") return "LIST";
  if (info.verb == "watch") return "WATCH";
  if (info.verb == "create") return "POST";
  if (info.verb == "update") return "PUT";
  if (info.verb == "patch") return "PATCH";
  if (info.verb == "delete") return "DELETE";
  if (info.verb == "deletecollection") return "DELETECOLLECTION";
  return info.resource_request ? "other" : info.verb == "post" || info.verb == "put" ? "other" : "GET";
}

std::string ScopeOf(const RequestInfo& info) {
  if (!info.name.empty()) return "resource";
  return info.namespace_name.empty() ? "cluster" : "namespace";
}

}  // namespace

RequestMetrics::RequestMetrics(base::Metrics& metrics)
    : requests_(metrics.Counters(
          "apiserver_request_total",
          "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, "
          "scope, component, "
          "HTTP response code, and whether objects were selected by labels or by fields.",
          {"verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component", "code",
           "has_label_selector", "has_field_selector"})),
      durations_(metrics.Histograms(
          "apiserver_request_duration_seconds",
          "Response latency distribution in seconds for each verb, group, version, resource, "
          "subresource, scope and component, and whether objects were selected by labels or by fields.",
          {"verb", "group", "version", "resource", "subresource", "scope", "component", "has_label_selector",
           "has_field_selector"},
          kDurationBuckets)),
      sizes_(metrics.Histograms(
          "apiserver_response_sizes",
          "Response size distribution in bytes for each group, version, verb, resource, subresource, "
          "scope and component.",
          {"verb", "group", "version", "resource", "subresource", "scope", "component"}, kSizeBuckets)),
      inflight_(metrics.Gauges(
          "apiserver_current_inflight_requests",
          "Number of currently used inflight request limit of this apiserver per request kind.",
          {"request_kind"})),
      reading_(inflight_.With({"readOnly"})),
      mutating_(inflight_.With({"mutating"})) {}

void RequestMetrics::Count(const Answered& request) {
  const Series series = SeriesOf(request);
  series.requests->Increment();
  // A watch lasts as long as its client likes.
  if (request.info.verb == "watch") return;
  series.durations->Observe(request.duration.count());
  series.sizes->Observe(static_cast<double>(request.response_bytes));
}

RequestMetrics::Series RequestMetrics::SeriesOf(const Answered& request) {
  const RequestInfo& info = request.info;
  const bool resource = info.resource_request && request.known_resource;
  const bool subresource = resource && (info.subresource == "status" || info.subresource == "scale");
  const std::string verb = MetricVerb(info);
  const std::string code_text = std::to_string(request.code);
  const auto selects = [&](const char* parameter) {
    return resource && !request.query.Get(parameter).empty() ? "true" : "false";
  };
  const std::string scope = resource ? ScopeOf(info) : "";
  // The values of all labels, in the order of the counter's.
  const std::array<std::string_view, 10> values = {verb,
                                                   request.query.Has("dryRun") ? "All" : "",
                                                   resource ? info.group : std::string_view(),
                                                   resource ? info.version : std::string_view(),
                                                   resource ? info.resource : std::string_view(),
                                                   subresource ? info.subresource : std::string_view(),
                                                   scope,
                                                   code_text,
                                                   selects("labelSelector"),
                                                   selects("fieldSelector")};
  std::string key;
  key.reserve(128);
  for (const std::string_view value : values) key.append(value).push_back('\0');
  const base::MutexLock lock(mutex_);
  if (const auto known = series_.find(key); known != series_.end()) return known->second;

  const auto text = [&values](std::size_t i) { return std::string(values.at(i)); };
  const std::vector<std::string> labels = {text(0), text(2), text(3), text(4), text(5), text(6), "annex"};
  std::vector<std::string> selecting = labels;
  selecting.insert(selecting.end(), {text(8), text(9)});
  const Series made = {&requests_.With({text(0), text(1), text(2), text(3), text(4), text(5), text(6),
                                        "annex", text(7), text(8), text(9)}),
                       &durations_.With(selecting), &sizes_.With(labels)};
  return series_.emplace(std::move(key), made).first->second;
}

}  // namespace annex::api
