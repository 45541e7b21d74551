// World: one store with its hub and clients, on a simulated disk and scheduler, through some lives that end
// in crashes.
//
//   a life:  open the store, compare it with what must be there -> clients write, list and watch while faults
//   hit the disk
//            -> stop in order, die, or lose the power
//
// Everything follows from the seed: two worlds of one seed give equal traces.
//
// Thread rule: one thread.
#pragma once

#include "annex/base/metrics.h"
#include "annex/store/sqlite.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"
#include "history.h"
#include "support/seeded_random.h"
#include "support/simulated_disk.h"
#include "support/simulated_scheduler.h"
#include "support/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace annex::test {

// What a world is broken by, to see whether that is found.
enum class Sabotage : std::uint8_t {
  kNone,
  kIgnoreSyncs,  // the disk lies: what was synced may be lost
  kDropEvent,    // the hub does not get every event
  kRepeatEvent,  // it gets some twice
};

// How much happened: a simulation that does nothing finds nothing.
struct Tally {
  std::uint64_t commits = 0;
  std::uint64_t lists = 0;
  std::uint64_t events = 0;
  std::uint64_t expired = 0;
  std::uint64_t drops = 0;
  std::uint64_t faults = 0;
  std::uint64_t process_crashes = 0;
  std::uint64_t power_losses = 0;
  std::uint64_t settled = 0;  // lives that ended in order, all watchers caught up

  Tally& operator+=(const Tally& other);
};

struct Outcome {
  std::string failure;  // "" if all went as it must
  std::uint64_t digest = 0;
  Tally tally;
};

// Runs the world of a seed. `print`, if any, gets the trace's lines.
Outcome Simulate(std::uint64_t seed, Sabotage sabotage = Sabotage::kNone,
                 std::function<void(std::string_view)> print = {});

// A client's place in the world: it lives as long as the store that it talks to.
class Client {
 public:
  virtual ~Client() = default;
  // Called when nothing is left to run and nothing failed.
  virtual void CheckSettled() {}
};

// Where a watch stood when its store died.
struct Bookmark {
  store::CollectionId collection = 0;
  std::string prefix;
  store::Revision progress = -1;  // -1: it has to begin with a list
};

class World final : public store::CommitObserver {
 public:
  World(std::uint64_t seed, Sabotage sabotage, Trace& trace);
  ~World() override;

  void Run();

  // --- for clients
  // ------------------------------------------------------------------------------------------------
  store::Store& store() { return *store_; }
  store::WatchHub& hub() { return *hub_; }
  History& history() { return history_; }
  SeededRandom& random() { return random_; }
  Tally& tally() { return tally_; }
  void Note(const std::string& line) { trace_.Add(line); }
  const std::string& failure() const { return history_.failure(); }

  store::CollectionId AnyCollection() { return collections_[random_.Below(collections_.size())]; }
  std::string AnyNamespace();
  std::string AnyKey();
  // The disk failed in this life, or the process is dying: errors are to be expected.
  bool MayFail() const { return disk_.stopped() || disk_.faults_hit() > faults_before_; }
  // Time passes quickly: clients do little.
  bool Resting() { return resting_ && !random_.OneIn(20); }
  // Nobody writes any more, and nobody is slow.
  bool Settling() const { return settling_; }
  void Answered(std::uint64_t number, const base::Result<store::Committed>& result);
  // Lets others run while a client is in the middle of something.
  void RunOthers();

 private:
  void OnCommitted(const std::vector<store::EventPtr>& events, store::Revision upto) override;
  void OnCollectionDropped(store::CollectionId collection) override;

  void Live();
  bool OpenStore();
  bool OpenCollections();
  void TakeOver(std::size_t which, store::CollectionId now);
  void MakeClients();
  void RunClients();
  void Disturb();
  void BreakDisk();
  void DropSomething();
  // Lets the watchers catch up and compares everything.
  void Settle();
  void Die();

  SeededRandom random_;
  const Sabotage sabotage_;
  Trace& trace_;
  SimulatedScheduler scheduler_;
  SimulatedDisk disk_;
  History history_;
  Tally tally_;
  store::SqliteOptions options_;
  store::WatchHub::Options hub_options_;
  std::vector<std::string> names_;
  std::vector<store::CollectionId> collections_;  // of the names; 0: not opened yet
  std::vector<Bookmark> bookmarks_;
  bool drop_pending_ = false;
  bool resting_ = false;
  bool settling_ = false;
  std::uint64_t faults_before_ = 0;  // this life

  std::unique_ptr<base::Metrics> metrics_;
  std::unique_ptr<base::Executor> writer_;
  std::vector<std::unique_ptr<base::Executor>> executors_;
  std::unique_ptr<store::WatchHub> hub_;
  std::unique_ptr<store::Store> store_;
  std::vector<std::unique_ptr<Client>> writers_and_listers_;
  std::vector<std::unique_ptr<Client>> watchers_;
};

}  // namespace annex::test
