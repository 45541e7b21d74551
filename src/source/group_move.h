// GroupMove: one try to bring all objects of a group from the cluster's etcd into the store, up to the moment
// at which both have the same and the cluster refuses further writes.
//
//   copy      every object, as one list after the other shows it
//   verify    every object once more, compared byte by byte with what is stored
//   catch up  what changed meanwhile, while changes go on
//   freeze    the WriteGuard is raised, and in force once its probe was refused
//   catch up  the rest; then the numbers of objects must be equal
//
// Nothing of it is remembered: who tries again, also after a crash, begins anew, and writes only what
// differs.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"
#include "annex/source/adoption_check.h"
#include "annex/source/local_definitions.h"
#include "annex/source/resource_publisher.h"
#include "annex/store/store.h"
#include "object_copy.h"
#include "write_guard.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace annex::source {

class GroupMove {
 public:
  struct Parts {
    kube::Client& client;
    store::Store& store;
    ResourcePublisher& publisher;
    WriteGuard& guard;
    const StoredForm& stored_form;
    const base::Clock& clock;
    base::Executor& executor;
    base::TaskScope& tasks;
  };
  // Told before each step: a word for it, and what there is to say.
  using Progress = std::function<base::Task<void>(std::string reason, std::string message)>;

  // `definitions`: as Annex will have them, with the annotation that names their objects.
  GroupMove(Parts parts, std::string group, DefinitionsByName definitions, Progress progress);

  // After a success the guard is in force. After an error it is lowered, and the group is where it was.
  base::Task<base::Result<void>> Run();

  // After a success: since when writes are refused, and how many objects there are.
  std::chrono::steady_clock::time_point frozen_since() const { return frozen_since_; }
  std::int64_t objects() const { return objects_; }

 private:
  base::Task<base::Result<void>> Prepare();
  // Annex's revisions are beyond etcd's, and nothing older can be asked for: no client sees time go back.
  base::Task<base::Result<void>> AwaitRevisions();
  base::Task<base::Result<void>> CopyAll();
  base::Task<base::Result<void>> Freeze();
  base::Task<base::Result<void>> Finish();
  base::Task<base::Result<void>> Steps();
  base::Task<base::Result<void>> CatchUpAll();

  const Parts parts_;
  const std::string group_;
  const DefinitionsByName definitions_;
  const Progress progress_;
  std::vector<std::shared_ptr<ObjectCopy>> copies_;
  std::chrono::steady_clock::time_point frozen_since_;
  std::int64_t objects_ = 0;
};

}  // namespace annex::source
