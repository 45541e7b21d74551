#include "etcd_version.h"

#include "annex/source/definition_facts.h"
#include "write_guard.h"

#include <algorithm>

namespace annex::source {
namespace {

using json::Value;

constexpr std::chrono::milliseconds kProbeInterval{20};
constexpr std::chrono::seconds kProbePatience{20};

bool IsEtcdVersion(const Value& version) {
  return json::TextAt(version, {"name"}) == kEtcdVersion;
}

// The place of the version among the others; -1 if it is not there.
std::ptrdiff_t PlaceOf(const Value& definition) {
  const auto& versions = json::ItemsAt(definition, {"spec", "versions"});
  const auto found = std::find_if(versions.begin(), versions.end(), IsEtcdVersion);
  return found == versions.end() ? -1 : found - versions.begin();
}

std::string PathOf(const std::string& name) {
  return std::string(kDefinitionsPath) + "/" + name;
}

kube::Client::Call ChangeOf(const std::string& name, Value operations) {
  kube::Client::Call call;
  call.method = "PATCH";
  call.target = PathOf(name) + "?fieldManager=annex";
  call.content_type = "application/json-patch+json";
  call.body = std::move(operations);
  return call;
}

}  // namespace

bool HasEtcdVersion(const Value& definition) {
  return PlaceOf(definition) >= 0;
}

Value WithoutEtcdVersion(Value definition) {
  const std::ptrdiff_t place = PlaceOf(definition);
  if (place >= 0) definition["spec"]["versions"].erase(static_cast<std::size_t>(place));
  return definition;
}

base::Task<base::Result<void>> EtcdVersion::Open(Value definition) {
  const std::string name = json::TextAt(definition, {"metadata", "name"});
  kube::Client::Call read;
  read.method = "GET";
  read.target = PathOf(name);
  ANNEX_CO_TRY(const Value now, co_await call_(std::move(read)));
  if (!HasEtcdVersion(now)) {
    const Value schema = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    const Value version = {{"name", kEtcdVersion},
                           {"served", true},
                           {"storage", false},
                           {"schema", {{"openAPIV3Schema", schema}}}};
    kube::Client::Call add =
        ChangeOf(name, Value::array({{{"op", "add"}, {"path", "/spec/versions/-"}, {"value", version}}}));
    ANNEX_CO_RETURN_IF_ERROR(co_await call_(std::move(add)));
  }
  const auto begin = clock_.Monotonic();
  while (true) {
    ANNEX_CO_TRY(const bool open, co_await Probe(definition));
    if (open) co_return base::Result<void>();
    if (clock_.Monotonic() - begin > kProbePatience)
      co_return base::Error(base::Reason::kTimeout,
                            "the cluster does not let the objects in etcd be written");
    co_await base::Sleep(executor_, kProbeInterval);
  }
}

base::Task<base::Result<bool>> EtcdVersion::Probe(const Value& definition) {
  const std::string group = json::TextAt(definition, {"spec", "group"});
  const std::string api_version = group + "/" + kEtcdVersion;
  const bool namespaced = json::TextAt(definition, {"spec", "scope"}) == "Namespaced";
  kube::Client::Call call;
  call.method = "POST";
  call.target = "/apis/" + api_version + (namespaced ? "/namespaces/default/" : "/") +
                json::TextAt(definition, {"spec", "names", "plural"}) + "?dryRun=All";
  call.body = {{"apiVersion", api_version},
               {"kind", json::TextAt(definition, {"spec", "names", "kind"})},
               {"metadata", {{"generateName", "annex-probe-"}}}};
  const auto created = co_await call_(std::move(call));
  if (created) co_return true;
  // Not served yet (kube-apiserver says so by a Status, or by a page in plain text, which the client takes
  // for no answer of an API), or the guard does not know Annex yet.
  const base::Reason reason = created.error().reason;
  const bool passes = reason == base::Reason::kNotFound || reason == base::Reason::kServiceUnavailable ||
                      IsGuardRefusal(created.error(), group);
  if (passes) co_return false;
  co_return base::Error(created.error());
}

base::Task<base::Result<void>> EtcdVersion::Close(std::string name) {
  kube::Client::Call read;
  read.method = "GET";
  read.target = PathOf(name);
  const auto now = co_await call_(std::move(read));
  if (!now && now.error().reason == base::Reason::kNotFound) co_return base::Result<void>();
  if (!now) co_return base::Error(now.error());
  const std::ptrdiff_t place = PlaceOf(*now);
  if (place < 0) co_return base::Result<void>();
  const std::string path = "/spec/versions/" + std::to_string(place);
  // Somebody who writes versions meanwhile moves them.
  kube::Client::Call remove =
      ChangeOf(name, Value::array({{{"op", "test"}, {"path", path + "/name"}, {"value", kEtcdVersion}},
                                   {{"op", "remove"}, {"path", path}}}));
  ANNEX_CO_RETURN_IF_ERROR(co_await call_(std::move(remove)));
  co_return base::Result<void>();
}

}  // namespace annex::source
