#include "object_return.h"

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "parallel.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr std::size_t kParallelCalls = 16;
constexpr std::size_t kChunk = 500;
constexpr std::size_t kLogEvents = 1000;
constexpr std::size_t kLogBytes = 8UL << 20U;

// What the API gives to each object itself.
constexpr const char* kGiven[] = {"uid",        "resourceVersion",   "creationTimestamp",
                                  "generation", "deletionTimestamp", "deletionGracePeriodSeconds",
                                  "selfLink"};

void EraseGiven(Value& metadata) {
  for (const char* member : kGiven) metadata.erase(member);
}

// kube-apiserver forgets owners of versions that the definition has no more whenever it writes.
void EraseOwnersOfOtherVersions(Value& metadata, const definition::Resource& resource) {
  const auto owners = metadata.find("managedFields");
  if (owners == metadata.end()) return;
  Value kept = Value::array();
  for (const Value& owner : *owners) {
    const std::string& api_version = json::TextAt(owner, {"apiVersion"});
    const std::string version = api_version.substr(api_version.find('/') + 1);
    if (resource.FindVersion(version) != nullptr) kept.push_back(owner);
  }
  if (kept.empty()) {
    metadata.erase(owners);
  } else {
    *owners = std::move(kept);
  }
}

// A copy is made after its original: what is older is of an earlier object of the same name.
bool IsCopyOf(const EtcdObjects::Held& held, const std::string& uid, const std::string& created) {
  return held.uid == uid || held.created >= created;
}

}  // namespace

ObjectReturn::ObjectReturn(Parts parts, std::shared_ptr<const definition::Resource> resource,
                           const Value& definition)
    : parts_(std::move(parts)), resource_(std::move(resource)), etcd_(parts_.call, definition) {
  parts_.owners.OnChange([this](const std::string& uid) {
    if (const auto found = owned_.find(uid); found != owned_.end())
      due_.insert(found->second.begin(), found->second.end());
  });
}

base::Result<std::optional<ObjectReturn::Wanted>> ObjectReturn::Want(const std::string& key) {
  ANNEX_TRY(const auto stored, parts_.store.Load(resource_->collection(), key));
  if (!stored) return std::optional<Wanted>();
  std::string text;
  store::AppendBody(text, stored->body.bytes, stored->body.revision_at, stored->revision);
  Wanted wanted;
  ANNEX_TRY(wanted.object, json::Parse(text));
  ANNEX_RETURN_IF_ERROR(resource_->ReadStored(wanted.object));
  ANNEX_RETURN_IF_ERROR(resource_->ToVersion(wanted.object, resource_->storage_version()));
  Value& metadata = wanted.object["metadata"];
  wanted.uid = json::TextAt(metadata, {"uid"});
  wanted.created = json::TextAt(metadata, {"creationTimestamp"});
  wanted.deleting = metadata.contains("deletionTimestamp");
  wanted.revision = stored->revision;
  EraseGiven(metadata);
  EraseOwnersOfOtherVersions(metadata, *resource_);
  NoteOwners(key, wanted.object);
  parts_.owners.Rename(metadata);
  return std::optional<Wanted>(std::move(wanted));
}

void ObjectReturn::NoteOwners(const std::string& key, const Value& object) {
  for (const Value& reference : json::ItemsAt(object, {"metadata", "ownerReferences"})) {
    const std::string& api_version = json::TextAt(reference, {"apiVersion"});
    if (api_version.starts_with(resource_->group() + "/"))
      owned_[json::TextAt(reference, {"uid"})].insert(key);
  }
}

bool ObjectReturn::Same(const Wanted& wanted, const Value& object) const {
  Value form = object;
  form["apiVersion"] = wanted.object["apiVersion"];
  Value& metadata = form["metadata"];
  if (metadata.contains("deletionTimestamp") != wanted.deleting) return false;
  EraseGiven(metadata);
  EraseOwnersOfOtherVersions(metadata, *resource_);
  return form == wanted.object;
}

base::Result<bool> ObjectReturn::Take(const Value& object) {
  There there;
  there.held = etcd_.HeldOf(object);
  const std::string key = there.held.key;
  ANNEX_TRY(const auto wanted, Want(key));
  const bool copy = wanted && IsCopyOf(there.held, wanted->uid, wanted->created);
  const bool same = copy && Same(*wanted, object);
  if (copy) {
    there.wanted_uid = wanted->uid;
    parts_.owners.Note(wanted->uid, there.held.uid);
  }
  if (same) there.source = wanted->revision;
  there_[key] = std::move(there);
  return same;
}

base::Result<void> ObjectReturn::NoteMissing() {
  store::ListQuery query;
  query.collection = resource_->collection();
  ANNEX_TRY(const store::Page page, parts_.store.List(query, [this](const store::Row& row) {
    std::string key(row.key);
    if (!there_.contains(key)) due_.insert(std::move(key));
    return store::Visit::kNext;
  }));
  static_cast<void>(page);
  return {};
}

base::Task<base::Result<void>> ObjectReturn::LearnUids() {
  co_return co_await ReadAll(false);
}

base::Task<base::Result<void>> ObjectReturn::Copy(ProgressMeter& meter) {
  cursor_ = parts_.store.CurrentRevision();
  there_.clear();
  due_.clear();
  ANNEX_CO_RETURN_IF_ERROR(co_await ReadAll(false));
  const auto unchanged = there_.size() - due_.size();
  ANNEX_CO_RETURN_IF_ERROR(NoteMissing());
  co_await meter.Add(static_cast<std::int64_t>(unchanged));
  co_return co_await Flush(&meter);
}

