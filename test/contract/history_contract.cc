// The change log, compaction, pins, and what both ends of history look like.
#include "store_contract.h"

#include <memory>
#include <string>
#include <vector>

namespace annex::test {
namespace {

using base::Reason;
using store::Revision;
using Keys = std::vector<std::string>;
using Lines = std::vector<std::string>;

Lines Log(StoreFixture& fixture, store::CollectionId c, Revision after) {
  return Describe(fixture.ReadLog(c, after));
}

Reason LogError(StoreFixture& fixture, store::CollectionId c, Revision after) {
  const auto batch = fixture.store().ReadLog({c, "", after, 10, 1000});
  return batch ? Reason::kUnknown : batch.error().reason;
}

// Some objects with some history; the result is the revision after each change.
std::vector<Revision> MakeHistory(StoreFixture& fixture, store::CollectionId c) {
  std::vector<Revision> revisions;
  revisions.push_back(fixture.Create(c, "a", "a1")->revision);
  revisions.push_back(fixture.Create(c, "b", "b1")->revision);
  revisions.push_back(fixture.Update(c, "a", "a2")->revision);
  revisions.push_back(fixture.Delete(c, "b"));
  revisions.push_back(fixture.Create(c, "b", "b2")->revision);
  revisions.push_back(fixture.Update(c, "a", "a3")->revision);
  revisions.push_back(fixture.Create(c, "c", "c1")->revision);
  return revisions;
}

}  // namespace

TEST_CASE("the log gives every change after a revision once and in order", "[contract][log]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  const Revision begin = fixture.store().CurrentRevision();
  const auto r = MakeHistory(fixture, c);
  fixture.Create(other, "a");
  const auto text = [](Revision revision) { return std::to_string(revision); };
  const Lines all = {"create a@" + text(r[0]),
                     "create b@" + text(r[1]),
                     "update a@" + text(r[2]) + " was " + text(r[0]),
                     "delete b@" + text(r[3]) + " was " + text(r[1]),
                     "create b@" + text(r[4]),
                     "update a@" + text(r[5]) + " was " + text(r[2]),
                     "create c@" + text(r[6])};
  CHECK(Log(fixture, c, begin) == all);
  for (std::size_t i = 0; i < r.size(); ++i) {
    CHECK(Log(fixture, c, r[i]) == Lines(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end()));
  }
  fixture.Reopen();
  CHECK(Log(fixture, c, begin) == all);
  CHECK(Log(fixture, other, begin).size() == 1);
}

TEST_CASE("events of the log carry both states whole", "[contract][log]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto first = fixture.Create(c, "a", "one", {{"Lx", "1"}}, 5);
  const auto second = fixture.Update(c, "a", "two", {{"Lx", "2"}}, 6);
  const Revision deleted = fixture.Delete(c, "a");
  const auto events = fixture.ReadLog(c, first->revision);
  REQUIRE(events.size() == 2);
  CHECK(events[0]->collection() == c);
  for (const store::ObjectPtr& state : {events[0]->object(), events[1]->previous()}) {
    CHECK(state->key == "a");
    CHECK(state->revision == second->revision);
    CHECK(state->body.bytes == "two");
    CHECK(state->terms == second->terms);
    CHECK(state->format == 6);
  }
  CHECK(events[0]->previous()->body.bytes == "one");
  CHECK(events[0]->previous()->format == 5);
  CHECK(events[1]->revision() == deleted);
  CHECK(events[1]->object() == nullptr);
}

TEST_CASE("the log comes in batches that join without a gap", "[contract][log]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  const Revision begin = fixture.store().CurrentRevision();
  for (int i = 0; i < 30; ++i) {
    fixture.Create(c, (i % 3 == 0 ? "x/" : "y/") + std::to_string(i));
    fixture.Create(other, std::to_string(i));
  }
  const Lines all = Log(fixture, c, begin);
  REQUIRE(all.size() == 30);
  for (const std::size_t limit : {1U, 2U, 7U, 29U, 30U, 31U}) {
    Lines joined;
    Revision cursor = begin;
    while (cursor < fixture.store().CurrentRevision()) {
      const auto batch = fixture.store().ReadLog({c, "", cursor, limit, 1UL << 30U});
      REQUIRE(batch);
      CHECK(batch->events.size() <= limit);
      REQUIRE(batch->upto > cursor);
      for (const auto& event : batch->events) {
        CHECK(event->revision() > cursor);
        CHECK(event->revision() <= batch->upto);
        joined.push_back(Describe(*event));
      }
      cursor = batch->upto;
    }
    CHECK(joined == all);
    CHECK(cursor == fixture.store().CurrentRevision());
  }
}

TEST_CASE("the log of a namespace passes over the others", "[contract][log]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const Revision begin = fixture.store().CurrentRevision();
  for (int i = 0; i < 20; ++i) fixture.Create(c, "busy/" + std::to_string(i));
  fixture.Create(c, "quiet/a");
  for (int i = 0; i < 20; ++i) fixture.Create(c, "busier/" + std::to_string(i));
  Keys seen;
  Revision cursor = begin;
  int batches = 0;
  while (cursor < fixture.store().CurrentRevision() && ++batches < 100) {
    const auto batch = fixture.store().ReadLog({c, "quiet/", cursor, 5, 1UL << 30U});
    REQUIRE(batch);
    for (const auto& event : batch->events) seen.push_back(event->key());
    REQUIRE(batch->upto > cursor);
    cursor = batch->upto;
  }
  CHECK(seen == Keys{"quiet/a"});
  CHECK(cursor == fixture.store().CurrentRevision());
}

TEST_CASE("a batch ends early when its bytes are many, but not empty", "[contract][log]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const Revision begin = fixture.store().CurrentRevision();
  for (int i = 0; i < 5; ++i) fixture.Create(c, std::to_string(i), std::string(10'000, 'x'));
  CHECK(fixture.store().ReadLog({c, "", begin, 100, 1})->events.size() == 1);
  const auto some = fixture.store().ReadLog({c, "", begin, 100, 25'000});
  CHECK(some->events.size() == 3);
  CHECK(some->upto == some->events.back()->revision());
}

TEST_CASE("at its end the log is read up to the newest revision", "[contract][log]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto other = fixture.Collection("other");
  const Revision last = fixture.Create(c, "a")->revision;
  const Revision newest = fixture.Create(other, "b")->revision;
  for (const Revision after : {last, newest}) {
    const auto batch = fixture.store().ReadLog({c, "", after, 10, 1000});
    REQUIRE(batch);
    CHECK(batch->events.empty());
    CHECK(batch->upto == newest);
  }
}

TEST_CASE("the log after a revision to come does not go back", "[contract][log]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const Revision future = fixture.Create(c, "a")->revision + 100;
  const auto batch = fixture.store().ReadLog({c, "", future, 10, 1000});
  REQUIRE(batch);
  CHECK(batch->events.empty());
  CHECK(batch->upto == future);
}

TEST_CASE("history is kept as long as it must be and forgotten after", "[contract][compact]") {
  StoreFixture fixture({.history_age = std::chrono::seconds(60)});
  const auto c = fixture.Collection();
  const auto old = MakeHistory(fixture, c);
  fixture.clock.Advance(std::chrono::seconds(59));
  const auto recent = fixture.Update(c, "a", "a4")->revision;
  REQUIRE(fixture.Compact());
  CHECK(fixture.store().CompactedRevision() < old[0]);
  fixture.clock.Advance(std::chrono::seconds(3));
  REQUIRE(fixture.Compact());
  // What was newest when a minute began to pass can still be listed and watched from.
  CHECK(fixture.store().CompactedRevision() == old.back());
  fixture.Create(c, "d");
  fixture.clock.Advance(std::chrono::seconds(62));
  REQUIRE(fixture.Compact());
  CHECK(fixture.store().CompactedRevision() >= recent);
}

TEST_CASE("what was compacted is Expired, and what was not is whole", "[contract][compact]") {
  StoreFixture fixture({.history_age = std::chrono::seconds(60)});
  const auto c = fixture.Collection();
  const Revision begin = fixture.store().CurrentRevision();
  std::vector<Revision> revisions = MakeHistory(fixture, c);
  fixture.clock.Advance(std::chrono::seconds(30));
  const auto later = MakeHistory(fixture, fixture.Collection("other"));
  revisions.push_back(fixture.Delete(c, "c"));
  revisions.push_back(fixture.Update(c, "a", "a4")->revision);
  const Keys at_boundary = fixture.List({.collection = c, .at = later.back()}).Keys();
  const Lines after_boundary = Log(fixture, c, revisions[6]);
  fixture.clock.Advance(std::chrono::seconds(32));
  REQUIRE(fixture.Compact());
  const Revision boundary = fixture.store().CompactedRevision();
  REQUIRE(boundary == revisions[6]);

  for (const bool reopened : {false, true}) {
    if (reopened) fixture.Reopen();
    CHECK(fixture.store().CompactedRevision() == boundary);
    CHECK(fixture.ListError({.collection = c, .at = boundary - 1}).reason == Reason::kExpired);
    CHECK(fixture.ListError({.collection = c, .at = begin}).reason == Reason::kExpired);
    CHECK(LogError(fixture, c, boundary - 1) == Reason::kExpired);
    CHECK(LogError(fixture, c, 0) == Reason::kExpired);
    CHECK(fixture.List({.collection = c, .at = boundary}).Keys() == Keys{"a", "b", "c"});
    CHECK(fixture.List({.collection = c, .at = later.back()}).Keys() == at_boundary);
    CHECK(Log(fixture, c, boundary) == after_boundary);
    CHECK(fixture.ReadLog(c, boundary)[0]->previous()->body.bytes == "c1");
    CHECK(fixture.List(c).Keys() == Keys{"a", "b"});
  }
}

TEST_CASE("compacting everything leaves the objects and their counts", "[contract][compact]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  MakeHistory(fixture, c);
  const Revision newest = fixture.Update(c, "b", "b3")->revision;
  fixture.CompactAll();
  CHECK(fixture.store().CurrentRevision() == newest);
  CHECK(fixture.store().CompactedRevision() >= newest - 1);
  CHECK(fixture.store().CompactedRevision() <= newest);
  CHECK(fixture.List(c).Keys() == Keys{"a", "b", "c"});
  CHECK(fixture.Load(c, "a")->body.bytes == "a3");
  CHECK(fixture.Count(c) == 3);
  CHECK(Log(fixture, c, newest).empty());
}

TEST_CASE("compacting twice, or an empty store, does nothing more", "[contract][compact]") {
  StoreFixture fixture;
  CHECK(fixture.Compact());
  fixture.CompactAll();
  const auto c = fixture.Collection();
  MakeHistory(fixture, c);
  fixture.CompactAll();
  const Revision compacted = fixture.store().CompactedRevision();
  CHECK(fixture.Compact());
  CHECK(fixture.store().CompactedRevision() == compacted);
}

TEST_CASE("too many bytes of history are forgotten before their time", "[contract][compact]") {
  StoreFixture fixture({.history_bytes = 100'000});
  const auto c = fixture.Collection();
  const Revision first = fixture.Create(c, "a", std::string(10'000, 'x'))->revision;
  for (int i = 0; i < 5; ++i) fixture.Update(c, "a", std::string(10'000, 'x'));
  REQUIRE(fixture.Compact());
  CHECK(fixture.store().CompactedRevision() <= first);
  for (int i = 0; i < 20; ++i) fixture.Update(c, "a", std::string(10'000, 'x'));
  REQUIRE(fixture.Compact());
  CHECK(fixture.store().CompactedRevision() > first);
  CHECK(fixture.store().CompactedRevision() < fixture.store().CurrentRevision());
  // About as much as is allowed is left.
  CHECK(fixture.ReadLog(c, fixture.store().CompactedRevision()).size() <= 10);
}

TEST_CASE("compaction gives the bytes of the past back", "[contract][compact]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto round = [&] {
    for (int i = 0; i < 40; ++i) {
      fixture.Create(c, std::to_string(i), std::string(50'000, 'x'));
      fixture.Delete(c, std::to_string(i));
    }
    fixture.CompactAll();
    fixture.Reopen();
    return fixture.engine().DataBytes();
  };
  const std::uint64_t first = round();
  for (int i = 0; i < 4; ++i) round();
  CHECK(round() < first * 3 / 2);
}

TEST_CASE("history does not pass a pin", "[contract][pin]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto r = MakeHistory(fixture, c);
  const Keys then = fixture.List({.collection = c, .at = r[2]}).Keys();
  auto pin = fixture.store().Pin(r[2]);
  auto later_pin = fixture.store().Pin(r[4]);
  auto same_pin = fixture.store().Pin(r[2]);
  fixture.CompactAll();
  CHECK(fixture.store().CompactedRevision() == r[2]);
  CHECK(fixture.List({.collection = c, .at = r[2]}).Keys() == then);
  same_pin.reset();
  fixture.CompactAll();
  CHECK(fixture.store().CompactedRevision() == r[2]);
  pin.reset();
  fixture.CompactAll();
  CHECK(fixture.store().CompactedRevision() == r[4]);
  later_pin.reset();
  fixture.CompactAll();
  CHECK(fixture.store().CompactedRevision() > r[4]);
}

TEST_CASE("a pin on a revision that is gone holds nothing back", "[contract][pin]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto r = MakeHistory(fixture, c);
  fixture.CompactAll();
  const Revision compacted = fixture.store().CompactedRevision();
  const auto late = fixture.store().Pin(r[0]);
  for (int i = 0; i < 3; ++i) fixture.Update(c, "a", "more");
  fixture.CompactAll();
  CHECK(fixture.store().CompactedRevision() > compacted);
  CHECK(fixture.ListError({.collection = c, .at = r[0]}).reason == Reason::kExpired);
}

TEST_CASE("revisions can go on beyond another count, which ends the history before it",
          "[contract][compact]") {
  constexpr Revision kBeyond = 1'000'000'000'000;
  StoreFixture fixture;
  const auto before = fixture.Collection();
  const std::vector<Revision> revisions = MakeHistory(fixture, before);
  fixture.ReopenWith({.revisions_beyond = kBeyond});
  CHECK(fixture.store().CurrentRevision() == kBeyond + 1);
  REQUIRE(fixture.Compact());
  const auto c = fixture.Collection();
  CHECK(fixture.List(c).Keys() == Keys{"a", "b", "c"});
  CHECK(fixture.Load(c, "a")->revision == revisions[5]);
  CHECK(fixture.ListError({.collection = c, .at = revisions.back()}).reason == Reason::kExpired);
  CHECK(LogError(fixture, c, revisions.back()) == Reason::kExpired);
  const Revision next = fixture.Update(c, "a", "a4")->revision;
  CHECK(next == kBeyond + 2);
  // Another start is no other count.
  fixture.Reopen();
  CHECK(fixture.store().CurrentRevision() == next);
  CHECK(Log(fixture, fixture.Collection(), kBeyond + 1).size() == 1);
}

}  // namespace annex::test
