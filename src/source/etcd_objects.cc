#include "etcd_objects.h"

#include "etcd_version.h"

#include <utility>

namespace annex::source {
namespace {

using json::Value;

constexpr int kPageSize = 500;
constexpr const char* kMergePatch = "application/merge-patch+json";

// What says that an object has no owners, and shall get none by this write either.
Value NoOwners() {
  return Value::array({Value::object()});
}

// Takes the owners out of an object.
Value TakeOwners(Value& object) {
  Value& metadata = object["metadata"];
  Value owners = metadata.contains("managedFields") ? std::move(metadata["managedFields"]) : NoOwners();
  metadata.erase("managedFields");
  return owners;
}

base::Result<void> UnlessNotFound(const base::Result<Value>& answer) {
  if (answer || answer.error().reason == base::Reason::kNotFound) return {};
  return base::Error(answer.error());
}

}  // namespace

EtcdObjects::EtcdObjects(ClusterCall call, const Value& definition)
    : call_(std::move(call)),
      api_version_(json::TextAt(definition, {"spec", "group"}) + "/" + kEtcdVersion),
      api_("/apis/" + api_version_ + "/"),
      plural_(json::TextAt(definition, {"spec", "names", "plural"})),
      namespaced_(json::TextAt(definition, {"spec", "scope"}) == "Namespaced") {}

EtcdObjects::Held EtcdObjects::HeldOf(const Value& object) const {
  Held held;
  held.key = json::TextAt(object, {"metadata", "name"});
  if (namespaced_) held.key = json::TextAt(object, {"metadata", "namespace"}) + "/" + held.key;
  held.uid = json::TextAt(object, {"metadata", "uid"});
  held.revision = json::TextAt(object, {"metadata", "resourceVersion"});
  held.created = json::TextAt(object, {"metadata", "creationTimestamp"});
  held.deleting = json::FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
  held.has_finalizers = !json::ItemsAt(object, {"metadata", "finalizers"}).empty();
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
    release.content_type = kMergePatch;
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

base::Task<base::Result<Value>> EtcdObjects::Create(Value object) {
  Value owners = TakeOwners(object);
  object["apiVersion"] = api_version_;
  std::string path = PathOf(HeldOf(object).key);
  path.resize(path.rfind('/'));
  kube::Client::Call call;
  call.method = "POST";
  call.target = path + "?fieldManager=annex";
  call.body = std::move(object);
  ANNEX_CO_TRY(const Value created, co_await call_(std::move(call)));
  Held held = HeldOf(created);
  co_return co_await SetOwners(std::move(held), std::move(owners));
}

base::Task<base::Result<Value>> EtcdObjects::Replace(Held held, Value object) {
  Value owners = TakeOwners(object);
  object["apiVersion"] = api_version_;
  Value& metadata = object["metadata"];
  metadata["uid"] = held.uid;
  metadata["resourceVersion"] = held.revision;
  metadata["managedFields"] = NoOwners();
  kube::Client::Call call;
  call.method = "PUT";
  call.target = PathOf(held.key) + "?fieldManager=annex";
  call.body = std::move(object);
  ANNEX_CO_TRY(Value replaced, co_await call_(std::move(call)));
  if (owners == NoOwners()) co_return replaced;
  Held now = HeldOf(replaced);
  co_return co_await SetOwners(std::move(now), std::move(owners));
}

base::Task<base::Result<Value>> EtcdObjects::SetOwners(Held held, Value managed_fields) {
  kube::Client::Call call;
  call.method = "PATCH";
  call.target = PathOf(held.key) + "?fieldManager=annex";
  call.content_type = kMergePatch;
  call.body = {{"metadata", {{"uid", held.uid}, {"managedFields", std::move(managed_fields)}}}};
  co_return co_await call_(std::move(call));
}

base::Task<base::Result<Value>> EtcdObjects::BeginDeletion(Held held) {
  kube::Client::Call call;
  call.method = "DELETE";
  call.target = PathOf(held.key);
  call.body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", held.uid}}}};
  co_return co_await call_(std::move(call));
}

}  // namespace annex::source