base::Task<base::Result<void>> ObjectReturn::Verify() {
  return ReadAll(true);
}

base::Task<base::Result<void>> ObjectReturn::ReadAll(bool verify) {
  EtcdObjects::Page page;
  do {
    std::string from = std::move(page.next);
    ANNEX_CO_TRY(page, co_await etcd_.List(std::move(from)));
    for (const Value& object : page.objects) {
      if (verify) {
        ANNEX_CO_RETURN_IF_ERROR(Check(object));
        continue;
      }
      ANNEX_CO_TRY(const bool same, Take(object));
      if (!same) due_.insert(etcd_.HeldOf(object).key);
    }
  } while (!page.next.empty());
  co_return base::Result<void>();
}

base::Result<void> ObjectReturn::Check(const Value& object) {
  const std::string key = etcd_.HeldOf(object).key;
  const auto there = there_.find(key);
  if (due_.contains(key)) return {};
  ANNEX_TRY(const auto wanted, Want(key));
  // What changed since is still to come.
  if (there != there_.end() && (!wanted || wanted->revision != there->second.source)) return {};
  if (there != there_.end() && Same(*wanted, object)) return {};
  return base::Error(base::Reason::kInternalError, "the copy of " + resource_->name() + " " +
                                                       base::Quote(key) + " in etcd is not what Annex has");
}

base::Task<base::Result<std::size_t>> ObjectReturn::CatchUp() {
  const store::Revision until = parts_.store.CurrentRevision();
  while (cursor_ < until) {
    store::Store::LogQuery query;
    query.collection = resource_->collection();
    query.after = cursor_;
    query.max_events = kLogEvents;
    query.max_bytes = kLogBytes;
    ANNEX_CO_TRY(const auto batch, parts_.store.ReadLog(query));
    for (const store::EventPtr& event : batch.events) due_.insert(event->key());
    cursor_ = batch.upto;
  }
  const std::size_t changed = due_.size();
  ANNEX_CO_RETURN_IF_ERROR(co_await Flush(nullptr));
  co_return changed;
}

base::Task<base::Result<void>> ObjectReturn::Flush(ProgressMeter* meter) {
  while (!due_.empty()) {
    std::vector<std::string> keys;
    while (!due_.empty() && keys.size() < kChunk)
      keys.push_back(std::move(due_.extract(due_.begin()).value()));
    const auto count = static_cast<std::int64_t>(keys.size());
    std::function<base::Task<base::Result<void>>(std::string)> bring = [this](std::string key) {
      return Bring(std::move(key));
    };
    ANNEX_CO_RETURN_IF_ERROR(co_await InParallel(std::move(keys), kParallelCalls, std::move(bring),
                                                 parts_.executor, parts_.tasks));
    if (meter != nullptr) co_await meter->Add(count);
  }
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ObjectReturn::Bring(std::string key) {
  ANNEX_CO_TRY(const auto wanted, Want(key));
  std::optional<EtcdObjects::Held> held;
  if (const auto there = there_.find(key); there != there_.end()) held = there->second.held;
  // A deletion cannot be taken back, and a uid belongs to one object.
  const bool fits = held && wanted && IsCopyOf(*held, wanted->uid, wanted->created) &&
                    (wanted->deleting || !held->deleting);
  if (held && !fits) {
    EtcdObjects::Held gone = *std::exchange(held, std::nullopt);
    ANNEX_CO_RETURN_IF_ERROR(co_await etcd_.Remove(std::move(gone)));
    there_.erase(key);
  }
  if (!wanted) co_return base::Result<void>();
  ANNEX_CO_TRY(const Value written, co_await Write(std::move(held), *wanted));
  There there{etcd_.HeldOf(written), wanted->uid, wanted->revision};
  parts_.owners.Note(wanted->uid, there.held.uid);
  there_[key] = std::move(there);
  co_return base::Result<void>();
}

base::Task<base::Result<Value>> ObjectReturn::Write(std::optional<EtcdObjects::Held> held,
                                                    const Wanted& wanted) {
  Value object = wanted.object;
  base::Result<Value> written;
  if (held) {
    EtcdObjects::Held before = *std::move(held);
    written = co_await etcd_.Replace(std::move(before), std::move(object));
  } else {
    written = co_await etcd_.Create(std::move(object));
  }
  if (!written) co_return base::Error(written.error());
  EtcdObjects::Held now = etcd_.HeldOf(*written);
  if (!wanted.deleting || now.deleting) co_return *std::move(written);
  co_return co_await etcd_.BeginDeletion(std::move(now));
}

base::Task<base::Result<void>> ObjectReturn::CompareCounts() {
  ANNEX_CO_TRY(const std::int64_t theirs, co_await etcd_.Count());
  ANNEX_CO_TRY(const std::int64_t ours, parts_.store.Count(resource_->collection()));
  if (theirs == ours) co_return base::Result<void>();
  co_return base::Error(base::Reason::kInternalError, "Annex has " + std::to_string(ours) + " objects of " +
                                                          resource_->name() + ", etcd " +
                                                          std::to_string(theirs));
}

ObjectReturn::Numbers ObjectReturn::numbers() const {
  Numbers numbers;
  for (const auto& [key, there] : there_) {
    ++numbers.objects;
    if (there.held.uid == there.wanted_uid) ++numbers.kept_uid;
  }
  return numbers;
}

}  // namespace annex::source
