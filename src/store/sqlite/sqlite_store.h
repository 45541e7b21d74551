// SqliteStore: the Store contract on one SQLite file.
//
// Writing: callers put jobs into a queue; a task on the writer executor takes all that wait (bounded), runs
// them in one transaction and commits. So every job that came while the disk was busy with the last group
// shares the next group's fsync. After COMMIT returned: publish the events, then call the callers back.
//
// Reading: on the caller's thread, through a pool of read-only connections.
#pragma once

#include "annex/base/mutex.h"
#include "annex/store/sqlite.h"
#include "directory_lock.h"
#include "reader_pool.h"
#include "remaining_memo.h"
#include "writer.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace annex::store::sqlite {

// What one group of jobs has done so far.
struct Group {
  Revision newest = 0;
  std::vector<EventPtr> events;
  std::vector<CollectionId> dropped;
  std::int64_t replaced_bytes = 0;
};

// A unit of work in a group.
class Job {
 public:
  virtual ~Job() = default;
  virtual std::size_t Bytes() const { return 0; }
  // Runs inside the transaction. An error rolls the whole group back; an outcome that only concerns this
  // job's caller is kept for Finish.
  virtual base::Result<void> Run(Writer& writer, Group& group) = 0;
  // Tells the caller; `committed` is an error if the group was rolled back.
  virtual void Finish(const base::Result<void>& committed) = 0;
};

class SqliteStore final : public Store {
 public:
  SqliteStore(const SqliteOptions& options, const base::Clock& clock, base::Metrics& metrics,
              base::Executor& executor, CommitObserver* observer, std::optional<DirectoryLock> lock,
              std::unique_ptr<Writer> writer, std::string path, Revision newest, Revision compacted);
  ~SqliteStore() override;

  void OpenCollection(std::string name, std::function<void(base::Result<CollectionInfo>)> done) override;
  void DropCollection(CollectionId collection, std::function<void(base::Result<void>)> done) override;
  void Commit(Mutation mutation, std::function<void(base::Result<Committed>)> done) override;
  void SetAccess(CollectionId collection, Access access,
                 std::function<void(base::Result<void>)> done) override;
  void UpdateTerms(CollectionId collection, std::vector<TermUpdate> updates,
                   std::function<void(base::Result<void>)> done) override;
  void SetTermsFormat(CollectionId collection, std::uint64_t terms_format,
                      std::function<void(base::Result<void>)> done) override;

  base::Result<bool> Get(CollectionId collection, std::string_view key,
                         const std::function<void(const Row&)>& visitor) override;
  base::Result<Page> List(const ListQuery& query, const RowVisitor& visitor) override;
  base::Result<std::int64_t> Count(CollectionId collection) override;
  base::Result<LogBatch> ReadLog(const LogQuery& query) override;
  Revision CurrentRevision() const override { return newest_.load(std::memory_order_acquire); }
  Revision CompactedRevision() const override { return compacted_.load(std::memory_order_acquire); }
  std::shared_ptr<void> Pin(Revision at) override;
  void Compact(std::function<void(base::Result<void>)> done) override;
  base::Result<void> Healthy() const override;

 private:
  void Enqueue(std::unique_ptr<Job> job);
  // The writer's task: one group, then the upkeep that is due, then itself again while jobs wait.
  void Drain();
  std::vector<std::unique_ptr<Job>> TakeGroup();
  void RunGroup(const std::vector<std::unique_ptr<Job>>& jobs);
  base::Result<void> RunJobs(const std::vector<std::unique_ptr<Job>>& jobs, Group& group);
  void NoteTime(Revision newest);
  void CheckpointIfDue();
  void ScheduleUpkeep();
  void UpkeepStep();
  // Where history may begin: what retention and pins allow.
  Revision CompactionTarget();
  // Whether upkeep has something to do.
  bool UpkeepDue() { return CompactionTarget() > compacted_ || purge_pending_; }
  base::Result<void> CompactStep();
  void StopWriting(const base::Status& why);

  const SqliteOptions options_;
  const base::Clock& clock_;
  base::Executor& executor_;
  CommitObserver* const observer_;
  const std::optional<DirectoryLock> lock_;

  ReaderPool readers_;       // synchronizes itself
  RemainingMemo remaining_;  // synchronizes itself
  std::atomic<Revision> newest_;
  std::atomic<Revision> compacted_;

  base::Histogram& group_size_;
  base::Histogram& commit_seconds_;
  base::Gauge& queue_length_;
  base::Gauge& log_frames_;

  // Used by tasks of the writer executor only.
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<base::Executor::Timer> upkeep_timer_;
  // For each second in which something was committed: when it began, and the newest revision then.
  std::deque<std::pair<std::chrono::steady_clock::time_point, Revision>> times_;
  Revision forget_upto_;            // what retention has given up; pins may still hold it
  std::int64_t history_bytes_ = 0;  // replaced since the start and still kept
  bool purge_pending_ = true;       // a dropped collection may be left from before

  mutable base::Mutex mutex_;  // a leaf: nothing is called with it held
  std::deque<std::unique_ptr<Job>> queue_ ANNEX_GUARDED_BY(mutex_);
  std::size_t queue_bytes_ ANNEX_GUARDED_BY(mutex_) = 0;
  bool drain_posted_ ANNEX_GUARDED_BY(mutex_) = false;
  std::multiset<Revision> pins_ ANNEX_GUARDED_BY(mutex_);
  base::Result<void> health_ ANNEX_GUARDED_BY(mutex_);
};

}  // namespace annex::store::sqlite
