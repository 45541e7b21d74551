// What the doctor makes of what it reads.
#include "annex/auth/certificate_authority.h"
#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "server/doctor/apiservices.h"
#include "server/doctor/control_plane.h"
#include "server/doctor/definitions.h"
#include "server/doctor/findings.h"
#include "server/doctor/installation.h"
#include "server/doctor/kinds.h"
#include "server/doctor/metrics_text.h"
#include "server/doctor/rights.h"
#include "support/manual_clock.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::server::doctor {
namespace {

using json::Value;

Value Parse(const std::string& text) {
  return json::Parse(text).value();
}

// The level of the last finding, if its message has the text.
std::string LevelOf(const Findings& findings, const std::string& text) {
  const auto& all = findings.all();
  if (all.empty()) return "none";
  const Value last = findings.ToJson().back();
  if (json::TextAt(last, {"message"}).find(text) == std::string::npos) return json::TextAt(last, {"message"});
  return json::TextAt(last, {"level"});
}

Value Pod(const std::string& status) {
  return Parse(
      R"({"items":[{"metadata":{"name":"annex-1"},"spec":{"serviceAccountName":"keeper","containers":[
    {"args":["serve","--adopt","--owner-cluster-role=owner","--ca-secret=annex-ca"]}]},"status":)" +
      status + "}]}");
}

Value ApiService(const std::string& group, const std::string& service, const std::string& condition) {
  return Parse(R"({"metadata":{"name":"v1.)" + group +
               R"(","labels":{"app.kubernetes.io/managed-by":"annex"}},
    "spec":{"group":")" +
               group + R"(","service":{"namespace":"annex-system","name":")" + service +
               R"("}},"status":{"conditions":[)" + condition + "]}}");
}

}  // namespace

TEST_CASE("a cluster's version is compared by its number", "[server][doctor]") {
  Findings findings;
  JudgeVersion(Parse(R"({"major":"1","minor":"34","gitVersion":"v1.34.4"})"), "https://a", findings);
  CHECK(LevelOf(findings, "v1.34.4 at https://a") == "ok");
  JudgeVersion(Parse(R"({"major":"1","minor":"30+","gitVersion":"v1.30.9-eks"})"), "https://a", findings);
  CHECK(LevelOf(findings, "v1.30.9-eks") == "ok");
  JudgeVersion(Parse(R"({"major":"1","minor":"29","gitVersion":"v1.29.0"})"), "https://a", findings);
  CHECK(LevelOf(findings, "is too old") == "error");
}

TEST_CASE("an aggregation layer needs to say how it names users", "[server][doctor]") {
  Findings findings;
  JudgeAggregation(Parse(R"({"data":{"client-ca-file":"x","requestheader-client-ca-file":"x",
    "requestheader-group-headers":"x","requestheader-extra-headers-prefix":"x"}})"),
                   findings);
  CHECK(LevelOf(findings, "lacks requestheader-username-headers") == "error");
}

TEST_CASE("several kube-apiservers keep from adopting", "[server][doctor]") {
  Findings findings;
  JudgeServers(Parse(R"({"endpoints":[{"addresses":["10.0.0.1"]},{"addresses":["10.0.0.2"]}]})"), findings);
  CHECK(LevelOf(findings, "there are 2 kube-apiservers") == "warning");
  JudgeServers(Value::object(), findings);
  CHECK(LevelOf(findings, "one kube-apiserver") == "ok");
}

TEST_CASE("a pod tells how Annex was started, and why it is not ready", "[server][doctor]") {
  const Value pods = Pod(R"({"containerStatuses":[{"restartCount":2,"state":{"waiting":
    {"reason":"ImagePullBackOff","message":"no such image"}}}],"conditions":[{"type":"Ready","status":"False"}]})");
  const Installation installation = ReadInstallation(pods["items"][0]);
  CHECK(installation.adopts);
  CHECK(installation.service_account == "keeper");
  CHECK(installation.owner_cluster_role == "owner");
  CHECK(installation.ca_secret == "annex-ca");

  Findings findings;
  JudgePods(pods, "annex-system", findings);
  CHECK(LevelOf(findings, "annex-1 is not ready: ImagePullBackOff no such image") == "error");
  JudgePods(Pod(R"({"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",
    "message":"unbound PersistentVolumeClaims"}]})"),
            "annex-system", findings);
  CHECK(LevelOf(findings, "Unschedulable unbound PersistentVolumeClaims") == "error");
  JudgePods(Pod(R"({"conditions":[{"type":"Ready","status":"True"}]})"), "annex-system", findings);
  CHECK(LevelOf(findings, "annex-1 is ready") == "ok");
  JudgePods(Parse(R"({"items":[]})"), "annex-system", findings);
  CHECK(LevelOf(findings, "no pod") == "error");
}

