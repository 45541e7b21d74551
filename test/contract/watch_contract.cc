// The watch hub over an engine: what watchers of every kind get, and when they are woken.
#include "store_contract.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace annex::test {
namespace {

using base::Reason;
using store::Revision;
using store::WatchHub;
using Lines = std::vector<std::string>;

// A watcher that checks, with each batch, what every batch must be.
class Probe {
 public:
  Probe(StoreFixture& fixture, store::CollectionId c, Revision after, const std::string& prefix = "")
      : fixture_(fixture),
        prefix_(prefix),
        progress_(after),
        watcher_(fixture.hub().Watch(c, prefix, after, fixture.executor(), [this] { ++wakes_; })) {}

  // A wake that was posted may still come.
  ~Probe() { fixture_.AwaitWakes(); }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // One batch's events.
  Lines Next() {
    auto batch = watcher_->Next();
    if (!batch) {
      error_ = batch.error().reason;
      return {};
    }
    for (const store::EventPtr& event : batch->events) {
      // Nothing comes after a bookmark that said so, nothing twice, nothing back in time, nothing of others.
      CHECK(event->revision() > progress_);
      CHECK(event->key().starts_with(prefix_));
      progress_ = event->revision();
    }
    CHECK(batch->progress >= progress_);
    progress_ = batch->progress;
    idle_ = batch->idle;
    ended_ = batch->ended;
    return Describe(batch->events);
  }

  // Everything there is for now.
  Lines Drain() {
    Lines lines;
    do {
      for (const std::string& line : Next()) lines.push_back(line);
    } while (!idle_ && !ended_ && error_ == Reason::kUnknown);
    return lines;
  }

  Revision progress() const { return progress_; }
  bool ended() const { return ended_; }
  Reason error() const { return error_; }
  int wakes() const {
    fixture_.AwaitWakes();
    return wakes_;
  }

 private:
  StoreFixture& fixture_;
  const std::string prefix_;
  Revision progress_;
  bool idle_ = false;
  bool ended_ = false;
  Reason error_ = Reason::kUnknown;
  std::atomic<int> wakes_{0};
  const std::unique_ptr<WatchHub::Watcher> watcher_;
};

// The log, as what a watcher must get. Prefixes are cut out.
Lines Expected(StoreFixture& fixture, store::CollectionId c, Revision after, const std::string& prefix = "") {
  Lines lines;
  for (const auto& event : fixture.ReadLog(c, after)) {
    if (event->key().starts_with(prefix)) lines.push_back(Describe(*event));
  }
  return lines;
}

// Memory for no event at all: every watcher lives on the log.
constexpr WatchHub::Options kNoMemory{0, 5, 1UL << 20U};

// Creations, updates and deletions in three namespaces and another collection.
void MakeTraffic(StoreFixture& fixture, store::CollectionId c, store::CollectionId other, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const std::string key = std::string(1, static_cast<char>('a' + i % 3)) + "/" + std::to_string(i % 5);
    const auto object = fixture.Load(c, key);
    if (!object) {
      fixture.Create(c, key, std::to_string(i));
    } else if (i % 4 == 0) {
      fixture.Delete(c, key);
    } else {
      fixture.Update(c, key, std::to_string(i));
    }
    if (i % 3 == 0) fixture.Create(other, std::to_string(fixture.store().CurrentRevision()));
  }
}

}  // namespace

TEST_CASE("a synced watcher gets every change as it happens", "[contract][watch]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  Probe probe(fixture, c, fixture.store().CurrentRevision());
  CHECK(probe.Drain().empty());
  const auto created = fixture.Create(c, "a", "1");
  CHECK(probe.Drain() == Lines{"create a@" + std::to_string(created->revision)});
  fixture.Update(c, "a", "2");
  fixture.Delete(c, "a");
  fixture.Create(c, "a", "3");
  CHECK(probe.Drain() == Expected(fixture, c, created->revision));
  CHECK(probe.progress() == fixture.store().CurrentRevision());
}

