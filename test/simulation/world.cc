#include "world.h"

#include "clients.h"
#include "support/database_check.h"

#include <optional>
#include <utility>

#include <sqlite3.h>

namespace annex::test {
namespace {

using store::CollectionId;

constexpr std::size_t kWriters = 3;
constexpr std::size_t kListers = 2;
constexpr std::size_t kWatchers = 4;
// A number of operations that no life comes to.
constexpr std::uint64_t kNever = 1ULL << 40U;

template <typename T>
T OneOf(SeededRandom& random, std::initializer_list<T> choices) {
  return choices.begin()[random.Below(choices.size())];
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  commits += other.commits;
  lists += other.lists;
  events += other.events;
  expired += other.expired;
  drops += other.drops;
  faults += other.faults;
  process_crashes += other.process_crashes;
  power_losses += other.power_losses;
  settled += other.settled;
  return *this;
}

Outcome Simulate(std::uint64_t seed, Sabotage sabotage, std::function<void(std::string_view)> print) {
  // SQLite draws the salts of its log from a generator of its own.
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(seed % 1'000'000'007) + 1, nullptr);
  Trace trace(std::move(print));
  World world(seed, sabotage, trace);
  world.Run();
  return {world.failure(), trace.digest(), world.tally()};
}

World::World(std::uint64_t seed, Sabotage sabotage, Trace& trace)
    : random_(seed),
      sabotage_(sabotage),
      trace_(trace),
      scheduler_(random_.Next(), &trace),
      disk_(random_.Next(), &trace) {
  if (sabotage_ == Sabotage::kIgnoreSyncs) disk_.IgnoreSyncs();
  options_.data_directory = "/data";
  options_.vfs = disk_.vfs();
  options_.history_age = std::chrono::seconds(random_.Between(1, 8));
  options_.history_bytes = OneOf<std::int64_t>(random_, {5'000, 200'000, 1LL << 30});
  options_.max_queued_writes = OneOf<std::size_t>(random_, {3, 20'000});
  options_.cache_bytes = OneOf<std::int64_t>(random_, {64 << 10, 8 << 20});
  options_.checkpoint_frames = OneOf(random_, {5, 30, 2000});
  options_.restart_frames = options_.checkpoint_frames * OneOf(random_, {1, 3});
  hub_options_.max_bytes = OneOf<std::size_t>(random_, {0, 4'000, 100'000, 32UL << 20U});
  hub_options_.batch_events = OneOf<std::size_t>(random_, {1, 3, 512});
  hub_options_.batch_bytes = OneOf<std::size_t>(random_, {500, 1UL << 20U});
  names_ = {"widgets", "gadgets"};
  collections_.resize(names_.size());
  bookmarks_.resize(kWatchers);
}

World::~World() {
  Die();
}

std::string World::AnyNamespace() {
  return OneOf<std::string>(random_, {"a", "a-b", "b"});
}
std::string World::AnyKey() {
  return AnyNamespace() + "/" + std::to_string(random_.Below(6));
}

void World::Run() {
  for (std::uint64_t lives = random_.Between(1, 4); lives > 0 && !history_.Failed(); --lives) Live();
  if (!history_.Failed()) Live();
  tally_.faults = disk_.faults_hit();
}

void World::Live() {
  faults_before_ = disk_.faults_hit();
  // A start may be the end, too.
  disk_.StopIn(random_.OneIn(5) ? random_.Between(1, 60) : kNever);
  if (OpenStore() && OpenCollections() && !disk_.stopped()) {
    disk_.StopIn(kNever);
    history_.Recover(*store_, collections_);
    const std::string problem = CheckDatabase(options_.data_directory + "/annex.db", options_.vfs);
    if (!problem.empty()) history_.Fail("after a start: " + problem);
    RunClients();
  }
  Die();
}

bool World::OpenStore() {
  metrics_ = std::make_unique<base::Metrics>();
  writer_ = scheduler_.NewExecutor("writer");
  hub_ = std::make_unique<store::WatchHub>(hub_options_, *metrics_);
  auto opened = store::OpenSqliteStore(options_, scheduler_.clock(), *metrics_, *writer_, this);
  if (!opened) {
    if (!MayFail()) history_.Fail("the store does not open: " + opened.error().message);
    return false;
  }
  store_ = *std::move(opened);
  hub_->SetStore(*store_);
  return true;
}

bool World::OpenCollections() {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::optional<base::Result<store::CollectionInfo>> info;
    store_->OpenCollection(names_[i],
                           [&info](base::Result<store::CollectionInfo> result) { info = std::move(result); });
    while (!info && scheduler_.Step()) {
    }
    if (!info || !*info) {
      if (!MayFail()) history_.Fail("a collection does not open");
      return false;
    }
    TakeOver(i, (*info)->id);
  }
  return true;
}

// A collection is the one of before, or that was dropped.
void World::TakeOver(std::size_t which, CollectionId now) {
  const CollectionId before = std::exchange(collections_[which], now);
  if (before == now) {
    history_.Kept(now);
  } else if (before != 0) {
    if (!history_.MayBeDropped(before)) history_.Fail("a collection is gone: " + names_[which]);
    history_.Dropped(before);
  }
}

void World::MakeClients() {
  const auto executor = [this](const char* name, std::size_t number) -> base::Executor& {
    return *executors_.emplace_back(scheduler_.NewExecutor(name + std::to_string(number)));
  };
  for (std::size_t i = 0; i < kWriters; ++i) {
    writers_and_listers_.push_back(std::make_unique<WriterClient>(*this, executor("writer-", i)));
  }
  for (std::size_t i = 0; i < kListers; ++i) {
    writers_and_listers_.push_back(std::make_unique<ListerClient>(*this, executor("lister-", i)));
  }
  for (std::size_t i = 0; i < kWatchers; ++i) {
    watchers_.push_back(std::make_unique<WatcherClient>(*this, executor("watcher-", i), bookmarks_[i]));
  }
}

void World::RunClients() {
  MakeClients();
  const bool in_order = random_.OneIn(3);
  if (!in_order && random_.OneIn(2)) disk_.StopIn(random_.Between(1, 1500));
  for (std::uint64_t steps = random_.Between(50, 500); steps > 0 && !history_.Failed() && !disk_.stopped();
       --steps) {
    Disturb();
    if (!scheduler_.Step()) scheduler_.AdvanceToNextTimer(std::chrono::seconds(10));
  }
  if (!in_order) {
    disk_.Stop();
  } else if (!history_.Failed()) {
    Settle();
  }
}

void World::Disturb() {
  if (random_.OneIn(60)) store_->Compact([](const base::Result<void>&) {});
  if (random_.OneIn(200)) DropSomething();
  if (random_.OneIn(250)) BreakDisk();
  if (random_.OneIn(30)) disk_.Heal();
  if (random_.OneIn(150)) {
    resting_ = true;
    scheduler_.AdvanceTime(std::chrono::milliseconds(random_.Between(100, 6000)));
    resting_ = false;
  }
}

void World::BreakDisk() {
  using Fault = SimulatedDisk::Fault;
  const auto fault = OneOf(random_, {Fault::kIoError, Fault::kReadError, Fault::kFull, Fault::kFull,
                                     Fault::kShortWrite, Fault::kSyncError});
  disk_.Inject({fault, random_.Below(20), random_.OneIn(3)});
  Note("broken disk " + std::to_string(static_cast<int>(fault)));
}

void World::DropSomething() {
  if (std::exchange(drop_pending_, true)) return;
  const std::size_t which = random_.Below(collections_.size());
  const CollectionId collection = collections_[which];
  history_.SubmitDrop(collection);
  store_->DropCollection(collection, [this, which, collection](const base::Result<void>& result) {
    if (disk_.stopped()) return;
    if (!result) {
      drop_pending_ = false;
      if (!MayFail() && result.error().reason != base::Reason::kTooManyRequests)
        history_.Fail("a collection is not dropped");
      return;
    }
    ++tally_.drops;
    history_.Dropped(collection);
    store_->OpenCollection(names_[which], [this, which](base::Result<store::CollectionInfo> info) {
      // If that was refused, the clients go on with a collection that is not there, to the end of this life.
      if (!info) return;
      collections_[which] = info->id;
      drop_pending_ = false;
    });
  });
}

void World::RunOthers() {
  for (std::uint64_t steps = random_.Between(1, 3); steps > 0; --steps) scheduler_.Step();
}

void World::Answered(std::uint64_t number, const base::Result<store::Committed>& result) {
  // A process that died tells nobody anything.
  if (disk_.stopped()) return;
  if (result) ++tally_.commits;
  Note("answer " + std::to_string(number) +
       (result ? " at " + std::to_string(result->revision)
               : std::string(" ") + base::ReasonText(result.error().reason)));
  history_.Answer(number, result, MayFail(), !store_->Healthy());
}

void World::OnCommitted(const std::vector<store::EventPtr>& events, store::Revision upto) {
  history_.Publish(events, upto);
  Note("published " + std::to_string(events.size()) + " up to " + std::to_string(upto));
  std::vector<store::EventPtr> given = events;
  if (sabotage_ == Sabotage::kDropEvent && !given.empty() && random_.OneIn(10)) given.pop_back();
  hub_->OnCommitted(given, upto);
  if (sabotage_ == Sabotage::kRepeatEvent && random_.OneIn(2)) hub_->OnCommitted(given, upto);
}

void World::OnCollectionDropped(CollectionId collection) {
  hub_->OnCollectionDropped(collection);
}

void World::Settle() {
  writers_and_listers_.clear();
  disk_.Heal();
  settling_ = true;
  scheduler_.AdvanceTime(std::chrono::seconds(60));
  if (MayFail()) return;
  for (const auto& watcher : watchers_) watcher->CheckSettled();
  for (const CollectionId collection : collections_) history_.Compare(*store_, collection);
  ++tally_.settled;
}

void World::Die() {
  writers_and_listers_.clear();
  watchers_.clear();
  store_.reset();
  hub_.reset();
  executors_.clear();
  writer_.reset();
  metrics_.reset();
  drop_pending_ = false;
  settling_ = false;
  disk_.Heal();
  history_.Crash();
  const bool crashed = disk_.stopped();
  if (crashed || random_.OneIn(3)) {
    const bool power = random_.OneIn(2);
    ++(power ? tally_.power_losses : tally_.process_crashes);
    disk_.Restart(power ? SimulatedDisk::Crash::kPower : SimulatedDisk::Crash::kProcess);
    Note(power ? "power lost" : "process died");
  }
}

}  // namespace annex::test
