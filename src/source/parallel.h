// InParallel: the same work for many items, several of them at a time.
//
// Thread rule: the work runs on `executor`, which is that of `tasks`.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace annex::source {

namespace internal {

template <typename Item>
struct ParallelRun {
  std::vector<Item> items;
  std::function<base::Task<base::Result<void>>(Item)> work;
  std::size_t next = 0;
  std::size_t workers = 0;
  base::Result<void> result;
  std::function<void(base::Result<void>)> done;
};

template <typename Item>
base::Task<void> WorkThrough(std::shared_ptr<ParallelRun<Item>> run) {
  while (run->next < run->items.size() && run->result) {
    Item item = std::move(run->items[run->next++]);
    const base::Result<void> worked = co_await run->work(std::move(item));
    if (!worked && run->result) run->result = worked;
  }
  if (--run->workers == 0) run->done(run->result);
}

}  // namespace internal

// Calls `work` for each item, for at most `limit` at a time. After an error no further item is begun; returns
// when those under way are done. The error is the first one.
template <typename Item>
base::Task<base::Result<void>> InParallel(std::vector<Item> items, std::size_t limit,
                                          std::function<base::Task<base::Result<void>>(Item)> work,
                                          base::Executor& executor, base::TaskScope& tasks) {
  if (items.empty()) co_return base::Result<void>();
  const auto run = std::make_shared<internal::ParallelRun<Item>>();
  run->items = std::move(items);
  run->work = std::move(work);
  const auto start = [&run, &tasks, limit](const std::function<void(base::Result<void>)>& done) {
    run->done = done;
    const std::size_t workers = run->workers = std::min(limit, run->items.size());
    for (std::size_t i = 0; i < workers; ++i) tasks.Spawn(internal::WorkThrough(run));
  };
  co_return co_await base::Await<base::Result<void>>(executor, start);
}

}  // namespace annex::source
