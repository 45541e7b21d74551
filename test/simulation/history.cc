#include "history.h"

#include <algorithm>

namespace annex::test {
namespace {

using store::CollectionId;
using store::Revision;

std::string Show(const std::string& key, Revision revision, std::string_view body, std::string_view terms) {
  return key + "@" + std::to_string(revision) + "=" + std::string(body) + "|" + std::string(terms);
}

std::string Show(const store::ObjectPtr& object) {
  return object ? Show(object->key, object->revision, object->body.bytes, object->terms.encoded())
                : "nothing";
}

std::string Show(const StoreModel::StatePtr& state, const std::string& key) {
  return state ? TextOf(key, *state) : "nothing";
}

// The first place where two lists differ, for the message.
std::string Difference(const std::vector<std::string>& wanted, const std::vector<std::string>& shown) {
  const auto [want, show] = std::mismatch(wanted.begin(), wanted.end(), shown.begin(), shown.end());
  return "wanted " + (want == wanted.end() ? "no more" : want->substr(0, 100)) + ", got " +
         (show == shown.end() ? "no more" : show->substr(0, 100));
}

}  // namespace

std::string TextOf(const std::string& key, const StoreModel::State& state) {
  return Show(key, state.revision, state.body, selector::TermSet(state.terms).encoded());
}

std::string TextOf(const store::Row& row) {
  return Show(std::string(row.key), row.revision, row.body, row.terms);
}

std::string TextOf(const StoreModel::Change& change) {
  return std::to_string(change.revision) + ": " + Show(change.before, change.key) + " -> " +
         Show(change.after, change.key);
}

std::string TextOf(const store::Event& event) {
  return std::to_string(event.revision()) + ": " + Show(event.previous()) + " -> " + Show(event.object());
}

void History::Fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

std::uint64_t History::Submit(const store::Mutation& mutation, const Terms& terms) {
  open_.emplace(next_number_,
                Open{mutation.collection, mutation.key, mutation.seen ? mutation.seen->revision : 0,
                     mutation.next.has_value(), mutation.next ? mutation.next->body.bytes : "", terms});
  return next_number_++;
}

bool History::Is(const Open& open, const store::Event& event) {
  return !open.published && open.collection == event.collection() && open.key == event.key() &&
         open.seen == (event.previous() ? event.previous()->revision : 0) &&
         open.exists == (event.object() != nullptr) &&
         (!open.exists || open.body == event.object()->body.bytes);
}

void History::Take(Open& open, const store::Event& event) {
  if (event.revision() <= newest_) {
    Fail("revision " + std::to_string(event.revision()) + " comes after " + std::to_string(newest_));
  }
  model_.Apply(open.collection, open.key, event.revision(), open.exists, open.body, open.terms);
  const auto change = model_.After(open.collection, event.revision() - 1);
  if (!IsDropped(open.collection) && TextOf(change.back()) != TextOf(event)) {
    Fail("event " + TextOf(event).substr(0, 200) + ", wanted " + TextOf(change.back()).substr(0, 200));
  }
  open.published = true;
  open.revision = event.revision();
  newest_ = event.revision();
}

void History::Publish(const std::vector<store::EventPtr>& events, Revision upto) {
  last_group_.clear();
  auto next = open_.begin();
  for (const store::EventPtr& event : events) {
    // In the order of submission: what was passed over was refused.
    next = std::find_if(next, open_.end(), [&](const auto& entry) { return Is(entry.second, *event); });
    if (next == open_.end())
      return Fail("nobody submitted, or not in this order: " + TextOf(*event).substr(0, 200));
    last_group_.insert(event->key());
    Take(next->second, *event);
  }
  if (upto < newest_) Fail("published up to " + std::to_string(upto) + " after " + std::to_string(newest_));
}

void History::Answer(std::uint64_t number, const base::Result<store::Committed>& result, bool may_fail,
                     bool stopped) {
  const auto entry = open_.find(number);
  if (entry == open_.end()) return Fail("mutation " + std::to_string(number) + " was answered twice");
  const Open& open = entry->second;
  if (result) {
    ++acknowledged_;
    if (!open.published) {
      Fail("acknowledged " + open.key + "@" + std::to_string(result->revision) + " without publishing it");
    } else if (result->revision != open.revision) {
      Fail("acknowledged " + open.key + " as " + std::to_string(result->revision) + ", published as " +
           std::to_string(open.revision));
    }
  } else if (open.published) {
    Fail("refused " + open.key + "@" + std::to_string(open.revision) +
         " after publishing it: " + result.error().message);
  } else {
    CheckRefusal(open, result.error().reason, may_fail);
    // Nobody knows whether it is on the disk.
    if (result.error().reason == base::Reason::kInternalError && stopped) return;
  }
  open_.erase(entry);
}

void History::CheckRefusal(const Open& open, base::Reason reason, bool may_fail) {
  if (reason == base::Reason::kConflict) {
    if (!ConflictIsRight(open))
      Fail("a conflict that is none: " + open.key + " as of " + std::to_string(open.seen));
  } else if (reason == base::Reason::kNotFound) {
    if (!MayBeDropped(open.collection)) Fail("NotFound in a collection that exists: " + open.key);
  } else if (reason == base::Reason::kInternalError) {
    if (!may_fail) Fail("a write failed without a fault: " + open.key);
  } else if (reason != base::Reason::kTooManyRequests) {
    Fail(std::string("a write was refused as ") + base::ReasonText(reason));
  }
}

// A state, once replaced, never comes back; only the absence of an object does.
bool History::ConflictIsRight(const Open& open) const {
  const auto& objects = model_.Newest(open.collection);
  const auto object = objects.find(open.key);
  const Revision now = object == objects.end() ? 0 : object->second->revision;
  return now != open.seen || (open.seen == 0 && last_group_.contains(open.key));
}

void History::Crash() {
  // What was published needs no answer any more.
  std::erase_if(open_, [](const auto& entry) { return entry.second.published; });
}

void History::Dropped(CollectionId collection) {
  drops_.erase(collection);
  dropped_.insert(collection);
  model_.Drop(collection);
}

void History::Recover(store::Store& store, const std::vector<CollectionId>& collections) {
  if (store.CurrentRevision() < newest_) {
    return Fail("revision " + std::to_string(newest_) + " was seen and is lost; the store is at " +
                std::to_string(store.CurrentRevision()));
  }
  std::map<Revision, store::EventPtr> found;
  for (const CollectionId collection : collections) {
    const Revision after = std::max(newest_, store.CompactedRevision());
    const auto log = store.ReadLog({collection, "", after, 1'000'000, 1UL << 40U});
    if (!log) return Fail("the log after a start: " + log.error().message);
    for (const store::EventPtr& event : log->events) found.emplace(event->revision(), event);
  }
  auto next = open_.begin();
  for (const auto& [revision, event] : found) {
    next = std::find_if(next, open_.end(), [&e = *event](const auto& entry) { return Is(entry.second, e); });
    if (next == open_.end())
      return Fail("after a start there is " + TextOf(*event).substr(0, 200) + ", which nobody submitted");
    Take(next->second, *event);
  }
  open_.clear();
  newest_ = std::max(newest_, store.CurrentRevision());
  for (const CollectionId collection : collections) Compare(store, collection);
}

void History::Compare(store::Store& store, CollectionId collection) {
  const Revision compacted = store.CompactedRevision();
  const Revision newest = store.CurrentRevision();
  for (const Revision at :
       {newest, compacted, compacted + (newest - compacted) / 2, compacted + (newest - compacted) / 7}) {
    CheckList(store, collection, at);
  }
  CheckLog(store, collection);
  const auto count = store.Count(collection);
  const auto objects = static_cast<std::int64_t>(model_.At(collection, newest).size());
  if (!count || *count != objects) Fail("the count is not " + std::to_string(objects));
}

void History::CheckList(store::Store& store, CollectionId collection, Revision at) {
  std::vector<std::string> wanted;
  for (const auto& [key, state] : model_.At(collection, at)) wanted.push_back(TextOf(key, *state));
  std::vector<std::string> shown;
  const auto page = store.List({.collection = collection, .at = at}, [&shown](const store::Row& row) {
    shown.push_back(TextOf(row));
    return store::Visit::kNext;
  });
  if (!page) return Fail("list at " + std::to_string(at) + ": " + page.error().message);
  if (wanted != shown) Fail("list at " + std::to_string(at) + ": " + Difference(wanted, shown));
}

void History::CheckLog(store::Store& store, CollectionId collection) {
  const Revision compacted = store.CompactedRevision();
  std::vector<std::string> wanted;
  for (const auto& change : model_.After(collection, compacted)) wanted.push_back(TextOf(change));
  const auto log = store.ReadLog({collection, "", compacted, 1'000'000, 1UL << 40U});
  if (!log) return Fail("the log: " + log.error().message);
  std::vector<std::string> shown;
  for (const store::EventPtr& event : log->events) shown.push_back(TextOf(*event));
  if (wanted != shown) Fail("the log after " + std::to_string(compacted) + ": " + Difference(wanted, shown));
}

}  // namespace annex::test
