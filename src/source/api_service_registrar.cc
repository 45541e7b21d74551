#include "annex/source/api_service_registrar.h"

#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/kube/backoff.h"
#include "annex/source/adoption_names.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kPath = "/apis/apiregistration.k8s.io/v1/apiservices";
// By this label kube-apiserver knows the APIServices that it keeps as they were.
constexpr const char* kAutoManaged = "kube-aggregator.kubernetes.io/automanaged";
constexpr const char* kFingerprint = "annex.dev/definitions";
constexpr const char* kService = "annex.dev/service";
// When the process began that serves it.
constexpr const char* kSince = "annex.dev/since";
// What kube-apiserver gives the groups of custom resources (autoregister controller of apiextensions).
constexpr int kGroupPriority = 1000;
constexpr int kVersionPriority = 100;

constexpr kube::Backoff::Options kBackoff{std::chrono::seconds(1), 2.0, 0.2, std::chrono::seconds(10)};

// Brings an APIService to what it shall be.
void TakeOver(Value& object, const Value& wanted) {
  object["spec"] = wanted["spec"];
  object["metadata"]["labels"][kManagedByLabel] = kManagedByAnnex;
  object["metadata"]["labels"].erase(kAutoManaged);
  for (const auto& [key, value] : wanted["metadata"]["annotations"].items())
    object["metadata"]["annotations"][key] = value;
  const Value& owners = wanted["metadata"]["ownerReferences"];
  if (!owners.empty()) object["metadata"]["ownerReferences"] = owners;
}

}  // namespace

ApiServiceRegistrar::ApiServiceRegistrar(Parts parts, Service service)
    : parts_(parts),
      service_(std::move(service)),
      since_(base::Rfc3339Micro(parts.clock.Now())),
      states_(parts.metrics.Gauges(
          "annex_apiservices",
          "APIService objects by state: registered, or foreign (taken by somebody else).", {"state"})),
      reflector_(parts.client, {.path = kPath, .field_selector = ""}, parts.random, parts.executor) {}

void ApiServiceRegistrar::Start() {
  parts_.executor.Post([this] {
    started_ = true;
    kube::Reflector::Handlers handlers;
    handlers.on_begin = [this] {
      synced_ = false;
      cluster_.clear();
    };
    handlers.on_object = [this](const Value& object, bool deleted) { OnApiService(object, deleted); };
    handlers.on_synced = [this] {
      synced_ = true;
      Wake();
    };
    tasks_.Spawn(reflector_.Run(std::move(handlers)));
  });
}

void ApiServiceRegistrar::Kick() {
  parts_.executor.Post([this] { Wake(); });
}

void ApiServiceRegistrar::Adopt(const std::string& group) {
  const bool back = given_back_.erase(group) > 0;
  if (adopted_.insert(group).second || back) Wake();
}

void ApiServiceRegistrar::GiveBack(const std::string& group) {
  adopted_.erase(group);
  if (given_back_.insert(group).second) Wake();
}

void ApiServiceRegistrar::SetCaBundle(const std::string& ca_bundle) {
  if (service_.ca_bundle == ca_bundle) return;
  service_.ca_bundle = ca_bundle;
  Wake();
}

void ApiServiceRegistrar::OnApiService(const Value& object, bool deleted) {
  const std::string& name = json::TextAt(object, {"metadata", "name"});
  if (deleted) {
    cluster_.erase(name);
  } else {
    cluster_[name] = object;
  }
  if (synced_) Wake();
}

void ApiServiceRegistrar::Wake() {
  if (!started_ || !synced_) return;
  again_ = true;
  if (!std::exchange(working_, true)) tasks_.Spawn(Work());
}

base::Task<void> ApiServiceRegistrar::Work() {
  kube::Backoff backoff(kBackoff);
  while (std::exchange(again_, false)) {
    if (co_await Reconcile()) {
      backoff.Reset();
      continue;
    }
    co_await base::Sleep(parts_.executor, backoff.Next(parts_.random));
    again_ = true;
  }
  working_ = false;
}

