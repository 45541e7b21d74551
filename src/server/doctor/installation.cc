#include "installation.h"

#include "annex/base/strings.h"
#include "annex/source/cluster_call.h"

#include <string_view>
#include <utility>
#include <vector>

namespace annex::server::doctor {
namespace {

using json::Value;

constexpr const char* kInstall = "kubectl apply -k manifests/files, or manifests/adopt";

std::string SelectorQuery(const Value& service) {
  std::vector<std::string> terms;
  if (const Value* selector = json::FindPath(service, {"spec", "selector"});
      selector != nullptr && selector->is_object()) {
    for (const auto& [key, value] : selector->items())
      terms.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
  }
  return terms.empty() ? "" : "?labelSelector=" + kube::EscapeQuery(base::Join(terms, ","));
}

const Value* FindConditionOf(const Value& object, std::string_view type) {
  for (const Value& condition : json::ItemsAt(object, {"status", "conditions"})) {
    if (json::TextAt(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

bool IsTrue(const Value* condition) {
  return condition != nullptr && json::TextAt(*condition, {"status"}) == "True";
}

// Why a pod is not ready, in the words of who knows best: a container that waits, or a condition.
std::string WhyNotReady(const Value& pod) {
  for (const Value& container : json::ItemsAt(pod, {"status", "containerStatuses"})) {
    if (const Value* waiting = json::FindPath(container, {"state", "waiting"})) {
      return json::TextAt(*waiting, {"reason"}) + " " + json::TextAt(*waiting, {"message"});
    }
  }
  for (const char* type : {"PodScheduled", "ContainersReady", "Ready"}) {
    const Value* condition = FindConditionOf(pod, type);
    if (condition != nullptr && !IsTrue(condition))
      return json::TextAt(*condition, {"reason"}) + " " + json::TextAt(*condition, {"message"});
  }
  return json::TextAt(pod, {"status", "phase"});
}

std::int64_t RestartsOf(const Value& pod) {
  std::int64_t restarts = 0;
  for (const Value& container : json::ItemsAt(pod, {"status", "containerStatuses"}))
    restarts += json::IntegerAt(container, {"restartCount"});
  return restarts;
}

base::Task<base::Result<Value>> ListOf(Visit& visit, std::string path) {
  co_return co_await source::GetFromCluster(visit.client, std::move(path), visit.executor);
}

base::Task<void> ExamineWorkload(Visit& visit, std::string query, Installation& installation) {
  std::string path = "/apis/apps/v1/namespaces/" + visit.service_namespace + "/deployments" + query;
  const auto deployments = co_await ListOf(visit, std::move(path));
  if (deployments) {
    JudgeDeployments(*deployments, visit.findings);
  } else {
    visit.findings.CannotSee("deployment", deployments.error());
  }
  path = "/api/v1/namespaces/" + visit.service_namespace + "/pods" + query;
  const auto pods = co_await ListOf(visit, std::move(path));
  if (!pods) co_return visit.findings.CannotSee("pods", pods.error());
  JudgePods(*pods, visit.service_namespace, visit.findings);
  const auto& items = json::ItemsAt(*pods, {"items"});
  if (!items.empty()) installation = ReadInstallation(items.back());
}

base::Task<void> ExamineEndpoints(Visit& visit) {
  std::string path = "/apis/discovery.k8s.io/v1/namespaces/" + visit.service_namespace +
                     "/endpointslices?labelSelector=" +
                     kube::EscapeQuery("kubernetes.io/service-name=" + visit.service_name);
  const auto slices = co_await ListOf(visit, std::move(path));
  if (!slices) co_return visit.findings.CannotSee("endpoints", slices.error());
  JudgeEndpoints(*slices, visit.ServiceText(), visit.findings);
}

}  // namespace

Installation ReadInstallation(const Value& pod) {
  Installation installation;
  installation.found = true;
  installation.has_pod = true;
  const std::string& account = json::TextAt(pod, {"spec", "serviceAccountName"});
  if (!account.empty()) installation.service_account = account;
  for (const Value& container : json::ItemsAt(pod, {"spec", "containers"})) {
    for (const Value& item : json::ItemsAt(container, {"args"})) {
      if (!item.is_string()) continue;
      const std::string_view argument = item.get_ref<const std::string&>();
      const std::string value(argument.substr(argument.find('=') + 1));
      if (argument == "--adopt") installation.adopts = true;
      if (argument.starts_with("--owner-cluster-role=")) installation.owner_cluster_role = value;
      if (argument.starts_with("--ca-secret=")) installation.ca_secret = value;
    }
  }
  return installation;
}

void JudgePods(const Value& pods, const std::string& service_namespace, Findings& findings) {
  const auto& items = json::ItemsAt(pods, {"items"});
  if (items.empty())
    findings.Fail("pods", "no pod runs Annex",
                  "look at the Deployment's conditions and its ReplicaSet's events");
  for (const Value& pod : items) {
    const std::string& name = json::TextAt(pod, {"metadata", "name"});
    const std::int64_t restarts = RestartsOf(pod);
    if (IsTrue(FindConditionOf(pod, "Ready"))) {
      findings.Ok("pods", "the pod " + name + " is ready, with " + std::to_string(restarts) + " restarts");
    } else if (json::FindPath(pod, {"metadata", "deletionTimestamp"}) == nullptr) {
      findings.Fail(
          "pods", "the pod " + name + " is not ready: " + WhyNotReady(pod),
          base::Join({"kubectl describe pod -n", service_namespace, name + ", and kubectl logs"}, " "));
    }
  }
}

void JudgeDeployments(const Value& deployments, Findings& findings) {
  for (const Value& deployment : json::ItemsAt(deployments, {"items"})) {
    const std::string& name = json::TextAt(deployment, {"metadata", "name"});
    const std::int64_t replicas = json::IntegerAt(deployment, {"spec", "replicas"}, 1);
    if (replicas != 1) {
      findings.Fail("deployment",
                    "the Deployment " + name + " has " + std::to_string(replicas) +
                        " replicas, and one process can use the database",
                    "kubectl scale deployment " + name + " --replicas=1");
    }
    const Value* failure = FindConditionOf(deployment, "ReplicaFailure");
    if (IsTrue(failure)) {
      findings.Fail("deployment",
                    "the Deployment " + name + " cannot make its pod: " + json::TextAt(*failure, {"message"}),
                    "see what refuses it: a quota, a policy, Pod Security");
    } else if (replicas == 1) {
      findings.Ok(
          "deployment",
          "the Deployment " + name + " runs the image " +
              json::TextAt(json::ItemsAt(deployment, {"spec", "template", "spec", "containers"}).at(0),
                           {"image"}));
    }
  }
}

void JudgeEndpoints(const Value& slices, const std::string& service, Findings& findings) {
  std::size_t addresses = 0;
  for (const Value& slice : json::ItemsAt(slices, {"items"})) {
    for (const Value& endpoint : json::ItemsAt(slice, {"endpoints"})) {
      if (json::FlagAt(endpoint, {"conditions", "ready"}))
        addresses += json::ItemsAt(endpoint, {"addresses"}).size();
    }
  }
  if (addresses > 0) return findings.Ok("endpoints", "the Service " + service + " leads to a pod");
  findings.Fail("endpoints", "the Service " + service + " has no endpoint",
                "see that its selector fits the pod's labels, and that the pod is there");
}

base::Task<Installation> ExamineInstallation(Visit& visit) {
  Installation installation;
  std::string path = "/api/v1/namespaces/" + visit.service_namespace + "/services/" + visit.service_name;
  const auto service = co_await source::GetFromCluster(visit.client, std::move(path), visit.executor);
  if (!service && service.error().reason == base::Reason::kNotFound) {
    visit.findings.Warn(
        "service", "Annex is not installed: there is no Service " + visit.ServiceText(),
        std::string(kInstall) + "; if it is elsewhere, name it with --service-namespace and --service-name");
    co_return installation;
  }
  installation.found = true;
  if (!service) {
    visit.findings.CannotSee("service", service.error());
    co_return installation;
  }
  std::string query = SelectorQuery(*service);
  if (query.empty()) {
    visit.findings.Ok("service", "the Service " + visit.ServiceText() +
                                     " leads to an Annex that is none of the cluster's pods");
    co_return installation;
  }
  visit.findings.Ok("service", "the Service " + visit.ServiceText() + " selects pods");
  co_await ExamineWorkload(visit, std::move(query), installation);
  co_await ExamineEndpoints(visit);
  if (installation.has_pod) {
    visit.findings.Ok("adoption", installation.adopts
                                      ? "Annex adopts groups of the cluster's definitions that ask for it"
                                      : "Annex does not adopt, as it was started without --adopt");
  }
  co_return installation;
}

}  // namespace annex::server::doctor
