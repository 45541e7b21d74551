#include "fake_etcd.h"

#include <utility>

namespace annex::test {
namespace {

using json::Value;

constexpr std::size_t kPage = 3;

const Value kNoOwners = Value::array({Value::object()});

// "/apis/G/V/namespaces/default/widgets/a" -> "default/a"
std::string KeyOf(const std::string& path) {
  const std::string spaces = "/namespaces/";
  const std::string space = path.substr(path.find(spaces) + spaces.size());
  const std::size_t slash = space.find('/');
  return space.substr(0, slash) + space.substr(space.rfind('/'));
}

// Of what is escaped in a continue token here, there is only the slash.
std::string Unescaped(std::string text) {
  const std::size_t slash = text.find("%2F");
  return slash == std::string::npos ? text : text.replace(slash, 3, "/");
}

bool IsDone(const Value& object) {
  return object["metadata"].contains("deletionTimestamp") &&
         json::ItemsAt(object, {"metadata", "finalizers"}).empty();
}

void SetOwners(Value& metadata, const Value& owners) {
  if (owners == kNoOwners) {
    metadata.erase("managedFields");
  } else {
    metadata["managedFields"] = owners;
  }
}

}  // namespace

source::ClusterCall FakeEtcd::call() {
  return [this](Call call) { return Answer(std::move(call)); };
}

base::Task<base::Result<Value>> FakeEtcd::Answer(Call call) {
  const std::size_t question = call.target.find('?');
  const std::string path = call.target.substr(0, question);
  if (call.method == "GET") co_return List(question == std::string::npos ? "" : call.target.substr(question));
  ++writes;
  if (fail_at_write > 0 && writes >= fail_at_write)
    co_return base::Error(base::Reason::kServiceUnavailable, "no answer");
  if (call.method == "POST") co_return Create(path, std::move(call.body));
  const std::string key = KeyOf(path);
  if (!objects.contains(key)) co_return base::Error(base::Reason::kNotFound, key);
  if (call.method == "PUT") co_return Replace(key, std::move(call.body));
  if (call.method == "PATCH") co_return Patch(key, call.body);
  co_return Delete(key, call.body);
}

Value FakeEtcd::List(const std::string& query) const {
  const bool one = query.find("limit=1&") != std::string::npos || query.ends_with("limit=1");
  const std::string mark = "&continue=";
  const std::size_t from = query.find(mark);
  auto next = from == std::string::npos ? objects.begin()
                                        : objects.lower_bound(Unescaped(query.substr(from + mark.size())));
  Value list = {{"metadata", {{"resourceVersion", std::to_string(revision_)}}}, {"items", Value::array()}};
  for (; next != objects.end() && list["items"].size() < (one ? 1 : kPage); ++next)
    list["items"].push_back(next->second);
  if (next != objects.end()) {
    list["metadata"]["continue"] = next->first;
    list["metadata"]["remainingItemCount"] = std::distance(next, objects.end());
  }
  return list;
}

Value FakeEtcd::Keep(const std::string& key, Value object) {
  object["metadata"]["resourceVersion"] = NewRevision();
  if (IsDone(object)) {
    objects.erase(key);
  } else {
    objects[key] = object;
  }
  return object;
}

base::Result<Value> FakeEtcd::Create(const std::string& path, Value object) {
  const std::string key = KeyOf(path + "/" + json::TextAt(object, {"metadata", "name"}));
  if (objects.contains(key)) return base::Error(base::Reason::kConflict, key + " exists");
  Value& metadata = object["metadata"];
  metadata["uid"] = "etcd-" + std::to_string(++uids_);
  metadata["creationTimestamp"] = kCreated;
  metadata["managedFields"] = Value::array({{{"manager", "annex"}}});
  return Keep(key, std::move(object));
}

base::Result<Value> FakeEtcd::Replace(const std::string& key, Value object) {
  const Value& before = objects[key]["metadata"];
  Value& metadata = object["metadata"];
  if (metadata["uid"] != before["uid"] || metadata["resourceVersion"] != before["resourceVersion"])
    return base::Error(base::Reason::kConflict, key + " changed");
  for (const char* given : {"creationTimestamp", "deletionTimestamp"}) {
    if (before.contains(given)) metadata[given] = before[given];
  }
  const Value owners = metadata["managedFields"];
  SetOwners(metadata, owners);
  return Keep(key, std::move(object));
}

base::Result<Value> FakeEtcd::Patch(const std::string& key, const Value& patch) {
  Value object = objects[key];
  Value& metadata = object["metadata"];
  if (patch["metadata"]["uid"] != metadata["uid"])
    return base::Error(base::Reason::kConflict, key + " changed");
  if (patch["metadata"].contains("finalizers")) metadata.erase("finalizers");
  if (patch["metadata"].contains("managedFields")) SetOwners(metadata, patch["metadata"]["managedFields"]);
  return Keep(key, std::move(object));
}

base::Result<Value> FakeEtcd::Delete(const std::string& key, const Value& options) {
  Value object = objects[key];
  if (options["preconditions"]["uid"] != object["metadata"]["uid"])
    return base::Error(base::Reason::kConflict, key + " changed");
  object["metadata"]["deletionTimestamp"] = kCreated;
  return Keep(key, std::move(object));
}

}  // namespace annex::test
