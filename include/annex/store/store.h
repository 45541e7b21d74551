// Store: the contract between the API and whatever keeps its objects. test/contract/ holds every engine to
// it.
//
// What a store promises
//   * Durability: `done` of a Commit is called, and events are published, only once the change is on disk
//   (synchronous=FULL).
//   * One total order: revisions rise with each commit, over all collections and over restarts; none is given
//   out twice.
//   * Atomic conditions: a mutation is applied only if the object is still in the state that its author saw.
//   * Snapshots: a List shows one revision, whatever happens meanwhile; List(at) shows any revision back to
//   CompactedRevision().
//   * No lost change: ReadLog gives every change after a revision, in order, each once, back to
//   CompactedRevision().
//
// Thread rule: every method may be called from any thread. Reads run on the calling thread and do not wait
// for writes. Callbacks run on the store's writer executor and must be short. Failure: after an I/O error
// while committing, nothing is acknowledged any more: every later Commit fails and Healthy() says why. Reads
// go on.
#pragma once

#include "annex/base/result.h"
#include "annex/selector/query.h"
#include "annex/store/object.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::store {

// A change of one object, conditional on the state that its author saw.
struct Mutation {
  struct State {
    Body body;
    selector::TermSet terms;
    std::uint64_t format = 0;
  };

  CollectionId collection = 0;
  std::string key;
  ObjectPtr seen;             // nullptr: the object must not exist
  std::optional<State> next;  // nullopt: delete it
};

struct Committed {
  Revision revision = 0;
  ObjectPtr object;  // the new state; nullptr after a deletion
};

// New terms for an object whose body stays as it is. Neither a revision nor an event comes of it.
struct TermUpdate {
  std::string key;
  Revision revision = 0;  // of the state that the terms were made from; another state is left alone
  selector::TermSet terms = {};
  // The format that the body as it is and the new terms are of; 0 if the body would have to be another for
  // that.
  std::uint64_t format = 0;
};

// One object during a List. The views are valid until the visitor returns.
struct Row {
  std::string_view key;
  Revision revision = 0;
  std::string_view body;
  std::uint32_t revision_at = 0;
  std::string_view terms;
  std::uint64_t format = 0;
  // False if the query has conditions on fields (or on labels that follow the format) and this row's terms do
  // not tell (see ListQuery::terms_format): the visitor has to judge them. All other conditions hold.
  bool judged = true;
};

enum class Visit : std::uint8_t {
  kNext,
  // Ends the list *before* this row: it counts as not visited and the page says that more follows.
  kStop,
};
using RowVisitor = std::function<Visit(const Row&)>;

struct ListQuery {
  CollectionId collection = 0;
  std::string prefix = {};  // keys that begin with it, such as "NAMESPACE/"; "" for all
  std::string start = {};   // keys from here on; "" for all
  Revision at = 0;          // 0: the newest revision
  const selector::Query* query = nullptr;
  // The fingerprint whose terms answer the query's conditions on fields; rows of another one (all rows, if it
  // is 0) come unjudged.
  std::uint64_t terms_format = 0;
  // The query's conditions on labels too hold for rows of that fingerprint alone: reading a row of another
  // one may change its labels. Such rows come unjudged.
  bool labels_follow_format = false;
  // Count the rows that follow when the visitor stops. REQUIRES: no query.
  bool count_remaining = false;
};

struct Page {
  Revision at = 0;    // the revision that the list shows
  bool more = false;  // the visitor stopped it
  std::optional<std::int64_t> remaining;
};

struct CollectionInfo {
  CollectionId id = 0;
  std::string name;
  // All rows' terms are right for this fingerprint; 0 if none (see SetTermsFormat).
  std::uint64_t terms_format = 0;
};

