#include "request_metrics.h"

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
          "and HTTP response code.",
          {"verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component", "code"})),
      durations_(metrics.Histograms(
          "apiserver_request_duration_seconds",
          "Response latency distribution in seconds for each verb, group, version, resource, "
          "subresource, scope and component.",
          {"verb", "group", "version", "resource", "subresource", "scope", "component"}, kDurationBuckets)),
      sizes_(metrics.Histograms(
          "apiserver_response_sizes",
          "Response size distribution in bytes for each group, version, verb, resource, subresource, "
          "scope and component.",
          {"verb", "group", "version", "resource", "subresource", "scope", "component"}, kSizeBuckets)),
      inflight_(metrics.Gauges(
          "apiserver_current_inflight_requests",
          "Number of currently used inflight request limit of this apiserver per request kind.",
          {"request_kind"})) {}

void RequestMetrics::Count(const RequestInfo& info, bool known_resource, bool dry_run, int code,
                           std::chrono::duration<double> duration, std::size_t response_bytes) {
  const std::string verb = MetricVerb(info);
  const bool resource = info.resource_request && known_resource;
  const std::string group = resource ? info.group : "";
  const std::string version = resource ? info.version : "";
  const std::string name = resource ? info.resource : "";
  const std::string subresource =
      resource && (info.subresource == "status" || info.subresource == "scale") ? info.subresource : "";
  const std::string scope = resource ? ScopeOf(info) : "";
  requests_
      .With({verb, dry_run ? "All" : "", group, version, name, subresource, scope, "annex",
             std::to_string(code)})
      .Increment();
  // A watch lasts as long as its client likes.
  if (info.verb == "watch") return;
  const std::vector<std::string> labels = {verb, group, version, name, subresource, scope, "annex"};
  durations_.With(labels).Observe(duration.count());
  sizes_.With(labels).Observe(static_cast<double>(response_bytes));
}

}  // namespace annex::api
