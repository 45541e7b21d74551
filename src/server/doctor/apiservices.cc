#include "apiservices.h"

#include "annex/auth/certificate_authority.h"
#include "annex/base/strings.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace annex::server::doctor {
namespace {

using json::Value;

constexpr std::chrono::hours kSoon{30 * 24};
constexpr std::string_view kPemBegin = "-----BEGIN CERTIFICATE-----";

std::string ServiceOf(const Value& api_service) {
  const Value* service = json::FindPath(api_service, {"spec", "service"});
  if (service == nullptr || service->is_null()) return "";
  return json::TextAt(*service, {"namespace"}) + "/" + json::TextAt(*service, {"name"});
}

const Value* Availability(const Value& api_service) {
  for (const Value& condition : json::ItemsAt(api_service, {"status", "conditions"})) {
    if (json::TextAt(condition, {"type"}) == "Available") return &condition;
  }
  return nullptr;
}

// What helps, by why kube-apiserver cannot reach Annex.
std::string RemedyOf(const std::string& reason, const std::string& message) {
  if (message.find("x509") != std::string::npos || message.find("certificate") != std::string::npos)
    return "Annex brings the CA bundle in order within minutes while it runs; see its log";
  if (reason == "ServiceNotFound") return "install Annex again, or delete the APIService";
  if (reason == "EndpointsNotFound" || reason == "MissingEndpoints")
    return "see why no pod of Annex is ready";
  return "see that kube-apiserver can reach the pod: manifests/options has host-network and port-10250 for "
         "networks in which it cannot";
}

// True if it works.
bool JudgeApiService(const Value& api_service, Findings& findings) {
  const std::string& name = json::TextAt(api_service, {"metadata", "name"});
  if (json::FlagAt(api_service, {"spec", "insecureSkipTLSVerify"})) {
    findings.Warn("tls", "the APIService " + name + " lets kube-apiserver trust any certificate",
                  "take insecureSkipTLSVerify away, and Annex puts its CA bundle there");
  }
  const Value* available = Availability(api_service);
  if (available != nullptr && json::TextAt(*available, {"status"}) == "True") return true;
  const std::string reason = available == nullptr ? "" : json::TextAt(*available, {"reason"});
  const std::string message =
      available == nullptr ? "kube-apiserver did not look yet" : json::TextAt(*available, {"message"});
  findings.Fail("apiservices", "the APIService " + name + " is not available: " + reason + " " + message,
                RemedyOf(reason, message));
  return false;
}

bool IsLeftOver(const Value& api_service, const Installation& installation) {
  return !installation.found && json::TextAt(api_service, {"metadata", "labels", source::kManagedByLabel}) ==
                                    source::kManagedByAnnex;
}

// The bundles of those that lead to Annex; one, if all is well.
std::set<std::string> BundlesOf(const Value& list, const std::string& annex) {
  std::set<std::string> bundles;
  for (const Value& item : json::ItemsAt(list, {"items"})) {
    if (ServiceOf(item) == annex)
      bundles.insert(base::Base64Decode(json::TextAt(item, {"spec", "caBundle"})).value_or(""));
  }
  return bundles;
}

// Beside Annex its certificate is seen; from elsewhere it is kube-apiserver that says whether it fits.
base::Task<void> ExamineCertificate(Visit& visit, std::string bundle) {
  kube::Config config;
  config.server = "https://" + visit.service_name + "." + visit.service_namespace + ".svc:443";
  config.certificate_authority = std::move(bundle);
  const std::string server = config.server;
  const auto client = kube::Client::Make(std::move(config));
  if (!client) co_return visit.findings.CannotSee("tls", client.error());
  kube::Client::Call call;
  call.method = "GET";
  call.target = "/livez";
  const auto answer = co_await (*client)->Fetch(std::move(call), visit.executor);
  if (answer) co_return visit.findings.Ok("tls", "the CA bundle verifies the certificate of " + server);
  const std::string& why = answer.error().message;
  if (why.find("verify failed") != std::string::npos) {
    visit.findings.Fail("tls", "the CA bundle does not verify the certificate of " + server + ": " + why,
                        "see Annex's log for its certificates");
  } else {
    visit.findings.Warn("tls", server + " cannot be reached from here: " + why,
                        "see that the cluster's DNS works; kube-apiserver does without");
  }
}

}  // namespace

