#include "etcd_objects.h"

#include "etcd_version.h"

#include <utility>

namespace annex::source {
namespace {

using json::Value;

constexpr int kPageSize = 500;

base::Result<void> UnlessNotFound(const base::Result<Value>& answer) {
  if (answer || answer.error().reason == base::Reason::kNotFound) return {};
  return base::Error(answer.error());
}

}  // namespace

EtcdObjects::EtcdObjects(ClusterCall call, const Value& definition)
    : call_(std::move(call)),
      api_("/apis/" + json::TextAt(definition, {"spec", "group"}) + "/" + kEtcdVersion + "/"),
      plural_(json::TextAt(definition, {"spec", "names", "plural"})),
      namespaced_(json::TextAt(definition, {"spec", "scope"}) == "Namespaced") {}

EtcdObjects::Held EtcdObjects::HeldOf(const Value& object) const {
  const Value& metadata = object.at("metadata");
  Held held;
  held.key = json::TextAt(metadata, {"name"});
  if (namespaced_) held.key = json::TextAt(metadata, {"namespace"}) + "/" + held.key;
  held.uid = json::TextAt(metadata, {"uid"});
  held.revision = json::TextAt(metadata, {"resourceVersion"});
  held.created = json::TextAt(metadata, {"creationTimestamp"});
  held.deleting = metadata.contains("deletionTimestamp");
  held.has_finalizers = !json::ItemsAt(metadata, {"finalizers"}).empty();
  return held;
}

std::string EtcdObjects::PathOf(const std::string& key) const {
  if (!namespaced_) return api_ + plural_ + "/" + key;
  const std::size_t slash = key.find('/');
  return api_ + "namespaces/" + key.substr(0, slash) + "/" + plural_ + key.substr(slash);
}

base::Task<base::Result<EtcdObjects::Page>> EtcdObjects::List(std::string from) {
  kube::Client::Call call;
  call.method = "GET";
  call.target = api_ + plural_ + "?limit=" + std::to_string(kPageSize);
  if (!from.empty()) call.target += "&continue=" + kube::EscapeQuery(from);
  ANNEX_CO_TRY(Value list, co_await call_(std::move(call)));
  Page page;
  page.next = json::TextAt(list, {"metadata", "continue"});
  page.following = json::IntegerAt(list, {"metadata", "remainingItemCount"});
  if (Value* items = json::Find(list, "items"); items != nullptr && items->is_array())
    page.objects = std::move(items->get_ref<Value::array_t&>());
  co_return page;
}

base::Task<base::Result<std::int64_t>> EtcdObjects::Count() {
  kube::Client::Call call;
  call.method = "GET";
  call.target = api_ + plural_ + "?limit=1";
  ANNEX_CO_TRY(const Value list, co_await call_(std::move(call)));
  co_return static_cast<std::int64_t>(json::ItemsAt(list, {"items"}).size()) +
      json::IntegerAt(list, {"metadata", "remainingItemCount"});
}

base::Task<base::Result<void>> EtcdObjects::Remove(Held held) {
  if (held.has_finalizers) {
    kube::Client::Call release;
    release.method = "PATCH";
    release.target = PathOf(held.key) + "?fieldManager=annex";
    release.content_type = "application/merge-patch+json";
    release.body = {{"metadata", {{"uid", held.uid}, {"finalizers", nullptr}}}};
    ANNEX_CO_RETURN_IF_ERROR(UnlessNotFound(co_await call_(std::move(release))));
    // One that was being deleted waited for nothing else.
    if (held.deleting) co_return base::Result<void>();
  }
  kube::Client::Call remove;
  remove.method = "DELETE";
  remove.target = PathOf(held.key);
  remove.body = {{"apiVersion", "v1"},
                 {"kind", "DeleteOptions"},
                 {"propagationPolicy", "Background"},
                 {"preconditions", {{"uid", held.uid}}}};
  co_return UnlessNotFound(co_await call_(std::move(remove)));
}

}  // namespace annex::source
