// Writer: the one connection that writes and checkpoints, and the statements that change the database.
//
// Thread rule: used only by tasks of the store's writer executor (and by OpenSqliteStore before the first of
// them). Failure: InternalError. The caller rolls back; a Writer itself keeps no state that a rollback would
// have to undo, except what BeginGroup resets.
#pragma once

#include "annex/store/store.h"
#include "connection.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace annex::store::sqlite {

class Writer {
 public:
  // Opens the database file, makes or migrates its tables.
  static base::Result<std::unique_ptr<Writer>> Open(const std::string& path, const std::string& vfs,
                                                    std::int64_t cache_bytes);

  Connection& connection() { return *connection_; }

  // Lets the count of revisions go on beyond `revision`, if it did not get there yet.
  base::Result<void> BeginBeyond(Revision revision, std::int64_t now_ms);

  // --- a group of changes in one transaction
  base::Result<void> BeginGroup(std::int64_t now_ms);
  // Writes the totals that the group changed and makes everything durable.
  base::Result<void> CommitGroup();
  void RollbackGroup();

  // Applies a mutation at `revision`. Errors that leave the transaction usable: Conflict, NotFound,
  // TooManyRequests (the collection is read-only).
  // InternalError: roll back.
  base::Result<EventPtr> Apply(Mutation& mutation, Revision revision);

  // Not part of the transaction: a rollback does not undo it.
  void SetAccess(CollectionId collection, Store::Access access);

  base::Result<CollectionInfo> OpenCollection(const std::string& name);
  base::Result<bool> CollectionExists(CollectionId collection);
  // False if there is no such collection.
  base::Result<bool> MarkDropped(CollectionId collection);
  base::Result<bool> SetTermsFormat(CollectionId collection, std::uint64_t terms_format);
  // REQUIRES: the collection exists.
  base::Result<void> UpdateTerms(CollectionId collection, const TermUpdate& update);

  // --- upkeep, each a bounded piece of work inside a group
  // Removes rows of dropped collections; false when
  // none are left.
  base::Result<bool> PurgeDropped(std::int64_t max_rows);

  struct HistoryStep {
    Revision compacted = 0;        // history begins here now
    std::int64_t bytes_freed = 0;  // of replaced and deleted bodies
  };
  // Forgets the changes after `from` up to `to`, at most `max_rows` of them. REQUIRES: `to` is older than the
  // newest revision, whose row must stay.
  base::Result<HistoryStep> ForgetHistory(Revision from, Revision to, std::int64_t max_rows);

  base::Result<Revision> Newest();
  base::Result<Revision> Compacted();

 private:
  explicit Writer(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
  base::Result<void> PrepareAll();

  base::Result<Revision> HeadRevision(CollectionId collection, const std::string& key);
  // The terms that the index has for a newest state.
  base::Result<std::string> IndexedTerms(CollectionId collection, const Object& state);
  base::Result<std::string> StoredTerms(Revision revision);
  base::Result<void> WriteVersion(const Mutation& mutation, Revision revision);
  base::Result<void> WriteHead(const Mutation& mutation, Revision revision);
  // Brings the index from the terms `before` to the terms `after`, both encoded.
  base::Result<void> WriteTerms(CollectionId collection, const std::string& key, std::string_view before,
                                std::string_view after);
  base::Result<void> WriteTallies();

  const std::unique_ptr<Connection> connection_;
  std::int64_t now_ms_ = 0;
  // Changes of object counts in this group, by collection and namespace.
  std::map<std::pair<CollectionId, std::string>, std::int64_t> tallies_;
  // Collections in which states may have other terms than those who saw them before know of.
  std::set<CollectionId> terms_updated_;
  std::set<CollectionId> read_only_;

  Statement begin_;
  Statement commit_;
  Statement rollback_;
  Statement newest_;
  Statement compacted_;
  Statement set_compacted_;
  Statement collection_exists_;
  Statement find_collection_;
  Statement make_collection_;
  Statement drop_collection_;
  Statement find_dropped_;
  Statement forget_collection_;
  Statement set_terms_format_;
  Statement head_revision_;
  Statement insert_version_;
  Statement insert_head_;
  Statement update_head_;
  Statement delete_head_;
  Statement insert_term_;
  Statement delete_term_;
  Statement version_terms_;
  Statement update_version_terms_;
  Statement add_tally_;
  Statement history_;
  Statement body_size_;
  Statement delete_version_;
  Statement purge_version_;
  Statement purge_head_;
  Statement purge_term_;
  Statement purge_tally_;
  Statement blank_version_;
};

}  // namespace annex::store::sqlite