Routing JudgeApiServices(const Value& list, const std::string& annex, const Installation& installation,
                         Findings& findings) {
  Routing routing;
  routing.annex = annex;
  std::size_t fine = 0;
  std::set<std::string> shared;
  for (const Value& item : json::ItemsAt(list, {"items"})) {
    const std::string service = ServiceOf(item);
    if (service.empty()) continue;
    const std::string& group = json::TextAt(item, {"spec", "group"});
    const auto [place, first] = routing.services.emplace(group, service);
    if (!first && place->second != service) shared.insert(group);
    if (service == routing.annex) {
      place->second = service;
      if (JudgeApiService(item, findings)) ++fine;
    } else if (IsLeftOver(item, installation)) {
      const std::string& name = json::TextAt(item, {"metadata", "name"});
      findings.Fail("apiservices",
                    base::Join({"the APIService", name, "of an Annex leads to",
                                service + ", and Annex is not at", routing.annex},
                               " "),
                    "name its place with --service-namespace and --service-name, or kubectl delete "
                    "apiservice " +
                        name);
    }
  }
  for (const std::string& group : shared) {
    if (!routing.LeadsToAnnex(group)) continue;
    findings.Warn("apiservices", "versions of the group " + group + " are served by several servers",
                  "delete the APIServices that lead elsewhere, if Annex shall serve them all");
  }
  if (fine > 0) {
    findings.Ok("apiservices",
                "kube-apiserver reaches Annex for " + std::to_string(fine) + " groups and versions");
  }
  return routing;
}

void JudgeCaBundle(const std::string& bundle, std::chrono::system_clock::time_point now, Findings& findings) {
  // Around a change of authorities there are two, and one of them is near its end.
  std::optional<std::chrono::system_clock::time_point> last;
  for (std::size_t at = bundle.find(kPemBegin); at != std::string::npos;
       at = bundle.find(kPemBegin, at + kPemBegin.size())) {
    const auto facts = auth::ReadCertificate(bundle.substr(at));
    if (facts) last = last ? std::max(*last, facts->expires) : facts->expires;
  }
  if (!last) {
    findings.Fail("tls",
                  "an APIService has no CA bundle that can be read, so kube-apiserver cannot verify Annex",
                  "see Annex's log: it writes the bundle itself");
  } else if (*last < now) {
    findings.Fail(
        "tls", "the CA bundle of an APIService ended at " + base::Rfc3339(*last),
        "see Annex's log: it renews its certificates while it runs, but not those of --tls-cert-file");
  } else if (*last - now < kSoon) {
    findings.Warn("tls", "the CA bundle of an APIService ends at " + base::Rfc3339(*last),
                  "renew the certificate of --tls-cert-file; Annex's own are renewed by itself");
  } else {
    findings.Ok("tls", "the CA bundle that Annex is verified with holds until " + base::Rfc3339(*last));
  }
}

base::Task<Routing> ExamineApiServices(Visit& visit, Installation installation) {
  std::string path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const auto list = co_await source::GetFromCluster(visit.client, std::move(path), visit.executor);
  if (!list) {
    visit.findings.CannotSee("apiservices", list.error());
    co_return Routing();
  }
  const Routing routing = JudgeApiServices(*list, visit.ServiceText(), installation, visit.findings);
  const auto bundles = BundlesOf(*list, routing.annex);
  for (const std::string& bundle : bundles) JudgeCaBundle(bundle, visit.clock.Now(), visit.findings);
  if (visit.in_pod && bundles.size() == 1) {
    std::string bundle = *bundles.begin();
    co_await ExamineCertificate(visit, std::move(bundle));
  }
  co_return routing;
}

}  // namespace annex::server::doctor