base::Task<bool> ApiServiceRegistrar::Reconcile() {
  // kube-apiserver looks at once, and remembers for a minute or more that nobody answered.
  if (!parts_.answers()) co_return false;
  auto owners = co_await parts_.owner.References();
  if (owners) {
    owner_gone_ = false;
    co_return co_await BringAll(*std::move(owners));
  }
  const bool gone = owners.error().reason == base::Reason::kNotFound;
  if (!gone || !std::exchange(owner_gone_, true))
    base::LogError("Nothing is registered with the cluster", {{"error", owners.error().message}});
  co_return gone;
}

base::Task<bool> ApiServiceRegistrar::BringAll(Value owners) {
  bool fine = true;
  const auto note = [&fine](const std::string& name, const base::Result<void>& done) {
    if (done) return;
    fine = false;
    base::LogError("Registering with the cluster failed; trying again",
                   {{"apiService", name}, {"error", done.error().message}});
  };
  Objects wanted = WantedObjects(owners);
  std::size_t foreign = 0;
  for (auto& [name, object] : wanted) {
    const auto there = cluster_.find(name);
    if (there != cluster_.end() && !IsOurs(there->second) && !IsAdopted(there->second)) {
      ++foreign;
      ComplainOnce(name, there->second);
      continue;
    }
    complained_.erase(name);
    note(name, co_await Bring(name, object));
  }
  std::vector<Value> leftover;
  for (const auto& [name, object] : cluster_) {
    if (MadeHere(object) && !wanted.contains(name)) leftover.push_back(object);
  }
  for (Value& object : leftover) {
    const std::string name = json::TextAt(object, {"metadata", "name"});
    if (given_back_.contains(json::TextAt(object, {"spec", "group"}))) {
      note(name, co_await GiveBackOne(std::move(object)));
    } else {
      note(name, co_await Remove(std::move(object)));
    }
  }
  states_.With({"registered"}).Set(static_cast<double>(wanted.size() - foreign));
  states_.With({"foreign"}).Set(static_cast<double>(foreign));
  co_return fine;
}

