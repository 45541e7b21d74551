// History: what a simulated world knows of its store, and what it concludes.
//
// Every mutation is known before it is submitted. The store then publishes it, answers it, or a crash comes
// first. So at each moment:
//
//   answered well  =>  it was published before, at that revision, and every store opened later has it
//   published      =>  every store opened later has it
//   refused        =>  no store ever has it; a conflict must be one
//   open at a crash, or failed while the store stopped writing
//                  =>  the next store has it or not; it has it only behind all that was published, in the
//                  order of submission
//
// Thread rule: one thread. Failure: the first contradiction is kept as text.
#pragma once

#include "annex/base/result.h"
#include "annex/store/store.h"
#include "support/store_model.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace annex::test {

class History {
 public:
  using Terms = std::map<std::string, std::string>;

  const StoreModel& model() const { return model_; }
  const std::string& failure() const { return failure_; }
  bool Failed() const { return !failure_.empty(); }
  void Fail(const std::string& what);

  // --- mutations
  // --------------------------------------------------------------------------------------------------
  // Returns the number to answer it with.
  std::uint64_t Submit(const store::Mutation& mutation, const Terms& terms);
  void Publish(const std::vector<store::EventPtr>& events, store::Revision upto);
  // `may_fail`: a fault was injected, so that InternalError is to be expected; `stopped`: the store writes no
  // more.
  void Answer(std::uint64_t number, const base::Result<store::Committed>& result, bool may_fail,
              bool stopped);
  // No more answers will come for what is open.
  void Crash();
  std::uint64_t acknowledged() const { return acknowledged_; }

  // --- collections
  // ------------------------------------------------------------------------------------------------
  void SubmitDrop(store::CollectionId collection) { drops_.insert(collection); }
  void Dropped(store::CollectionId collection);
  // A crash came before the drop.
  void Kept(store::CollectionId collection) { drops_.erase(collection); }
  // Whether NotFound is a right answer.
  bool MayBeDropped(store::CollectionId collection) const {
    return drops_.contains(collection) || dropped_.contains(collection);
  }
  bool IsDropped(store::CollectionId collection) const { return dropped_.contains(collection); }

  // --- after a start
  // ---------------------------------------------------------------------------------------------- Compares
  // the store with what must be there, and takes over what may. `collections` are those that exist now.
  void Recover(store::Store& store, const std::vector<store::CollectionId>& collections);
  // Compares all that the store shows of a collection with the model.
  void Compare(store::Store& store, store::CollectionId collection);

 private:
  struct Open {
    store::CollectionId collection;
    std::string key;
    store::Revision seen;
    bool exists;  // afterwards
    std::string body;
    Terms terms;
    bool published = false;
    store::Revision revision = 0;
  };

  static bool Is(const Open& open, const store::Event& event);
  void Take(Open& open, const store::Event& event);
  void CheckRefusal(const Open& open, base::Reason reason, bool may_fail);
  bool ConflictIsRight(const Open& open) const;
  void CheckList(store::Store& store, store::CollectionId collection, store::Revision at);
  void CheckLog(store::Store& store, store::CollectionId collection);

  StoreModel model_;
  std::map<std::uint64_t, Open> open_;  // in the order of submission
  std::uint64_t next_number_ = 1;
  std::uint64_t acknowledged_ = 0;
  store::Revision newest_ = 0;           // that anybody has seen
  std::set<std::string> last_group_;     // keys that the group published last changed
  std::set<store::CollectionId> drops_;  // asked for
  std::set<store::CollectionId> dropped_;
  std::string failure_;
};

// Objects and changes as text, for comparing the store's with the model's.
std::string TextOf(const std::string& key, const StoreModel::State& state);
std::string TextOf(const store::Row& row);
std::string TextOf(const StoreModel::Change& change);
std::string TextOf(const store::Event& event);

}  // namespace annex::test
