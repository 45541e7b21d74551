#include "sqlite_store.h"

#include "annex/base/log.h"
#include "jobs.h"

#include <algorithm>
#include <limits>

#include <sqlite3.h>

namespace annex::store::sqlite {
namespace {

// A group stays small enough that its writers need not wait long for each other; beyond this a larger group
// saves hardly anything.
constexpr std::size_t kGroupJobs = 1024;
constexpr std::size_t kGroupBytes = 8UL << 20U;

constexpr std::chrono::seconds kUpkeepInterval{5};
// How finely the age of history is known.
constexpr std::chrono::seconds kTimesInterval{1};
// Rows that one step of upkeep handles: some milliseconds, in which writers wait.
constexpr std::int64_t kUpkeepRows = 2000;

std::int64_t UnixMs(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace

SqliteStore::SqliteStore(const SqliteOptions& options, const base::Clock& clock, base::Metrics& metrics,
                         base::Executor& executor, CommitObserver* observer,
                         std::optional<DirectoryLock> lock, std::unique_ptr<Writer> writer, std::string path,
                         Revision newest, Revision compacted)
    : options_(options),
      clock_(clock),
      executor_(executor),
      observer_(observer),
      lock_(std::move(lock)),
      readers_(std::move(path), options.vfs, options.cache_bytes),
      newest_(newest),
      compacted_(compacted),
      group_size_(metrics
                      .Histograms("annex_store_group_size", "Writes that shared one commit.", {},
                                  {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
                      .With({})),
      commit_seconds_(
          metrics
              .Histograms("annex_store_commit_seconds",
                          "Time from the begin of a group to its commit on disk.", {},
                          {0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5})
              .With({})),
      queue_length_(
          metrics.Gauges("annex_store_queue_length", "Writes that wait for the disk.", {}).With({})),
      log_frames_(
          metrics.Gauges("annex_store_wal_frames", "Pages in SQLite's write-ahead log.", {}).With({})),
      writer_(std::move(writer)),
      forget_upto_(options.revisions_beyond) {
  NoteTime(newest);
  ScheduleUpkeep();
}

SqliteStore::~SqliteStore() {
  // A start reads the log through; one that was stopped in order need not. Failing to shorten it loses
  // nothing.
  if (Healthy()) static_cast<void>(writer_->connection().Checkpoint(SQLITE_CHECKPOINT_TRUNCATE));
}

void SqliteStore::OpenCollection(std::string name, std::function<void(base::Result<CollectionInfo>)> done) {
  Enqueue(std::make_unique<OpenCollectionJob>(std::move(name), std::move(done)));
}

void SqliteStore::DropCollection(CollectionId collection, std::function<void(base::Result<void>)> done) {
  Enqueue(std::make_unique<DropCollectionJob>(collection, std::move(done)));
}

void SqliteStore::SetAccess(CollectionId collection, Access access,
                            std::function<void(base::Result<void>)> done) {
  Enqueue(std::make_unique<SetAccessJob>(collection, access, std::move(done)));
}

void SqliteStore::UpdateTerms(CollectionId collection, std::vector<TermUpdate> updates,
                              std::function<void(base::Result<void>)> done) {
  Enqueue(std::make_unique<UpdateTermsJob>(collection, std::move(updates), std::move(done)));
}

void SqliteStore::SetTermsFormat(CollectionId collection, std::uint64_t terms_format,
                                 std::function<void(base::Result<void>)> done) {
  Enqueue(std::make_unique<SetTermsFormatJob>(collection, terms_format, std::move(done)));
}

void SqliteStore::Commit(Mutation mutation, std::function<void(base::Result<Committed>)> done) {
  Enqueue(std::make_unique<CommitJob>(std::move(mutation), std::move(done)));
}

void SqliteStore::Enqueue(std::unique_ptr<Job> job) {
  base::Result<void> refused;
  bool post = false;
  {
    const base::MutexLock lock(mutex_);
    if (!health_) {
      refused = health_;
    } else if (queue_.size() >= options_.max_queued_writes || queue_bytes_ >= options_.max_queued_bytes) {
      refused = base::Error(base::Reason::kTooManyRequests, "too many writes are waiting for the disk");
    } else {
      queue_bytes_ += job->Bytes();
      queue_.push_back(std::move(job));
      post = !std::exchange(drain_posted_, true);
    }
  }
  if (!refused) {
    // On the writer like every other answer, so that no caller is called back while it still calls.
    std::shared_ptr<Job> shared = std::move(job);
    executor_.Post([shared, refused] { shared->Finish(refused); });
  } else if (post) {
    executor_.Post([this] { Drain(); });
  }
}

std::vector<std::unique_ptr<Job>> SqliteStore::TakeGroup() {
  std::vector<std::unique_ptr<Job>> jobs;
  std::size_t bytes = 0;
  const base::MutexLock lock(mutex_);
  while (!queue_.empty() && jobs.size() < kGroupJobs && bytes < kGroupBytes) {
    bytes += queue_.front()->Bytes();
    jobs.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  queue_bytes_ -= bytes;
  queue_length_.Set(static_cast<double>(queue_.size()));
  return jobs;
}

void SqliteStore::Drain() {
  RunGroup(TakeGroup());
  CheckpointIfDue();
  bool again = false;
  {
    const base::MutexLock lock(mutex_);
    again = !queue_.empty();
    drain_posted_ = again;
  }
  if (again) executor_.Post([this] { Drain(); });
}

base::Result<void> SqliteStore::RunJobs(const std::vector<std::unique_ptr<Job>>& jobs, Group& group) {
  ANNEX_RETURN_IF_ERROR(writer_->BeginGroup(UnixMs(clock_.Now())));
  for (const auto& job : jobs) ANNEX_RETURN_IF_ERROR(job->Run(*writer_, group));
  return writer_->CommitGroup();
}

void SqliteStore::RunGroup(const std::vector<std::unique_ptr<Job>>& jobs) {
  if (jobs.empty()) return;
  Group group;
  group.newest = CurrentRevision();
  const auto begin = clock_.Monotonic();
  base::Result<void> committed = Healthy();
  if (committed) {
    committed = RunJobs(jobs, group);
    if (!committed) {
      const bool passes = writer_->connection().LastErrorPasses();
      writer_->RollbackGroup();
      if (!passes) StopWriting(committed.error());
    }
  }
  if (committed) {
    group_size_.Observe(static_cast<double>(jobs.size()));
    commit_seconds_.Observe(std::chrono::duration<double>(clock_.Monotonic() - begin).count());
    history_bytes_ += group.replaced_bytes;
    newest_.store(group.newest, std::memory_order_release);
    NoteTime(group.newest);
    purge_pending_ = purge_pending_ || !group.dropped.empty();
    if (observer_ != nullptr) {
      observer_->OnCommitted(group.events, group.newest);
      for (const CollectionId collection : group.dropped) observer_->OnCollectionDropped(collection);
    }
  }
  for (const auto& job : jobs) job->Finish(committed);
}

// After a failed write or fsync nobody knows what is on disk: going on could acknowledge what a restart then
// does not find.
void SqliteStore::StopWriting(const base::Status& why) {
  base::LogError("The store stopped writing; restart annex once the cause is removed",
                 {{"error", why.message}});
  const base::MutexLock lock(mutex_);
  health_ = base::Error(why);
}

base::Result<void> SqliteStore::Healthy() const {
  const base::MutexLock lock(mutex_);
  return health_;
}

void SqliteStore::CheckpointIfDue() {
  if (!Healthy()) return;
  const int frames = writer_->connection().LogFrames();
  log_frames_.Set(frames);
  if (frames < options_.checkpoint_frames) return;
  const auto done = writer_->connection().Checkpoint(
      frames < options_.restart_frames ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART);
  if (!done && !writer_->connection().LastErrorPasses()) StopWriting(done.error());
}

base::Result<bool> SqliteStore::Get(CollectionId collection, std::string_view key,
                                    const std::function<void(const Row&)>& visitor) {
  ANNEX_TRY(const auto reader, readers_.Take());
  return reader->Get(collection, key, visitor);
}

base::Result<Page> SqliteStore::List(const ListQuery& query, const RowVisitor& visitor) {
  ANNEX_TRY(const auto reader, readers_.Take());
  return reader->List(query, visitor, remaining_);
}

base::Result<std::int64_t> SqliteStore::Count(CollectionId collection) {
  ANNEX_TRY(const auto reader, readers_.Take());
  return reader->Count(collection);
}

base::Result<Store::LogBatch> SqliteStore::ReadLog(const LogQuery& query) {
  ANNEX_TRY(const auto reader, readers_.Take());
  return reader->ReadLog(query);
}

std::shared_ptr<void> SqliteStore::Pin(Revision at) {
  const base::MutexLock lock(mutex_);
  const auto pin = pins_.insert(at);
  return {nullptr, [this, pin](void*) {
            const base::MutexLock unpin_lock(mutex_);
            pins_.erase(pin);
          }};
}

void SqliteStore::NoteTime(Revision newest) {
  const auto now = clock_.Monotonic();
  if (!times_.empty() && now - times_.back().first < kTimesInterval) {
    times_.back().second = newest;
  } else {
    times_.emplace_back(now, newest);
  }
}

void SqliteStore::ScheduleUpkeep() {
  upkeep_timer_ = executor_.After(kUpkeepInterval, [this] {
    UpkeepStep();
    ScheduleUpkeep();
  });
}

Revision SqliteStore::CompactionTarget() {
  const auto oldest_kept = clock_.Monotonic() - options_.history_age;
  while (!times_.empty() && times_.front().first + kTimesInterval <= oldest_kept) {
    forget_upto_ = times_.front().second;
    times_.pop_front();
  }
  // Too many bytes: give up the older half of what is kept.
  if (history_bytes_ > options_.history_bytes)
    forget_upto_ = std::max(forget_upto_, (compacted_ + newest_) / 2);
  const Revision target = std::min<Revision>(forget_upto_, newest_ - 1);
  const base::MutexLock lock(mutex_);
  // A pin on what is gone already holds nothing.
  const auto pin = pins_.lower_bound(compacted_);
  return pin == pins_.end() ? target : std::min(target, *pin);
}

base::Result<void> SqliteStore::CompactStep() {
  const Revision target = CompactionTarget();
  const auto step = [&]() -> base::Result<Writer::HistoryStep> {
    ANNEX_RETURN_IF_ERROR(writer_->BeginGroup(UnixMs(clock_.Now())));
    Writer::HistoryStep done{compacted_, 0};
    // Readers learn first that this history is gone, in the same transaction in which it goes.
    if (target > compacted_) {
      ANNEX_TRY(done, writer_->ForgetHistory(compacted_, target, kUpkeepRows));
    }
    if (purge_pending_) {
      ANNEX_TRY(purge_pending_, writer_->PurgeDropped(kUpkeepRows));
    }
    ANNEX_RETURN_IF_ERROR(writer_->CommitGroup());
    return done;
  }();
  if (!step) {
    const bool passes = writer_->connection().LastErrorPasses();
    writer_->RollbackGroup();
    if (!passes) StopWriting(step.error());
    return base::Error(step.error());
  }
  history_bytes_ = std::max<std::int64_t>(0, history_bytes_ - step->bytes_freed);
  compacted_.store(step->compacted, std::memory_order_release);
  CheckpointIfDue();
  return {};
}

void SqliteStore::UpkeepStep() {
  if (!Healthy() || !UpkeepDue()) return;
  // The next step comes after the writes that wait by then.
  if (CompactStep() && UpkeepDue()) executor_.Post([this] { UpkeepStep(); });
}

void SqliteStore::Compact(std::function<void(base::Result<void>)> done) {
  executor_.Post([this, done = std::move(done)] {
    base::Result<void> result = Healthy();
    while (result && UpkeepDue()) result = CompactStep();
    done(result);
  });
}

}  // namespace annex::store::sqlite

namespace annex::store {

base::Result<std::unique_ptr<Store>> OpenSqliteStore(const SqliteOptions& options, const base::Clock& clock,
                                                     base::Metrics& metrics, base::Executor& writer,
                                                     CommitObserver* observer) {
  std::optional<sqlite::DirectoryLock> lock;
  if (options.vfs.empty()) {
    ANNEX_TRY(lock, sqlite::DirectoryLock::Take(options.data_directory, options.try_again));
  }
  const std::string path = options.data_directory + "/annex.db";
  ANNEX_TRY(auto writer_connection, sqlite::Writer::Open(path, options.vfs, options.cache_bytes));
  // What a process that died had written but not synced is there again, as long as the system runs. Before
  // anybody sees it, it goes to the disk: a revision that was seen must not come again after the next loss of
  // power.
  ANNEX_RETURN_IF_ERROR(writer_connection->connection().RewriteLog());
  ANNEX_RETURN_IF_ERROR(writer_connection->connection().Checkpoint(SQLITE_CHECKPOINT_TRUNCATE));
  ANNEX_RETURN_IF_ERROR(
      writer_connection->BeginBeyond(options.revisions_beyond, sqlite::UnixMs(clock.Now())));
  ANNEX_TRY(const Revision newest, writer_connection->Newest());
  ANNEX_TRY(const Revision compacted, writer_connection->Compacted());
  base::LogInfo(
      "Opened the store",
      {{"file", path}, {"sqlite", sqlite3_libversion()}, {"revision", newest}, {"historyFrom", compacted}});
  return std::make_unique<sqlite::SqliteStore>(options, clock, metrics, writer, observer, std::move(lock),
                                               std::move(writer_connection), path, newest, compacted);
}

}  // namespace annex::store
