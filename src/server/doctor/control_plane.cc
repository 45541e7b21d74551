#include "control_plane.h"

#include "annex/base/strings.h"
#include "annex/source/cluster_call.h"

#include <utility>
#include <vector>

namespace annex::server::doctor {
namespace {

using json::Value;

// What Annex and its manifests use is there from this version on: ValidatingAdmissionPolicy, preStop.sleep.
constexpr std::uint64_t kOldestMinor = 30;

constexpr const char* kAuthentication =
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
constexpr const char* kEndpoints = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
// Without these nobody can tell whom kube-apiserver speaks for.
constexpr const char* kProxyKeys[] = {"requestheader-client-ca-file", "requestheader-username-headers",
                                      "requestheader-group-headers", "requestheader-extra-headers-prefix"};

// "34" of "34+", as some vendors write it.
std::uint64_t Number(const std::string& text) {
  return base::ParseUint64(text.substr(0, text.find_first_not_of("0123456789"))).value_or(0);
}

}  // namespace

void JudgeVersion(const Value& version, const std::string& server, Findings& findings) {
  const std::string& name = json::TextAt(version, {"gitVersion"});
  const bool new_enough = Number(json::TextAt(version, {"major"})) > 1 ||
                          Number(json::TextAt(version, {"minor"})) >= kOldestMinor;
  if (new_enough) return findings.Ok("cluster", "Kubernetes " + name + " at " + server);
  findings.Fail("cluster", "Kubernetes " + name + " at " + server + " is too old for Annex",
                "upgrade it to 1." + std::to_string(kOldestMinor) + " or newer");
}

void JudgeAggregation(const Value& authentication, Findings& findings) {
  std::vector<std::string> missing;
  for (const char* key : kProxyKeys) {
    if (json::TextAt(authentication, {"data", key}).empty()) missing.emplace_back(key);
  }
  if (missing.empty()) return findings.Ok("aggregation", "kube-apiserver's aggregation layer is configured");
  findings.Fail("aggregation",
                "kube-apiserver's aggregation layer is not configured: the ConfigMap "
                "kube-system/extension-apiserver-authentication lacks " +
                    base::Join(missing, ", "),
                "start kube-apiserver with --requestheader-* and --proxy-client-* flags "
                "(https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/)");
}

void JudgeServers(const Value& endpoints, Findings& findings) {
  std::size_t servers = 0;
  for (const Value& endpoint : json::ItemsAt(endpoints, {"endpoints"}))
    servers += json::ItemsAt(endpoint, {"addresses"}).size();
  if (servers <= 1) return findings.Ok("servers", "there is one kube-apiserver");
  findings.Warn("servers",
                "there are " + std::to_string(servers) +
                    " kube-apiservers; Annex serves behind all of them, but adopts from one alone",
                "serve definitions from files, or adopt while one kube-apiserver runs");
}

base::Task<bool> ExamineControlPlane(Visit& visit) {
  std::string target = "/version";
  const auto version = co_await source::GetFromCluster(visit.client, std::move(target), visit.executor);
  if (!version) {
    visit.findings.Fail("cluster", version.error().message,
                        "see that --kubeconfig and --context name the cluster, and that it runs");
    co_return false;
  }
  JudgeVersion(*version, visit.server, visit.findings);
  target = kAuthentication;
  const auto authentication =
      co_await source::GetFromCluster(visit.client, std::move(target), visit.executor);
  if (authentication) {
    JudgeAggregation(*authentication, visit.findings);
  } else if (authentication.error().reason == base::Reason::kNotFound) {
    JudgeAggregation(Value::object(), visit.findings);
  } else {
    visit.findings.CannotSee("aggregation", authentication.error());
  }
  target = kEndpoints;
  const auto endpoints = co_await source::GetFromCluster(visit.client, std::move(target), visit.executor);
  if (endpoints || endpoints.error().reason == base::Reason::kNotFound) {
    JudgeServers(endpoints ? *endpoints : Value::object(), visit.findings);
  } else {
    visit.findings.CannotSee("servers", endpoints.error());
  }
  co_return true;
}

}  // namespace annex::server::doctor
