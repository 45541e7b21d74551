// StoreModel: what a store has to show, kept in the simplest way: every state of every collection at every
// revision.
//
// It shares no code with the store: conditions of queries are judged anew here, on maps.
//
// Thread rule: one thread.
#pragma once

#include "annex/selector/query.h"
#include "annex/store/store.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace annex::test {

class StoreModel {
 public:
  struct State {
    store::Revision revision = 0;
    std::string body;
    std::map<std::string, std::string> terms;
  };
  using StatePtr = std::shared_ptr<const State>;
  using Objects = std::map<std::string, StatePtr>;

  struct Change {
    store::Revision revision = 0;
    store::CollectionId collection = 0;
    std::string key;
    StatePtr before;  // nullptr: created
    StatePtr after;   // nullptr: deleted
  };

  // Takes over a committed change. `body` and `terms` count only if `exists`. REQUIRES: changes come in the
  // order of revisions.
  void Apply(store::CollectionId collection, const std::string& key, store::Revision revision, bool exists,
             const std::string& body = {}, const std::map<std::string, std::string>& terms = {});
  void Drop(store::CollectionId collection);

  const Objects& Newest(store::CollectionId collection) const { return At(collection, newest_); }
  const Objects& At(store::CollectionId collection, store::Revision revision) const;
  // The changes of a collection after a revision.
  std::vector<Change> After(store::CollectionId collection, store::Revision revision) const;
  store::Revision newest() const { return newest_; }

 private:
  // By the revision of the change that led there.
  std::map<store::CollectionId, std::map<store::Revision, Objects>> states_;
  std::vector<Change> changes_;
  store::Revision newest_ = 0;
};

// Whether an object is selected.
bool ModelMatches(const selector::Query& query, const std::string& key,
                  const std::map<std::string, std::string>& terms);

}  // namespace annex::test
