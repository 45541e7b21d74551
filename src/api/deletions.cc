#include "deletions.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace annex::api {
namespace {

// As many as the store commits in one group.
constexpr std::size_t kAtOnce = 1024;
// Keys that DeleteAll takes up in one go.
constexpr std::size_t kPage = 10'000;

}  // namespace

void Deletions::Start(std::function<void(base::Result<void>)> done) {
  done_ = std::move(done);
  running_ = std::min(kAtOnce, keys_.size());
  if (running_ == 0) {
    done_(base::Result<void>());
    return;
  }
  // A worker may end at once, so the count stands before the first begins.
  const std::size_t workers = running_;
  for (std::size_t i = 0; i < workers; ++i) workers_.Spawn(Work());
}

base::Task<void> Deletions::Work() {
  while (next_ < keys_.size() && result_) {
    std::string key = keys_[next_++];
    auto deleted = co_await DeleteObject(context_, std::move(key), options_, LastState::kUnwanted);
    if (deleted && !deleted->gone) ++marked_;
    if (!deleted && deleted.error().reason != base::Reason::kNotFound) result_ = base::Error(deleted.error());
  }
  // The owner may be gone when `done` returns.
  if (--running_ == 0) {
    const auto done = std::move(done_);
    done(result_);
  }
}

base::Task<base::Result<void>> RunDeletions(Deletions& deletions, base::Executor& executor) {
  const auto start = [&deletions](std::function<void(base::Result<void>)> done) {
    deletions.Start(std::move(done));
  };
  co_return co_await base::Await<base::Result<void>>(executor, start);
}

base::Task<base::Result<std::int64_t>> DeleteAll(Parts& parts, StrategyPtr strategy, std::string prefix,
                                                 base::Executor& executor) {
  Request request;
  request.executor = &executor;
  request.peer = std::make_shared<auth::Peer>();
  Context context{parts, std::move(request), {}, {}, {}, strategy};
  const DeleteOptions options;
  std::int64_t left = 0;
  std::string start;
  while (true) {
    std::vector<std::string> keys;
    store::ListQuery query;
    query.collection = strategy->collection();
    query.prefix = prefix;
    query.start = start;
    ANNEX_CO_TRY(const store::Page page, parts.store.List(query, [&keys](const store::Row& row) {
      if (keys.size() == kPage) return store::Visit::kStop;
      keys.emplace_back(row.key);
      return store::Visit::kNext;
    }));
    if (keys.empty()) co_return left;
    start = keys.back() + '\0';
    Deletions deletions(context, options, std::move(keys));
    ANNEX_CO_RETURN_IF_ERROR(co_await RunDeletions(deletions, executor));
    left += deletions.marked();
    if (!page.more) co_return left;
  }
}

}  // namespace annex::api