TEST_CASE("a Deployment of two is one too many", "[server][doctor]") {
  Findings findings;
  JudgeDeployments(Parse(R"({"items":[{"metadata":{"name":"annex"},"spec":{"replicas":2}}]})"), findings);
  CHECK(LevelOf(findings, "has 2 replicas") == "error");
  JudgeDeployments(Parse(R"({"items":[{"metadata":{"name":"annex"},"spec":{"replicas":1},
    "status":{"conditions":[{"type":"ReplicaFailure","status":"True","message":"exceeded quota"}]}}]})"),
                   findings);
  CHECK(LevelOf(findings, "exceeded quota") == "error");
  JudgeEndpoints(
      Parse(R"({"items":[{"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":false}}]}]})"), "a/b",
      findings);
  CHECK(LevelOf(findings, "a/b has no endpoint") == "error");
}

TEST_CASE("APIServices that lead to Annex are available, or it is said why not", "[server][doctor]") {
  const std::string fine = R"({"type":"Available","status":"True"})";
  const std::string broken =
      R"({"type":"Available","status":"False","reason":"FailedDiscoveryCheck","message":"connection refused"})";
  Findings findings;
  const std::string annex = "annex-system/annex";
  Installation installed;
  installed.found = true;
  const Value list = {{"items",
                       {ApiService("a.com", "annex", fine), ApiService("b.com", "annex", broken),
                        ApiService("c.com", "other", fine), Parse(R"({"spec":{"group":"d.com"}})")}}};
  const Routing routing = JudgeApiServices(list, annex, installed, findings);
  CHECK(routing.LeadsToAnnex("a.com"));
  CHECK(routing.LeadsToAnnex("b.com"));
  CHECK_FALSE(routing.LeadsToAnnex("c.com"));
  CHECK(routing.services.at("c.com") == "annex-system/other");
  CHECK_FALSE(routing.services.contains("d.com"));
  REQUIRE(findings.all().size() == 2);
  CHECK(findings.all()[0].message.find(
            "v1.b.com is not available: FailedDiscoveryCheck connection refused") != std::string::npos);
  CHECK(findings.all()[0].remedy.find("host-network") != std::string::npos);
  CHECK(LevelOf(findings, "for 1 groups and versions") == "ok");

  // Nobody is at home any more.
  JudgeApiServices({{"items", {ApiService("c.com", "other", fine)}}}, annex, Installation(), findings);
  CHECK(LevelOf(findings, "v1.c.com of an Annex leads to annex-system/other") == "error");
}

TEST_CASE("a CA bundle holds as long as its last certificate", "[server][doctor]") {
  const test::ManualClock clock;
  const auto now = clock.Now();
  using std::chrono::hours;
  const auto year = auth::CertificateAuthority::Make("a", hours(24 * 365), now)->pem().certificate;
  const auto week = auth::CertificateAuthority::Make("b", hours(24 * 7), now)->pem().certificate;
  Findings findings;
  JudgeCaBundle(week + year, now, findings);
  CHECK(LevelOf(findings, "holds until 2028-01-15") == "ok");
  JudgeCaBundle(week, now, findings);
  CHECK(LevelOf(findings, "ends at 2027-01-22") == "warning");
  JudgeCaBundle(week, now + hours(24 * 8), findings);
  CHECK(LevelOf(findings, "ended at") == "error");
  JudgeCaBundle("", now, findings);
  CHECK(LevelOf(findings, "no CA bundle") == "error");
}

TEST_CASE("adoptions are told by what is wrong with them", "[server][doctor]") {
  const auto definition = [](const std::string& name, const std::string& condition) {
    return Parse(R"({"metadata":{"name":")" + name + R"(","labels":{"annex.dev/serve":"true"}},
      "status":{"conditions":[)" +
                 condition + "]}}");
  };
  const auto condition = [](const std::string& status, const std::string& reason) {
    return R"({"type":"annex.dev/Adopted","message":"so it is","status":")" + status + R"(","reason":")" +
           reason + "\"}";
  };
  Installation installation;
  installation.found = installation.has_pod = installation.adopts = true;
  const auto judge = [&](const Value& one) {
    Findings findings;
    DefinitionsSeen seen;
    JudgeAdoptions({one}, installation, seen, findings);
    return findings;
  };
  CHECK(LevelOf(judge(definition("a.b.com", "")), "no Annex took it up") == "warning");
  CHECK(LevelOf(judge(definition("a.b.com", condition("False", "Blocked"))), "so it is") == "warning");
  CHECK(LevelOf(judge(definition("a.b.com", condition("False", "Failed"))), "so it is") == "error");
  CHECK(judge(definition("a.b.com", condition("False", "Copying"))).all().empty());
  const Value served = definition("a.b.com", condition("True", "Served"));
  CHECK(LevelOf(judge(served), "serves 1 of") == "ok");
  installation.adopts = false;
  CHECK(LevelOf(judge(served), "without --adopt") == "error");
  installation = {};
  CHECK(LevelOf(judge(served), "not installed") == "error");
}