// Gets each committed group of changes, in order, on the writer executor. REQUIRES: quick, never blocks,
// calls no Store method.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  // `upto` is the newest revision now: every change up to it was published.
  virtual void OnCommitted(const std::vector<EventPtr>& events, Revision upto) = 0;
  virtual void OnCollectionDropped(CollectionId collection) = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  // --- collections

  // The collection `name`, made if there is none.
  virtual void OpenCollection(std::string name, std::function<void(base::Result<CollectionInfo>)> done) = 0;
  // Removes a collection with all its objects, at once for all observers: what comes later is NotFound (Get
  // finds nothing, Count is 0). Space comes back over time. No events are published for the objects. Errors:
  // NotFound.
  virtual void DropCollection(CollectionId collection, std::function<void(base::Result<void>)> done) = 0;

  // --- writing

  // Errors: Conflict (the object is not in the state `seen`), NotFound (no such collection), TooManyRequests
  // (too many writes are waiting, or see SetAccess), InternalError (disk full, or the store stopped writing).
  virtual void Commit(Mutation mutation, std::function<void(base::Result<Committed>)> done) = 0;

  // Whether commits to a collection are accepted. Once `done` is called, those that were asked for earlier
  // are decided, and while it is kReadOnly every later one fails with TooManyRequests, to be tried again in a
  // second. A store that is opened again accepts all. Errors: as UpdateTerms, but NotFound.
  enum class Access : std::uint8_t { kReadWrite, kReadOnly };
  virtual void SetAccess(CollectionId collection, Access access,
                         std::function<void(base::Result<void>)> done) = 0;

  // Gives objects new terms in one transaction; keys that moved on meanwhile are skipped. Errors: as Commit,
  // but Conflict.
  virtual void UpdateTerms(CollectionId collection, std::vector<TermUpdate> updates,
                           std::function<void(base::Result<void>)> done) = 0;
  // Records that all rows' terms are right for a fingerprint. From now on the caller writes only such rows.
  // Errors: as UpdateTerms.
  virtual void SetTermsFormat(CollectionId collection, std::uint64_t terms_format,
                              std::function<void(base::Result<void>)> done) = 0;

  // --- reading

  // Shows the object to `visitor`; false if there is none.
  virtual base::Result<bool> Get(CollectionId collection, std::string_view key,
                                 const std::function<void(const Row&)>& visitor) = 0;
  // The object; nullptr if there is none.
  base::Result<ObjectPtr> Load(CollectionId collection, std::string_view key);

  // Visits the matching objects in bytewise order of their keys.
  // Errors: NotFound (no such collection), Expired (`at` is older than CompactedRevision()), Timeout (`at` is
  // yet to come), InternalError.
  virtual base::Result<Page> List(const ListQuery& query, const RowVisitor& visitor) = 0;

  // Objects now in a collection. Errors: InternalError.
  virtual base::Result<std::int64_t> Count(CollectionId collection) = 0;

  struct LogQuery {
    CollectionId collection = 0;
    std::string prefix;
    Revision after = 0;
    std::size_t max_events = 0;
    std::size_t max_bytes = 0;  // ends a batch early; at least one event is given
  };
  struct LogBatch {
    std::vector<EventPtr> events;
    // Every change of the collection up to here is in `events` (or came before). Never less than `after`.
    Revision upto = 0;
  };
  // The changes after a revision. REQUIRES: max_events > 0.
  // Errors: NotFound (no such collection), Expired (`after` is older than CompactedRevision()),
  // InternalError.
  virtual base::Result<LogBatch> ReadLog(const LogQuery& query) = 0;

  // The newest committed revision; at least 1.
  virtual Revision CurrentRevision() const = 0;
  // The oldest revision that can still be listed or watched from.
  virtual Revision CompactedRevision() const = 0;

  // While the pin lives, CompactedRevision() does not pass `at`: for a list that streams at one revision.
  // The pin may outlive neither the store nor its own usefulness: a pin held for long makes history grow.
  virtual std::shared_ptr<void> Pin(Revision at) = 0;

  // --- upkeep

  // Forgets history that its retention no longer covers. `done` tells when.
  virtual void Compact(std::function<void(base::Result<void>)> done) = 0;
  // An error with the reason if the store can no longer write.
  virtual base::Result<void> Healthy() const = 0;
};

}  // namespace annex::store