TEST_CASE("a watcher from any revision gets what came after, from memory or from the log",
          "[contract][watch]") {
  const auto options = GENERATE(WatchHub::Options{}, WatchHub::Options{2000, 3, 500}, kNoMemory);
  StoreFixture fixture({}, options);
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  const Revision begin = fixture.store().CurrentRevision();
  MakeTraffic(fixture, c, other, 40);
  for (const bool reopened : {false, true}) {
    if (reopened) fixture.Reopen();
    for (Revision after = begin; after <= fixture.store().CurrentRevision(); ++after) {
      CHECK(Probe(fixture, c, after).Drain() == Expected(fixture, c, after));
      CHECK(Probe(fixture, c, after, "b/").Drain() == Expected(fixture, c, after, "b/"));
    }
  }
}

TEST_CASE("watchers of every pace get the same", "[contract][watch]") {
  const auto options = GENERATE(WatchHub::Options{}, WatchHub::Options{3000, 4, 1000}, kNoMemory);
  StoreFixture fixture({}, options);
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  const Revision begin = fixture.store().CurrentRevision();
  Probe quick(fixture, c, begin);
  Probe slow(fixture, c, begin);
  Probe asleep(fixture, c, begin);
  Probe narrow(fixture, c, begin, "c/");
  Lines seen_quick;
  Lines seen_slow;
  Lines seen_narrow;
  for (int i = 0; i < 40; ++i) {
    MakeTraffic(fixture, c, other, 3);
    for (const std::string& line : quick.Drain()) seen_quick.push_back(line);
    for (const std::string& line : slow.Next()) seen_slow.push_back(line);
    if (i % 7 == 0) {
      for (const std::string& line : narrow.Drain()) seen_narrow.push_back(line);
    }
  }
  for (const std::string& line : slow.Drain()) seen_slow.push_back(line);
  for (const std::string& line : narrow.Drain()) seen_narrow.push_back(line);
  CHECK(seen_quick == Expected(fixture, c, begin));
  CHECK(seen_slow == Expected(fixture, c, begin));
  CHECK(asleep.Drain() == Expected(fixture, c, begin));
  CHECK(seen_narrow == Expected(fixture, c, begin, "c/"));
}

TEST_CASE("a watcher from a revision to come gets nothing before it", "[contract][watch]") {
  StoreFixture fixture({}, GENERATE(WatchHub::Options{}, kNoMemory));
  const auto c = fixture.Collection();
  const Revision future = fixture.store().CurrentRevision() + 5;
  Probe probe(fixture, c, future, "a/");
  CHECK(probe.Drain().empty());
  for (int i = 0; i < 10; ++i) {
    fixture.Create(c, (i % 2 == 0 ? "a/" : "b/") + std::to_string(i));
    const Lines lines = probe.Drain();
    const Revision now = fixture.store().CurrentRevision();
    CHECK(lines == (now > future && i % 2 == 0 ? Expected(fixture, c, now - 1) : Lines{}));
    CHECK(probe.progress() == std::max(now, future));
  }
}

TEST_CASE("a watcher that history left behind is Expired, one at its border is not", "[contract][watch]") {
  StoreFixture fixture({}, GENERATE(WatchHub::Options{2000, 3, 500}, kNoMemory));
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  const Revision begin = fixture.store().CurrentRevision();
  Probe slow(fixture, c, begin);
  CHECK(slow.Next().empty());
  MakeTraffic(fixture, c, other, 60);
  fixture.CompactAll();
  MakeTraffic(fixture, c, other, 60);
  const Revision border = fixture.store().CompactedRevision();
  REQUIRE(border > begin);

  // It was asleep and is told of the first change: nothing of what it missed came before that, so it may lag
  // or be too late, but must not skip.
  const Lines got = slow.Drain();
  if (slow.error() == Reason::kUnknown) CHECK(got == Expected(fixture, c, begin));
  Probe late(fixture, c, border - 1);
  CHECK(late.Drain().empty());
  CHECK(late.error() == Reason::kExpired);
  CHECK(Probe(fixture, c, border).Drain() == Expected(fixture, c, border));
}