base::Task<base::Result<void>> ApiServiceRegistrar::Bring(std::string name, Value wanted) {
  if (!announced_.contains(name)) wanted["metadata"]["annotations"][kSince] = since_;
  kube::Client::Call call;
  const auto there = cluster_.find(name);
  if (there == cluster_.end()) {
    call.method = "POST";
    call.target = kPath;
    call.body = std::move(wanted);
    base::LogInfo("Registering with the cluster", {{"apiService", name}});
  } else {
    Value object = there->second;
    TakeOver(object, wanted);
    if (object == there->second) co_return base::Result<void>();
    call.method = "PUT";
    call.target = std::string(kPath) + "/" + name;
    call.body = std::move(object);
  }
  ANNEX_CO_RETURN_IF_ERROR(co_await Change(std::move(call)));
  const auto now = cluster_.find(name);
  if (now != cluster_.end() && json::TextAt(now->second, {"metadata", "annotations", kSince}) == since_)
    announced_.insert(name);
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ApiServiceRegistrar::Change(kube::Client::Call call) {
  auto answer = co_await parts_.client.Send(std::move(call), parts_.executor);
  if (!answer) co_return base::Error(std::move(answer.error()));
  // Somebody was faster: the watch will tell, and wake us.
  if (answer->status == 409) co_return base::Result<void>();
  if (!answer->ok()) co_return base::Error(base::Reason::kServiceUnavailable, answer->Message());
  std::string name = json::TextAt(answer->body, {"metadata", "name"});
  cluster_[std::move(name)] = std::move(answer->body);
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ApiServiceRegistrar::Remove(Value object) {
  const std::string& name = json::TextAt(object, {"metadata", "name"});
  base::LogInfo("Taking back a registration with the cluster", {{"apiService", name}});
  kube::Client::Call call;
  call.method = "DELETE";
  call.target = std::string(kPath) + "/" + name;
  call.body = {{"apiVersion", "v1"},
               {"kind", "DeleteOptions"},
               {"preconditions", {{"uid", json::TextAt(object, {"metadata", "uid"})}}}};
  auto answer = co_await parts_.client.Send(std::move(call), parts_.executor);
  if (!answer) co_return base::Error(std::move(answer.error()));
  if (!answer->ok() && answer->status != 404 && answer->status != 409) {
    co_return base::Error(base::Reason::kServiceUnavailable, answer->Message());
  }
  cluster_.erase(name);
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ApiServiceRegistrar::GiveBackOne(Value object) {
  const std::string name = json::TextAt(object, {"metadata", "name"});
  base::LogInfo("Giving a registration back to the cluster", {{"apiService", name}});
  for (const char* ours : {"service", "caBundle", "insecureSkipTLSVerify"}) object["spec"].erase(ours);
  Value& metadata = object["metadata"];
  metadata["labels"].erase(kManagedByLabel);
  metadata["labels"][kAutoManaged] = "true";
  for (const char* ours : {kFingerprint, kService, kSince}) metadata["annotations"].erase(ours);
  metadata.erase("ownerReferences");
  announced_.erase(name);
  kube::Client::Call call;
  call.method = "PUT";
  call.target = std::string(kPath) + "/" + name;
  call.body = std::move(object);
  co_return co_await Change(std::move(call));
}

ApiServiceRegistrar::Objects ApiServiceRegistrar::WantedObjects(const Value& owners) const {
  Objects wanted;
  const auto snapshot = parts_.registry.Current();
  const auto fingerprints = parts_.publisher.Fingerprints();
  for (const auto& [group_name, group] : snapshot->groups()) {
    if (given_back_.contains(group_name)) continue;
    for (const auto& version : group.versions) {
      const std::string name = version.name + "." + group_name;
      const auto fingerprint = fingerprints.find(group_name);
      wanted[name] = {
          {"apiVersion", "apiregistration.k8s.io/v1"},
          {"kind", "APIService"},
          {"metadata",
           {{"name", name},
            {"labels", {{kManagedByLabel, kManagedByAnnex}}},
            {"ownerReferences", owners},
            {"annotations",
             {{kFingerprint, fingerprint == fingerprints.end() ? "" : fingerprint->second},
              {kService, ServiceName()}}}}},
          {"spec",
           {{"group", group_name},
            {"version", version.name},
            {"groupPriorityMinimum", kGroupPriority},
            {"versionPriority", kVersionPriority},
            {"caBundle", base::Base64Encode(service_.ca_bundle)},
            {"service",
             {{"namespace", service_.namespace_name}, {"name", service_.name}, {"port", service_.port}}}}}};
    }
  }
  return wanted;
}

std::string ApiServiceRegistrar::ServiceName() const {
  return service_.namespace_name + "/" + service_.name;
}

bool ApiServiceRegistrar::MadeHere(const Value& object) const {
  return json::TextAt(object, {"metadata", "labels", kManagedByLabel}) == kManagedByAnnex &&
         json::TextAt(object, {"metadata", "annotations", kService}) == ServiceName();
}

bool ApiServiceRegistrar::IsOurs(const Value& object) const {
  const bool leads_here = json::TextAt(object, {"spec", "service", "name"}) == service_.name &&
                          json::TextAt(object, {"spec", "service", "namespace"}) == service_.namespace_name;
  return leads_here || MadeHere(object);
}

bool ApiServiceRegistrar::IsAdopted(const Value& object) const {
  const Value* service = json::FindPath(object, {"spec", "service"});
  return (service == nullptr || service->is_null()) &&
         adopted_.contains(json::TextAt(object, {"spec", "group"}));
}

void ApiServiceRegistrar::ComplainOnce(const std::string& name, const Value& object) {
  if (!complained_.insert(name).second) return;
  const Value* service = json::FindPath(object, {"spec", "service"});
  const bool local = service == nullptr || service->is_null();
  const std::string where =
      local ? "kube-apiserver itself: does the cluster have CustomResourceDefinitions of this group?"
            : "the Service " + json::TextAt(*service, {"namespace"}) + "/" + json::TextAt(*service, {"name"});
  base::LogError(
      "An APIService is taken by somebody else; this group and version reaches Annex only when it is deleted",
      {{"apiService", name}, {"leadsTo", where}});
}

}  // namespace annex::source
