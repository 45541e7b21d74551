// Reachability: whether kube-apiserver answers, found out every few seconds.
//
// A watch that is silent says nothing about it, and without requests nobody else would ask.
// Thread rule: State is thread-safe; Start is called by the owner's thread; everything else runs on
// `executor`. Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/mutex.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"

namespace annex::kube {

class Reachability {
 public:
  Reachability(Client& client, base::Executor& executor) : client_(client), executor_(executor) {}

  void Start();
  // Errors: ServiceUnavailable, with the reason, if the last question was not answered. Before the first
  // answer nothing is held against it.
  base::Result<void> State() const;

 private:
  base::Task<void> Run();
  // Remembers an outcome, and logs it if it is new.
  void Note(base::Result<void> outcome);

  Client& client_;
  base::Executor& executor_;
  mutable base::Mutex mutex_;
  base::Result<void> state_ ANNEX_GUARDED_BY(mutex_);
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::kube
