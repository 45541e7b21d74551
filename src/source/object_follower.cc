#include "annex/source/object_follower.h"

#include "annex/base/log.h"
#include "annex/json/read.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

constexpr std::chrono::seconds kRetry{1};

base::Result<json::Value> Parse(std::string_view body, std::uint32_t revision_at, store::Revision revision) {
  std::string text;
  store::AppendBody(text, body, revision_at, revision);
  return json::Parse(text);
}

}  // namespace

// The watch may call it before anybody waits, and when the follower is gone.
struct ObjectFollower::Wake {
  bool due = false;
  std::function<void()> waiting;

  void Call() {
    due = waiting == nullptr;
    if (const auto resume = std::exchange(waiting, nullptr)) resume();
  }
};

ObjectFollower::ObjectFollower(store::Store& store, store::WatchHub& hub, store::CollectionId collection,
                               base::Executor& executor)
    : store_(store),
      hub_(hub),
      collection_(collection),
      executor_(executor),
      wake_(std::make_shared<Wake>()) {}

ObjectFollower::~ObjectFollower() = default;

base::Task<void> ObjectFollower::Run(Handlers handlers) {
  while (true) {
    auto told = co_await TellState(handlers);
    while (told) {
      told = co_await TellChanges(handlers);
      if (told) co_await WaitForChanges();
    }
    // Expired: the log no longer reaches back to where this stood, so the state is told anew.
    if (told.error().reason != base::Reason::kExpired) {
      base::LogError("Following a collection failed; trying again", {{"error", told.error().message}});
      co_await base::Sleep(executor_, kRetry);
    }
  }
}

base::Task<base::Result<void>> ObjectFollower::TellState(const Handlers& handlers) {
  std::vector<std::pair<std::string, json::Value>> objects;
  store::ListQuery query;
  query.collection = collection_;
  base::Result<void> readable;
  ANNEX_CO_TRY(const store::Page page, store_.List(query, [&](const store::Row& row) {
    auto object = Parse(row.body, row.revision_at, row.revision);
    if (object) {
      objects.emplace_back(std::string(row.key), *std::move(object));
    } else {
      readable = base::Error(object.error());
    }
    return store::Visit::kNext;
  }));
  ANNEX_CO_RETURN_IF_ERROR(readable);
  watcher_ = hub_.Watch(collection_, "", page.at, executor_, [wake = wake_] { wake->Call(); });
  handlers.on_begin();
  for (auto& [key, object] : objects) {
    std::string name = key;
    co_await handlers.on_object(std::move(name), &object);
  }
  co_await handlers.on_synced();
  co_return base::Result<void>();
}

base::Task<base::Result<void>> ObjectFollower::TellChanges(const Handlers& handlers) {
  while (true) {
    ANNEX_CO_TRY(const auto batch, watcher_->Next());
    for (const store::EventPtr& event : batch.events) {
      std::string key = event->key();
      if (!event->object()) {
        co_await handlers.on_object(std::move(key), nullptr);
        continue;
      }
      const store::Object& stored = *event->object();
      ANNEX_CO_TRY(const json::Value object,
                   Parse(stored.body.bytes, stored.body.revision_at, stored.revision));
      co_await handlers.on_object(std::move(key), &object);
    }
    if (batch.idle) co_return base::Result<void>();
  }
}

base::Task<void> ObjectFollower::WaitForChanges() {
  const auto start = [wake = wake_](const std::function<void(bool)>& done) {
    if (std::exchange(wake->due, false)) {
      done(true);
    } else {
      wake->waiting = [done] { done(true); };
    }
  };
  co_await base::Await<bool>(executor_, start);
}

}  // namespace annex::source
