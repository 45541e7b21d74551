#include "object_copy.h"

#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/source/cluster_call.h"

#include <algorithm>
#include <utility>

namespace annex::source {
namespace {

using json::Value;

constexpr int kPageSize = 500;
// The shortest watch that a bookmark is sent to: kube-apiserver sends it two seconds before the end.
constexpr int kTailSeconds = 3;
constexpr std::chrono::milliseconds kTailInterval{500};
constexpr std::chrono::milliseconds kFlushInterval{20};
// Changes that arrived meanwhile may have to be written. Who waits for longer gives up, and begins again.
constexpr std::chrono::seconds kCatchUpPatience{30};

std::int64_t RevisionOf(const Value& object) {
  return base::ParseInt64(json::TextAt(object, {"metadata", "resourceVersion"})).value_or(0);
}

// All mutations, which the store puts into few commits. The error is the first one.
base::Task<base::Result<void>> CommitAll(store::Store& store, std::vector<store::Mutation> mutations,
                                         base::Executor& executor) {
  if (mutations.empty()) co_return base::Result<void>();
  const auto start = [&store, &mutations](const std::function<void(base::Result<void>)>& done) {
    struct Open {
      std::size_t left;
      base::Result<void> result;
    };
    // Only the writer's thread touches it.
    const auto open = std::make_shared<Open>(Open{mutations.size(), {}});
    for (store::Mutation& mutation : mutations) {
      store.Commit(std::move(mutation), [open, done](base::Result<store::Committed> committed) {
        if (!committed && open->result) open->result = base::Error(std::move(committed).error());
        if (--open->left == 0) done(open->result);
      });
    }
  };
  co_return co_await base::Await<base::Result<void>>(executor, start);
}

}  // namespace

ObjectCopy::ObjectCopy(Parts parts, std::shared_ptr<const definition::Resource> resource)
    : parts_(std::move(parts)),
      resource_(std::move(resource)),
      path_("/apis/" + resource_->ApiVersion(resource_->storage_version()) + "/" +
            resource_->names().plural) {}

std::string ObjectCopy::KeyOf(const Value& object) const {
  const std::string& name = json::TextAt(object, {"metadata", "name"});
  return resource_->namespaced() ? json::TextAt(object, {"metadata", "namespace"}) + "/" + name : name;
}

base::Task<base::Result<void>> ObjectCopy::Copy(ProgressMeter& meter) {
  return ReadAll(Purpose::kCopy, &meter);
}

base::Task<base::Result<void>> ObjectCopy::Verify() {
  return ReadAll(Purpose::kVerify, nullptr);
}

base::Task<base::Result<void>> ObjectCopy::ReadAll(Purpose purpose, ProgressMeter* meter) {
  std::unordered_set<std::string> present;
  std::string continue_token;
  do {
    std::string target = path_ + "?limit=" + std::to_string(kPageSize);
    if (!continue_token.empty()) target += "&continue=" + kube::EscapeQuery(continue_token);
    ANNEX_CO_TRY(const Value page,
                 co_await GetFromCluster(parts_.client, std::move(target), parts_.executor));
    for (const Value& object : json::ItemsAt(page, {"items"})) {
      ANNEX_CO_RETURN_IF_ERROR(TakeListed(object, purpose, present));
    }
    ANNEX_CO_RETURN_IF_ERROR(co_await Flush());
    if (meter != nullptr) {
      const auto count = static_cast<std::int64_t>(json::ItemsAt(page, {"items"}).size());
      co_await meter->Add(count);
    }
    continue_token = json::TextAt(page, {"metadata", "continue"});
    if (continue_token.empty()) progress_ = RevisionOf(page);
  } while (!continue_token.empty());
  ANNEX_CO_RETURN_IF_ERROR(RemoveOthers(present));
  co_return co_await Flush();
}

base::Result<void> ObjectCopy::TakeListed(const Value& object, Purpose purpose,
                                          std::unordered_set<std::string>& present) {
  const std::string key = KeyOf(object);
  present.insert(key);
  if (purpose == Purpose::kVerify) {
    if (const auto known = known_.find(key);
        known != known_.end() && known->second.revision == RevisionOf(object))
      return Compare(key, object);
  }
  TakeChange(object, true);
  return {};
}

base::Result<void> ObjectCopy::Compare(const std::string& key, const Value& object) {
  ANNEX_TRY(const auto wanted, parts_.stored_form(resource_, object));
  ANNEX_TRY(const auto stored, parts_.store.Load(resource_->collection(), key));
  if (stored && stored->body.bytes == wanted.body.bytes) return {};
  return base::Error(base::Reason::kInternalError, "the copy of " + resource_->name() + " " +
                                                       base::Quote(key) + " is not what the cluster has");
}

base::Result<void> ObjectCopy::RemoveOthers(const std::unordered_set<std::string>& present) {
  store::ListQuery query;
  query.collection = resource_->collection();
  ANNEX_TRY(const store::Page page, parts_.store.List(query, [&](const store::Row& row) {
    std::string key(row.key);
    if (!present.contains(key)) pending_[std::move(key)] = std::nullopt;
    return store::Visit::kNext;
  }));
  static_cast<void>(page);
  for (auto& [key, known] : known_) known.exists = known.exists && present.contains(key);
  return {};
}

// A change may come several times, and after a later one: each watch tells all since it began.
void ObjectCopy::TakeChange(const Value& object, bool exists) {
  std::string key = KeyOf(object);
  Known& known = known_[key];
  const std::int64_t revision = RevisionOf(object);
  if (revision <= known.revision) return;
  known = {revision, exists};
  pending_[std::move(key)] = exists ? std::optional<Value>(object) : std::nullopt;
}

base::Result<std::vector<store::Mutation>> ObjectCopy::TakePending() {
  std::vector<store::Mutation> mutations;
  for (auto& [key, object] : std::exchange(pending_, {})) {
    store::Mutation mutation;
    mutation.collection = resource_->collection();
    mutation.key = key;
    ANNEX_TRY(mutation.seen, parts_.store.Load(resource_->collection(), key));
    if (object) {
      ANNEX_TRY(mutation.next, parts_.stored_form(resource_, std::move(*object)));
      const bool same = mutation.seen && mutation.seen->body.bytes == mutation.next->body.bytes &&
                        mutation.seen->format == mutation.next->format;
      if (same) continue;
    } else if (!mutation.seen) {
      continue;
    }
    mutations.push_back(std::move(mutation));
  }
  return mutations;
}

base::Task<base::Result<void>> ObjectCopy::Flush() {
  ANNEX_CO_TRY(auto mutations, TakePending());
  co_return co_await CommitAll(parts_.store, std::move(mutations), parts_.executor);
}

void ObjectCopy::Follow() {
  following_ = true;
  parts_.tasks.Spawn(KeepFollowing(shared_from_this()));
}

base::Task<void> ObjectCopy::KeepFollowing(std::shared_ptr<ObjectCopy> self) {
  while (self->following_) {
    self->parts_.tasks.Spawn(WatchTail(self));
    co_await base::Sleep(self->parts_.executor, kTailInterval);
  }
}

base::Task<void> ObjectCopy::WatchTail(std::shared_ptr<ObjectCopy> self) {
  kube::Client::Call call;
  call.method = "GET";
  call.target = self->path_ +
                "?watch=true&allowWatchBookmarks=true&resourceVersion=" + std::to_string(self->progress_) +
                "&timeoutSeconds=" + std::to_string(kTailSeconds);
  const kube::Client::OnEvent on_event = [raw = self.get()](Value event) -> base::Task<base::Result<void>> {
    co_return raw->TakeEvent(event);
  };
  const auto watched = co_await self->parts_.client.Watch(std::move(call), on_event, self->parts_.executor);
  if (watched) co_return;
  // The next one may fare better; that too much history is gone stays so.
  if (watched.error().reason == base::Reason::kExpired) {
    self->failure_ = watched.error();
  } else {
    base::LogWarning("Following the objects to be moved failed; trying again",
                     {{"path", self->path_}, {"error", watched.error().message}});
  }
}

base::Result<void> ObjectCopy::TakeEvent(const Value& event) {
  const std::string& type = json::TextAt(event, {"type"});
  const Value* object = json::Find(event, "object");
  if (object == nullptr || type == "ERROR") {
    const bool expired = object != nullptr && json::IntegerAt(*object, {"code"}) == 410;
    return base::Error(expired ? base::Reason::kExpired : base::Reason::kServiceUnavailable,
                       "watch: " + json::TextAt(event, {"object", "message"}));
  }
  if (!following_) return base::Error(base::Reason::kGone, "nobody follows any more");
  if (type != "BOOKMARK") TakeChange(*object, type != "DELETED");
  progress_ = std::max(progress_, RevisionOf(*object));
  return {};
}

base::Task<base::Result<void>> ObjectCopy::CatchUp() {
  ANNEX_CO_TRY(const Head head, co_await ReadHead());
  const auto begin = parts_.clock.Monotonic();
  while (true) {
    const bool reached = progress_ >= head.revision;
    ANNEX_CO_RETURN_IF_ERROR(co_await Flush());
    if (reached) co_return base::Result<void>();
    if (failure_) co_return base::Error(*failure_);
    if (parts_.clock.Monotonic() - begin > kCatchUpPatience) {
      co_return base::Error(base::Reason::kTimeout,
                            "the cluster did not tell all changes of " + resource_->name() + " in time");
    }
    co_await base::Sleep(parts_.executor, kFlushInterval);
  }
}

base::Task<base::Result<ObjectCopy::Head>> ObjectCopy::ReadHead() {
  std::string target = path_ + "?limit=1";
  ANNEX_CO_TRY(const Value page, co_await GetFromCluster(parts_.client, std::move(target), parts_.executor));
  Head head;
  head.revision = RevisionOf(page);
  head.objects = static_cast<std::int64_t>(json::ItemsAt(page, {"items"}).size()) +
                 json::IntegerAt(page, {"metadata", "remainingItemCount"});
  co_return head;
}

base::Task<base::Result<void>> ObjectCopy::CompareCounts() {
  ANNEX_CO_TRY(const Head head, co_await ReadHead());
  ANNEX_CO_TRY(const std::int64_t stored, parts_.store.Count(resource_->collection()));
  if (stored == head.objects) co_return base::Result<void>();
  co_return base::Error(base::Reason::kInternalError, "the cluster has " + std::to_string(head.objects) +
                                                          " objects of " + resource_->name() + ", the copy " +
                                                          std::to_string(stored));
}

}  // namespace annex::source