TEST_CASE("guards and definitions that nobody needs are noticed", "[server][doctor]") {
  DefinitionsSeen seen;
  seen.names = {"a.served.com", "a.asking.com", "a.hidden.com", "a.native.com"};
  seen.served = {"served.com"};
  seen.asking = {"asking.com"};
  Findings guards;
  const Value policies = Parse(R"({"items":[{"metadata":{"name":"served.com.adopted.annex.dev"}},
    {"metadata":{"name":"asking.com.adopted.annex.dev"}},{"metadata":{"name":"gone.com.adopted.annex.dev"}},
    {"metadata":{"name":"back.com.owners.annex.dev"}},{"metadata":{"name":"another.com"}}]})");
  JudgeGuards(policies, seen, guards);
  REQUIRE(guards.all().size() == 2);
  CHECK(guards.all()[0].message.find("gone.com") != std::string::npos);
  CHECK(LevelOf(guards, "back.com") == "warning");

  Routing routing;
  routing.annex = "annex-system/annex";
  for (const char* group : {"served.com", "asking.com", "hidden.com"})
    routing.services[group] = routing.annex;
  Findings hidden;
  JudgeHidden(seen, routing, hidden);
  REQUIRE(hidden.all().size() == 1);
  CHECK(LevelOf(hidden, "a.hidden.com") == "warning");
}

TEST_CASE("the rights asked about follow from how Annex was started", "[server][doctor]") {
  const auto has = [](const std::vector<Right>& rights, const std::string& resource,
                      const std::string& name) {
    return std::any_of(rights.begin(), rights.end(),
                       [&](const Right& right) { return right.resource == resource && right.name == name; });
  };
  Installation installation;
  CHECK_FALSE(has(RightsToServe(installation, "ns"), "secrets", ""));
  installation.ca_secret = "annex-ca";
  installation.owner_cluster_role = "annex";
  CHECK(has(RightsToServe(installation, "ns"), "secrets", "annex-ca"));
  CHECK(has(RightsToServe(installation, "ns"), "clusterroles", "annex"));
  const auto rights = RightsToAdopt({"example.com"}, "ns");
  CHECK(rights.back().group == "example.com");
  CHECK(rights.back().resource == "*");
  CHECK(RightsToChange({"example.com"}).back().verbs.front() == "create");
}

TEST_CASE("sizes are read off kube-apiserver's metrics", "[server][doctor]") {
  const StorageMetrics metrics = ReadStorageMetrics(
      "# HELP apiserver_storage_objects x\n"
      "apiserver_storage_objects{resource=\"widgets.example.com\"} 12\n"
      "apiserver_storage_objects{resource=\"broken.example.com\"} -1\n"
      "apiserver_resource_objects{group=\"\",resource=\"pods\"} 3\n"
      "apiserver_resource_objects{group=\"example.com\",resource=\"parts\"} 1e+06\n"
      "apiserver_resource_size_estimate_bytes{group=\"example.com\",resource=\"parts\"} 2.5e+09\n"
      "apiserver_storage_size_bytes{storage_cluster_id=\"etcd-0\"} 565248\n"
      "apiserver_request_total{code=\"200\",resource=\"pods\"} 7\n"
      "no number\n");
  using Numbers = std::map<std::string, std::int64_t>;
  CHECK(metrics.objects == Numbers{{"widgets.example.com", 12}, {"pods", 3}, {"parts.example.com", 1000000}});
  CHECK(metrics.bytes == Numbers{{"parts.example.com", 2500000000}});
  CHECK(metrics.database_bytes == 565248);
}

TEST_CASE("the largest kinds are measured first", "[server][doctor]") {
  StorageMetrics metrics;
  metrics.objects = {{"many", 1000}, {"large", 5}, {"few", 2}};
  metrics.bytes = {{"large", 1 << 20}};
  using Names = std::vector<std::string>;
  CHECK(ChooseKinds({"few", "many", "unknown", "large"}, metrics, 3) == Names{"large", "many", "few"});
}

TEST_CASE("a finding and its remedy stand under each other", "[server][doctor]") {
  Findings findings;
  findings.Ok("cluster", "fine");
  findings.Fail("rights", "lacks some", "give them");
  std::ostringstream out;
  findings.Print(out);
  CHECK(out.str() ==
        "ok        cluster   fine\n"
        "error     rights    lacks some\n"
        "                    -> give them\n");
  CHECK(findings.HasError());
}

}  // namespace annex::server::doctor
