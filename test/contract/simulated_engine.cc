// The SQLite engine on a simulated disk, run by a simulated scheduler.
#include "annex/store/sqlite.h"
#include "engine.h"
#include "support/simulated_disk.h"
#include "support/simulated_scheduler.h"

#include <string>

namespace annex::test {
namespace {

constexpr std::uint64_t kSeed = 20270115;

class SimulatedEngine final : public Engine {
 public:
  base::Result<std::unique_ptr<store::Store>> Open(const Settings& settings, const base::Clock& clock,
                                                   base::Metrics& metrics,
                                                   store::CommitObserver* observer) override {
    writer_ = scheduler_.NewExecutor("writer");
    store::SqliteOptions options;
    options.data_directory = "/data";
    options.history_age = settings.history_age;
    options.history_bytes = settings.history_bytes;
    options.max_queued_writes = settings.max_queued_writes;
    options.max_queued_bytes = settings.max_queued_bytes;
    options.revisions_beyond = settings.revisions_beyond;
    options.vfs = disk_.vfs();
    return store::OpenSqliteStore(options, clock, metrics, *writer_, observer);
  }

  // Nothing runs but in Wait.
  void Stop() override {}

  bool Wait(std::future<void>& done) override {
    while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      if (!scheduler_.Step()) return false;
    }
    return true;
  }

  void Pause() override {}
  void Resume() override {}

  std::uint64_t DataBytes() override {
    return disk_.SizeOf("/data/annex.db") + disk_.SizeOf("/data/annex.db-wal");
  }

  bool BreakDisk(bool full) override {
    disk_.Inject({full ? SimulatedDisk::Fault::kFull : SimulatedDisk::Fault::kSyncError, 0, true});
    return true;
  }
  void HealDisk() override { disk_.Heal(); }

 private:
  SimulatedScheduler scheduler_{kSeed};
  SimulatedDisk disk_{kSeed};
  std::unique_ptr<base::Executor> writer_;
};

}  // namespace

std::unique_ptr<Engine> MakeEngine() {
  return std::make_unique<SimulatedEngine>();
}

}  // namespace annex::test
