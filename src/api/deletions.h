// Deletions: deleting many objects of one resource, a bounded number at a time, so that they share commits.
//
// Thread rule: used on its context's executor. Must live until `done` was called.
#pragma once

#include "annex/base/task.h"
#include "delete_object.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace annex::api {

class Deletions {
 public:
  Deletions(Context& context, const DeleteOptions& options, std::vector<std::string> keys)
      : context_(context), options_(options), keys_(std::move(keys)) {}

  // Calls `done` when all are deleted or marked, or after the first failure. Objects that others deleted
  // meanwhile are no failure.
  void Start(std::function<void(base::Result<void>)> done);

  // Objects that were only marked, because something must happen before they can go.
  std::int64_t marked() const { return marked_; }

 private:
  base::Task<void> Work();

  Context& context_;
  const DeleteOptions& options_;
  const std::vector<std::string> keys_;
  std::size_t next_ = 0;
  std::size_t running_ = 0;
  std::int64_t marked_ = 0;
  base::Result<void> result_;
  std::function<void(base::Result<void>)> done_;
  base::TaskScope workers_;  // last: they use all of the above
};

// Runs `deletions` to its end.
base::Task<base::Result<void>> RunDeletions(Deletions& deletions, base::Executor& executor);

// Deletes all objects of a resource whose keys begin with `prefix`; the result is how many are left, waiting
// for their finalizers.
base::Task<base::Result<std::int64_t>> DeleteAll(Parts& parts, StrategyPtr strategy, std::string prefix,
                                                 base::Executor& executor);

}  // namespace annex::api
