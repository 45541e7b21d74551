#include "clients.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace annex::test {
namespace {

using base::Reason;
using selector::KeyCondition;
using selector::Operator;
using store::CollectionId;
using store::Revision;

constexpr std::uint64_t kFormat = 11;

std::chrono::milliseconds Pause(World& world, std::uint64_t at_most) {
  return std::chrono::milliseconds(world.random().Below(at_most));
}

History::Terms AnyTerms(SeededRandom& random) {
  History::Terms terms;
  for (const char* name : {"La", "Lb"}) {
    if (!random.OneIn(3)) terms[name] = std::to_string(random.Below(3));
  }
  return terms;
}

selector::Query AnyQuery(World& world) {
  SeededRandom& random = world.random();
  selector::Query query;
  if (random.OneIn(2)) {
    const auto op = random.OneIn(3) ? Operator::kNotIn : Operator::kIn;
    std::vector<std::string> values = {std::to_string(random.Below(3))};
    if (random.OneIn(2)) values.push_back(std::to_string(random.Below(3)));
    query.terms.push_back({random.OneIn(2) ? "La" : "Lb", op, values});
  }
  if (random.OneIn(4)) query.keys.push_back({KeyCondition::Part::kNamespace, true, world.AnyNamespace()});
  return query;
}

}  // namespace

// --- writer
// ----------------------------------------------------------------------------------------------------------

WriterClient::WriterClient(World& world, base::Executor& executor) : world_(world), executor_(executor) {
  Sleep();
}

void WriterClient::Sleep() {
  timer_ = executor_.After(Pause(world_, 100), [this] {
    if (!world_.Resting()) Step();
    Sleep();
  });
}

void WriterClient::Step() {
  const CollectionId collection = world_.AnyCollection();
  if (world_.random().OneIn(15)) return UpdateTerms(collection);
  if (!remembered_.empty() && world_.random().OneIn(5)) {
    const auto old = remembered_[world_.random().Below(remembered_.size())];
    return Mutate(old.first, old.second->key, old.second);
  }
  const std::string key = world_.AnyKey();
  const auto seen = world_.store().Load(collection, key);
  if (!seen) {
    if (!world_.MayFail()) world_.history().Fail("a read failed without a fault: " + seen.error().message);
    return;
  }
  if (*seen) {
    if (remembered_.size() < 20) remembered_.emplace_back(collection, *seen);
    if (world_.random().OneIn(3))
      remembered_[world_.random().Below(remembered_.size())] = {collection, *seen};
  }
  for (std::uint64_t times = world_.random().OneIn(4) ? 3 : 1; times > 0; --times)
    Mutate(collection, key, *seen);
}