TEST_CASE("a deletion that compaction passed is given or Expired, never left out", "[contract][watch]") {
  StoreFixture fixture({}, GENERATE(WatchHub::Options{}, kNoMemory));
  const auto c = fixture.Collection();
  const Revision created = fixture.Create(c, "a")->revision;
  const Revision deleted = fixture.Delete(c, "a");
  fixture.Create(c, "b");
  fixture.Create(c, "c");
  Probe before(fixture, c, created);
  Probe at(fixture, c, deleted);
  fixture.CompactAll();
  REQUIRE(fixture.store().CompactedRevision() > deleted);
  const Lines got = before.Drain();
  CHECK((before.error() == Reason::kExpired ? got.empty() : got.size() == 3));
  const Lines got_after = at.Drain();
  CHECK((at.error() == Reason::kExpired ? got_after.empty() : got_after.size() == 2));
}

TEST_CASE("an idle watcher stays valid while everything around it is compacted", "[contract][watch]") {
  // The last event is too large for memory: it is in the log only, which no longer knows the time when the
  // watcher fell asleep.
  StoreFixture fixture({}, WatchHub::Options{3000, 10, 1000});
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  Probe quiet_namespace(fixture, c, fixture.store().CurrentRevision(), "quiet/");
  Probe quiet_collection(fixture, other, fixture.store().CurrentRevision());
  CHECK(quiet_namespace.Drain().empty());
  CHECK(quiet_collection.Drain().empty());
  for (int i = 0; i < 50; ++i) fixture.Create(c, "busy/" + std::to_string(i), std::string(500, 'x'));
  fixture.CompactAll();
  CHECK(quiet_namespace.wakes() == 0);
  CHECK(quiet_collection.wakes() == 0);
  fixture.Create(other, "a", std::string(5000, 'x'));
  fixture.Create(c, "quiet/a", std::string(5000, 'x'));
  CHECK(quiet_namespace.wakes() == 1);
  CHECK(quiet_collection.wakes() == 1);
  CHECK(quiet_namespace.Drain().size() == 1);
  CHECK(quiet_collection.Drain().size() == 1);
  CHECK(quiet_namespace.error() == Reason::kUnknown);
  CHECK(quiet_collection.error() == Reason::kUnknown);
}

TEST_CASE("a watcher is woken once for each time it was idle", "[contract][watch]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  Probe probe(fixture, c, fixture.store().CurrentRevision(), "a/");
  fixture.Create(c, "a/0");
  CHECK(probe.wakes() == 0);  // not idle yet: it never asked
  CHECK(probe.Next().size() == 1);
  fixture.Create(c, "a/1");
  CHECK(probe.wakes() == 1);  // its last batch was all there was
  probe.Drain();
  fixture.Create(c, "b/1");
  fixture.Create(other, "a/1");
  CHECK(probe.wakes() == 1);
  fixture.Create(c, "a/2");
  CHECK(probe.wakes() == 2);
  fixture.Create(c, "a/3");
  CHECK(probe.wakes() == 2);
  CHECK(probe.Drain().size() == 2);
  fixture.Delete(c, "a/3");
  CHECK(probe.wakes() == 3);
}

TEST_CASE("an idle watcher's progress follows the store", "[contract][watch]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  Probe probe(fixture, c, fixture.store().CurrentRevision(), "a/");
  probe.Drain();
  const Revision elsewhere = fixture.Create(other, "x")->revision;
  probe.Drain();
  CHECK(probe.progress() == elsewhere);
  const Revision beside = fixture.Create(c, "b/x")->revision;
  probe.Drain();
  CHECK(probe.progress() == beside);
  CHECK(probe.wakes() == 0);
}

TEST_CASE("dropping a collection ends its watches after their last event", "[contract][watch]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  const Revision begin = fixture.store().CurrentRevision();
  Probe idle(fixture, c, begin);
  Probe lagging(fixture, c, begin);
  Probe unrelated(fixture, other, begin);
  Probe future(fixture, c, begin + 1000);
  future.Drain();
  fixture.Create(c, "a");
  fixture.Create(c, "b");
  CHECK(idle.Drain().size() == 2);
  unrelated.Drain();
  REQUIRE(fixture.DropCollection(c));
  CHECK(idle.wakes() == 1);
  CHECK(future.wakes() == 1);
  CHECK(unrelated.wakes() == 0);
  CHECK(idle.Drain().empty());
  CHECK(idle.ended());
  CHECK(lagging.Drain().size() == 2);
  CHECK(lagging.ended());
  CHECK(future.Drain().empty());
  CHECK(future.ended());
  Probe late(fixture, c, fixture.store().CurrentRevision());
  CHECK(late.Drain().empty());
  CHECK(late.ended());
  CHECK(unrelated.Drain().empty());
  CHECK_FALSE(unrelated.ended());
}

TEST_CASE("a watch whose events left memory ends with its dropped collection, without a gap",
          "[contract][watch]") {
  StoreFixture fixture({}, WatchHub::Options{1500, 10, 1000});
  const auto c = fixture.Collection();
  const Revision begin = fixture.store().CurrentRevision();
  Probe lagging(fixture, c, begin);
  for (int i = 0; i < 10; ++i) fixture.Create(c, std::to_string(i), std::string(500, 'x'));
  REQUIRE(fixture.DropCollection(c));
  CHECK(lagging.Drain().empty());
  CHECK(lagging.ended());
}

TEST_CASE("a collection made again does not feed the watches of the dropped one", "[contract][watch]") {
  StoreFixture fixture;
  const auto first = fixture.Collection();
  Probe old(fixture, first, fixture.store().CurrentRevision());
  REQUIRE(fixture.DropCollection(first));
  const auto second = fixture.Collection();
  Probe fresh(fixture, second, fixture.store().CurrentRevision());
  fixture.Create(second, "a");
  CHECK(old.Drain().empty());
  CHECK(old.ended());
  CHECK(fresh.Drain().size() == 1);
}

TEST_CASE("one event is one object for all watchers", "[contract][watch]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const Revision begin = fixture.store().CurrentRevision();
  const auto one = fixture.hub().Watch(c, "", begin, fixture.executor(), [] {});
  const auto two = fixture.hub().Watch(c, "", begin, fixture.executor(), [] {});
  fixture.Create(c, "a", "body");
  const auto first = one->Next();
  const auto second = two->Next();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->events.at(0) == second->events.at(0));
  int made = 0;
  const auto make = [&made] {
    ++made;
    return std::string("rendered");
  };
  const auto rendering = first->events[0]->Rendering(1, make);
  CHECK(second->events[0]->Rendering(1, make) == rendering);
  CHECK(made == 1);
  second->events[0]->Rendering(2, make);
  CHECK(made == 2);
}

TEST_CASE("batches are bounded by events and by bytes", "[contract][watch]") {
  StoreFixture fixture({}, WatchHub::Options{1UL << 20U, 4, 3000});
  const auto c = fixture.Collection();
  const Revision begin = fixture.store().CurrentRevision();
  for (int i = 0; i < 10; ++i) fixture.Create(c, std::to_string(i), std::string(i < 5 ? 10 : 2500, 'x'));
  Probe probe(fixture, c, begin);
  CHECK(probe.Next().size() == 4);
  CHECK(probe.Next().size() == 2);
  CHECK(probe.Next().size() == 2);
  CHECK(probe.Next().size() == 2);
  CHECK(probe.Next().empty());
}

}  // namespace annex::test