void WriterClient::Mutate(CollectionId collection, const std::string& key, store::ObjectPtr seen) {
  SeededRandom& random = world_.random();
  store::Mutation mutation{collection, key, std::move(seen), std::nullopt};
  const History::Terms terms = AnyTerms(random);
  if (!mutation.seen || !random.OneIn(3)) {
    store::Mutation::State& next = mutation.next.emplace();
    next.body.bytes = std::to_string(random.Next());
    next.body.bytes.append(random.OneIn(10) ? random.Below(40'000) : random.Below(300), 'x');
    next.terms = selector::TermSet(terms);
    next.format = kFormat;
  }
  const std::uint64_t number = world_.history().Submit(mutation, terms);
  world_.Note("submit " + std::to_string(number) + " " + key);
  world_.store().Commit(
      std::move(mutation),
      [&world = world_, number](base::Result<store::Committed> result) { world.Answered(number, result); });
}

// The terms that the object has: the index must stay right, and a revision must not come of it.
void WriterClient::UpdateTerms(CollectionId collection) {
  std::vector<store::TermUpdate> updates;
  for (const auto& [key, state] : world_.history().model().Newest(collection)) {
    if (world_.random().OneIn(3))
      updates.push_back({key, state->revision, selector::TermSet(state->terms), kFormat});
  }
  world_.store().UpdateTerms(
      collection, std::move(updates), [&world = world_, collection](base::Result<void> result) {
        if (result || world.MayFail() || result.error().reason == Reason::kTooManyRequests) return;
        if (result.error().reason == Reason::kNotFound && world.history().MayBeDropped(collection)) return;
        world.history().Fail("terms were refused: " + result.error().message);
      });
}

// --- lister
// ----------------------------------------------------------------------------------------------------------

ListerClient::ListerClient(World& world, base::Executor& executor) : world_(world), executor_(executor) {
  Sleep();
}

void ListerClient::Sleep() {
  timer_ = executor_.After(Pause(world_, 300), [this] {
    if (!world_.Resting()) Step();
    Sleep();
  });
}

void ListerClient::Begin() {
  SeededRandom& random = world_.random();
  list_ = {.collection = world_.AnyCollection(), .terms_format = kFormat};
  if (random.OneIn(2)) list_.prefix = world_.AnyNamespace() + "/";
  if (random.OneIn(4)) list_.start = world_.AnyKey();
  query_ = random.OneIn(2) ? AnyQuery(world_) : selector::Query();
  list_.query = query_.Empty() ? nullptr : &query_;
  list_.count_remaining = query_.Empty();
  if (random.OneIn(2)) {
    const auto newest = static_cast<std::uint64_t>(world_.store().CurrentRevision());
    list_.at = static_cast<Revision>(random.Between(newest > 20 ? newest - 20 : 1, newest));
  }
  first_ = list_.start;
  shown_.clear();
  paging_ = true;
}

void ListerClient::Step() {
  if (!paging_) Begin();
  NextPage();
}

void ListerClient::NextPage() {
  const std::size_t limit = world_.random().Between(1, 6);
  std::vector<std::string> shown;
  std::string last;
  const auto page = world_.store().List(list_, [&](const store::Row& row) {
    if (shown.size() == limit) return store::Visit::kStop;
    if (world_.random().OneIn(8)) world_.RunOthers();
    shown.push_back(TextOf(row));
    last = row.key;
    return store::Visit::kNext;
  });
  if (!page) {
    paging_ = false;
    pin_.reset();
    if (!Refused(page.error())) world_.history().Fail("a list was refused: " + page.error().message);
    return;
  }
  shown_.insert(shown_.end(), shown.begin(), shown.end());
  if (list_.at == 0) {
    list_.at = page->at;
    if (world_.random().OneIn(2)) pin_ = world_.store().Pin(list_.at);
  }
  if (page->at != list_.at) world_.history().Fail("a page is of another revision than its list");
  if (!page->more) return Finish();
  list_.start = last + '\0';
  const auto remaining = static_cast<std::int64_t>(Wanted().size() - shown_.size());
  if (list_.count_remaining && page->remaining != remaining &&
      !world_.history().MayBeDropped(list_.collection)) {
    world_.history().Fail("a page counts " + std::to_string(page->remaining.value_or(-1)) +
                          " more, there are " + std::to_string(remaining));
  }
}

bool ListerClient::Refused(const base::Status& error) {
  if (error.reason == Reason::kNotFound) return world_.history().MayBeDropped(list_.collection);
  if (error.reason == Reason::kExpired) {
    ++world_.tally().expired;
    return !pin_ && list_.at < world_.store().CompactedRevision();
  }
  return world_.MayFail();
}

std::vector<std::string> ListerClient::Wanted() const {
  std::vector<std::string> wanted;
  for (const auto& [key, state] : world_.history().model().At(list_.collection, list_.at)) {
    const bool in_range = key.starts_with(list_.prefix) && key >= first_;
    if (in_range && ModelMatches(query_, key, state->terms)) wanted.push_back(TextOf(key, *state));
  }
  return wanted;
}

void ListerClient::Finish() {
  paging_ = false;
  pin_.reset();
  ++world_.tally().lists;
  world_.Note("listed " + std::to_string(shown_.size()) + " at " + std::to_string(list_.at));
  if (shown_ != Wanted() && !world_.history().MayBeDropped(list_.collection)) {
    world_.history().Fail("a list at " + std::to_string(list_.at) + " shows " +
                          std::to_string(shown_.size()) + " objects, or wrong ones; there are " +
                          std::to_string(Wanted().size()));
  }
}

// --- watcher
// ---------------------------------------------------------------------------------------------------------

WatcherClient::WatcherClient(World& world, base::Executor& executor, Bookmark& bookmark)
    : world_(world), executor_(executor), bookmark_(bookmark) {
  PumpSoon();
}

void WatcherClient::PumpSoon() {
  // Most are quick; a slow one finds that memory or even the log no longer reach back.
  const bool slow = world_.random().OneIn(6) && !world_.Settling();
  timer_ = executor_.After(Pause(world_, slow ? 8000 : 20), [this] { Pump(); });
}

void WatcherClient::Begin() {
  if (bookmark_.progress < 0 || world_.history().IsDropped(bookmark_.collection)) {
    bookmark_ = {world_.AnyCollection(), world_.random().OneIn(2) ? world_.AnyNamespace() + "/" : "",
                 world_.store().CurrentRevision()};
    // As clients do now and then: from a little before, or from a revision to come.
    bookmark_.progress += static_cast<Revision>(world_.random().Below(12)) - 9;
    bookmark_.progress = std::max<Revision>(bookmark_.progress, 0);
  }
  watcher_ = world_.hub().Watch(bookmark_.collection, bookmark_.prefix, bookmark_.progress, executor_,
                                [this] { Wake(); });
}

void WatcherClient::Wake() {
  if (!std::exchange(asleep_, false)) world_.history().Fail("a watcher was woken that was not idle");
  PumpSoon();
}

void WatcherClient::Pump() {
  if (!watcher_) Begin();
  const auto batch = watcher_->Next();
  if (batch) {
    Check(*batch);
    asleep_ = batch->idle;
    if (batch->ended) {
      watcher_.reset();
      if (!world_.history().MayBeDropped(bookmark_.collection))
        world_.history().Fail("a watch ended for nothing");
      bookmark_.progress = -1;
    }
    if (!asleep_) PumpSoon();
    return;
  }
  const bool expired = batch.error().reason == Reason::kExpired;
  if (expired) ++world_.tally().expired;
  if (expired ? bookmark_.progress >= world_.store().CompactedRevision() : !world_.MayFail()) {
    world_.history().Fail("a watch failed: " + batch.error().message);
  }
  watcher_.reset();
  if (expired) bookmark_.progress = -1;
  PumpSoon();
}

void WatcherClient::Check(const store::WatchHub::Watcher::Batch& batch) {
  std::vector<std::string> shown;
  for (const store::EventPtr& event : batch.events) shown.push_back(TextOf(*event));
  world_.tally().events += shown.size();
  world_.Note("watched " + std::to_string(shown.size()) + " up to " + std::to_string(batch.progress));
  if (batch.progress < bookmark_.progress) world_.history().Fail("a watch went back in time");
  std::vector<std::string> wanted;
  for (const auto& change : world_.history().model().After(bookmark_.collection, bookmark_.progress)) {
    if (change.revision <= batch.progress && change.key.starts_with(bookmark_.prefix))
      wanted.push_back(TextOf(change));
  }
  if (shown != wanted && !world_.history().MayBeDropped(bookmark_.collection)) {
    world_.history().Fail("a watch gave " + std::to_string(shown.size()) + " events after " +
                          std::to_string(bookmark_.progress) + " up to " + std::to_string(batch.progress) +
                          ", there are " + std::to_string(wanted.size()) +
                          (shown.empty() ? "" : ", first " + shown[0].substr(0, 100)));
  }
  bookmark_.progress = batch.progress;
}

void WatcherClient::CheckSettled() {
  if (!watcher_) return;
  if (!asleep_) return world_.history().Fail("a watcher is neither idle nor woken");
  if (bookmark_.progress < world_.store().CurrentRevision()) {
    for (const auto& change : world_.history().model().After(bookmark_.collection, bookmark_.progress)) {
      if (change.key.starts_with(bookmark_.prefix))
        world_.history().Fail("an idle watcher was not woken for " + TextOf(change));
    }
  }
}

}  // namespace annex::test
