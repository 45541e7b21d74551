#include "writer.h"

#include "annex/selector/terms.h"
#include "migrate.h"

namespace annex::store::sqlite {
namespace {

std::string NamespaceOf(std::string_view key) {
  const auto slash = key.find('/');
  return std::string(slash == std::string_view::npos ? std::string_view() : key.substr(0, slash));
}

std::string IndexText(const selector::TermReader::Term& term) {
  std::string text;
  text.reserve(term.name.size() + 1 + term.value.size());
  text.append(term.name).append("=").append(term.value);
  return text;
}

// Clients of Kubernetes try again by themselves when they are told when.
base::Status ReadOnly() {
  base::Status status{base::Reason::kTooManyRequests, "the objects are read-only for a moment, try again"};
  status.details.present = true;
  status.details.retry_after_seconds = 1;
  return status;
}

}  // namespace

base::Result<std::unique_ptr<Writer>> Writer::Open(const std::string& path, const std::string& vfs,
                                                   std::int64_t cache_bytes) {
  ANNEX_TRY(auto connection, Connection::Open(path, vfs, Connection::Mode::kWriter, cache_bytes));
  std::unique_ptr<Writer> writer(new Writer(std::move(connection)));
  ANNEX_RETURN_IF_ERROR(Migrate(*writer->connection_));
  ANNEX_RETURN_IF_ERROR(writer->PrepareAll());
  return writer;
}

base::Result<void> Writer::PrepareAll() {
  struct Entry {
    Statement& statement;
    const char* name;
    const char* sql;
  };
  const Entry entries[] = {
      {begin_, "begin", "BEGIN IMMEDIATE"},
      {commit_, "commit", "COMMIT"},
      {rollback_, "rollback", "ROLLBACK"},
      {newest_, "newest", "SELECT revision FROM version ORDER BY revision DESC LIMIT 1"},
      {compacted_, "compacted", "SELECT value FROM meta WHERE name = 'compacted'"},
      {set_compacted_, "set compacted", "UPDATE meta SET value = ?1 WHERE name = 'compacted'"},
      {collection_exists_, "collection exists", "SELECT 1 FROM collection WHERE id = ?1 AND dropped = 0"},
      {find_collection_, "find collection",
       "SELECT id, terms_format FROM collection WHERE name = ?1 AND dropped = 0"},
      {make_collection_, "make collection", "INSERT INTO collection (name) VALUES (?1)"},
      {drop_collection_, "drop collection",
       "UPDATE collection SET dropped = 1 WHERE id = ?1 AND dropped = 0"},
      {find_dropped_, "find dropped", "SELECT id FROM collection WHERE dropped = 1 LIMIT 1"},
      {forget_collection_, "forget collection", "DELETE FROM collection WHERE id = ?1"},
      {set_terms_format_, "set terms format",
       "UPDATE collection SET terms_format = ?2 WHERE id = ?1 AND dropped = 0"},
      {head_revision_, "head revision", "SELECT revision FROM head WHERE collection = ?1 AND key = ?2"},
      {insert_version_, "insert version",
       "INSERT INTO version (revision, collection, key, previous, committed_at, format, revision_at, terms, "
       "body)"
       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"},
      {insert_head_, "insert head", "INSERT INTO head (collection, key, revision) VALUES (?1, ?2, ?3)"},
      {update_head_, "update head", "UPDATE head SET revision = ?3 WHERE collection = ?1 AND key = ?2"},
      {delete_head_, "delete head", "DELETE FROM head WHERE collection = ?1 AND key = ?2"},
      {insert_term_, "insert term", "INSERT OR IGNORE INTO term (collection, term, key) VALUES (?1, ?2, ?3)"},
      {delete_term_, "delete term", "DELETE FROM term WHERE collection = ?1 AND term = ?2 AND key = ?3"},
      {version_terms_, "version terms", "SELECT terms FROM version WHERE revision = ?1"},
      {update_version_terms_, "update version terms",
       "UPDATE version SET terms = ?2, format = ?3 WHERE revision = ?1"},
      {add_tally_, "add tally",
       "INSERT INTO tally (collection, namespace, objects) VALUES (?1, ?2, ?3)"
       " ON CONFLICT DO UPDATE SET objects = objects + excluded.objects"},
      {history_, "history",
       "SELECT revision, previous, body IS NULL FROM version WHERE revision > ?1 AND revision <= ?2"
       " ORDER BY revision LIMIT ?3"},
      {body_size_, "body size", "SELECT length(body) FROM version WHERE revision = ?1"},
      {delete_version_, "delete version", "DELETE FROM version WHERE revision = ?1"},
      // The newest row stays even if its collection goes: the count of revisions begins there.
      {purge_version_, "purge version",
       "DELETE FROM version WHERE revision IN (SELECT revision FROM version WHERE collection = ?1 AND "
       "revision <"
       " (SELECT max(revision) FROM version) ORDER BY revision LIMIT ?2)"},
      {purge_head_, "purge head",
       "DELETE FROM head WHERE collection = ?1 AND key IN (SELECT key FROM head WHERE collection = ?1 LIMIT "
       "?2)"},
      {purge_term_, "purge term",
       "DELETE FROM term WHERE collection = ?1 AND (term, key) IN"
       " (SELECT term, key FROM term WHERE collection = ?1 LIMIT ?2)"},
      {purge_tally_, "purge tally", "DELETE FROM tally WHERE collection = ?1"},
      // If that was one of the collection's, it goes on as a deletion, which compaction will remove.
      {blank_version_, "blank version", "UPDATE version SET terms = x'', body = NULL WHERE collection = ?1"},
  };
  for (const Entry& entry : entries) {
    ANNEX_TRY(entry.statement, connection_->Prepare(entry.name, entry.sql));
  }
  return {};
}

base::Result<void> Writer::BeginGroup(std::int64_t now_ms) {
  now_ms_ = now_ms;
  tallies_.clear();
  return begin_.Run();
}

base::Result<void> Writer::CommitGroup() {
  ANNEX_RETURN_IF_ERROR(WriteTallies());
  return commit_.Run();
}

void Writer::RollbackGroup() {
  // After some errors SQLite has rolled back by itself, and there is nothing to roll back any more.
  static_cast<void>(rollback_.Run());
}

void Writer::SetAccess(CollectionId collection, Store::Access access) {
  if (access == Store::Access::kReadOnly) {
    read_only_.insert(collection);
  } else {
    read_only_.erase(collection);
  }
}

base::Result<EventPtr> Writer::Apply(Mutation& mutation, Revision revision) {
  ANNEX_TRY(const bool exists, CollectionExists(mutation.collection));
  if (!exists) return base::Error(base::Reason::kNotFound, "the collection does not exist");
  if (read_only_.contains(mutation.collection)) return base::Error(ReadOnly());
  const Revision expected = mutation.seen ? mutation.seen->revision : 0;
  ANNEX_TRY(const Revision current, HeadRevision(mutation.collection, mutation.key));
  if (current != expected) return base::Error(base::Reason::kConflict, "the object has been changed");
  if (!mutation.next && !mutation.seen)
    return base::Error(base::Reason::kConflict, "the object does not exist");

  ANNEX_RETURN_IF_ERROR(WriteVersion(mutation, revision));
  ANNEX_RETURN_IF_ERROR(WriteHead(mutation, revision));
  std::string before;
  if (mutation.seen) {
    ANNEX_TRY(before, IndexedTerms(mutation.collection, *mutation.seen));
  }
  const std::string_view after = mutation.next ? std::string_view(mutation.next->terms.encoded()) : "";
  ANNEX_RETURN_IF_ERROR(WriteTerms(mutation.collection, mutation.key, before, after));
  const int objects = (mutation.next ? 1 : 0) - (mutation.seen ? 1 : 0);
  if (objects != 0) tallies_[{mutation.collection, NamespaceOf(mutation.key)}] += objects;

  ObjectPtr object;
  if (mutation.next) {
    object = std::make_shared<const Object>(Object{mutation.key, revision, std::move(mutation.next->body),
                                                   std::move(mutation.next->terms), mutation.next->format});
  }
  return std::make_shared<const Event>(revision, mutation.collection, mutation.key, std::move(object),
                                       mutation.seen);
}

base::Result<bool> Writer::CollectionExists(CollectionId collection) {
  const Use use(collection_exists_);
  return use->Bind(1, collection).Step();
}

base::Result<Revision> Writer::HeadRevision(CollectionId collection, const std::string& key) {
  const Use use(head_revision_);
  ANNEX_TRY(const bool found, use->Bind(1, collection).BindText(2, key).Step());
  return found ? use->Integer(0) : 0;
}

// What the author of a mutation saw may be older than an UpdateTerms: a revision says nothing of terms.
// (Whoever saw a state did so in this process, so a set in memory is enough.)
base::Result<std::string> Writer::IndexedTerms(CollectionId collection, const Object& state) {
  if (!terms_updated_.contains(collection)) return state.terms.encoded();
  return StoredTerms(state.revision);
}

base::Result<std::string> Writer::StoredTerms(Revision revision) {
  const Use use(version_terms_);
  ANNEX_TRY(const bool found, use->Bind(1, revision).Step());
  if (!found) return base::Error(base::Reason::kInternalError, "the database lacks a newest state");
  return std::string(use->Blob(0));
}

base::Result<void> Writer::WriteVersion(const Mutation& mutation, Revision revision) {
  Statement& insert = insert_version_;
  insert.Bind(1, revision)
      .Bind(2, mutation.collection)
      .BindText(3, mutation.key)
      .Bind(4, mutation.seen ? mutation.seen->revision : 0)
      .Bind(5, now_ms_);
  if (mutation.next) {
    insert.Bind(6, static_cast<std::int64_t>(mutation.next->format))
        .Bind(7, mutation.next->body.revision_at)
        .BindBlob(8, mutation.next->terms.encoded())
        .BindBlob(9, mutation.next->body.bytes);
  } else {
    insert.Bind(6, 0).Bind(7, 0).BindBlob(8, {}).BindNull(9);
  }
  return insert.Run();
}

base::Result<void> Writer::WriteHead(const Mutation& mutation, Revision revision) {
  if (!mutation.next) return delete_head_.Bind(1, mutation.collection).BindText(2, mutation.key).Run();
  Statement& write = mutation.seen ? update_head_ : insert_head_;
  return write.Bind(1, mutation.collection).BindText(2, mutation.key).Bind(3, revision).Run();
}

base::Result<void> Writer::WriteTerms(CollectionId collection, const std::string& key,
                                      std::string_view before, std::string_view after) {
  if (before == after) return {};
  const auto remove = [&](const selector::TermReader::Term& term) {
    const std::string text = IndexText(term);
    return delete_term_.Bind(1, collection).BindText(2, text).BindText(3, key).Run();
  };
  const auto add = [&](const selector::TermReader::Term& term) {
    const std::string text = IndexText(term);
    return insert_term_.Bind(1, collection).BindText(2, text).BindText(3, key).Run();
  };
  // Both are sorted by name: walk them side by side.
  selector::TermReader old_terms(before);
  selector::TermReader new_terms(after);
  auto old_term = old_terms.Next();
  auto new_term = new_terms.Next();
  while (old_term || new_term) {
    if (old_term && (!new_term || old_term->name < new_term->name)) {
      ANNEX_RETURN_IF_ERROR(remove(*old_term));
      old_term = old_terms.Next();
    } else if (!old_term || new_term->name < old_term->name) {
      ANNEX_RETURN_IF_ERROR(add(*new_term));
      new_term = new_terms.Next();
    } else {
      if (old_term->value != new_term->value) {
        ANNEX_RETURN_IF_ERROR(remove(*old_term));
        ANNEX_RETURN_IF_ERROR(add(*new_term));
      }
      old_term = old_terms.Next();
      new_term = new_terms.Next();
    }
  }
  return {};
}

base::Result<void> Writer::WriteTallies() {
  for (const auto& [place, objects] : tallies_) {
    if (objects == 0) continue;
    ANNEX_RETURN_IF_ERROR(add_tally_.Bind(1, place.first).BindText(2, place.second).Bind(3, objects).Run());
  }
  return {};
}

base::Result<CollectionInfo> Writer::OpenCollection(const std::string& name) {
  for (const bool made : {false, true}) {
    if (made) ANNEX_RETURN_IF_ERROR(make_collection_.BindText(1, name).Run());
    const Use use(find_collection_);
    ANNEX_TRY(const bool found, use->BindText(1, name).Step());
    if (found) return CollectionInfo{use->Integer(0), name, static_cast<std::uint64_t>(use->Integer(1))};
  }
  return base::Error(base::Reason::kInternalError, "a collection that was just made is missing");
}

base::Result<bool> Writer::MarkDropped(CollectionId collection) {
  ANNEX_RETURN_IF_ERROR(drop_collection_.Bind(1, collection).Run());
  return connection_->Changes() > 0;
}

base::Result<void> Writer::UpdateTerms(CollectionId collection, const TermUpdate& update) {
  ANNEX_TRY(const Revision current, HeadRevision(collection, update.key));
  if (current == 0 || current != update.revision) return {};
  ANNEX_TRY(const std::string before, StoredTerms(current));
  terms_updated_.insert(collection);
  update_version_terms_.Bind(1, current).BindBlob(2, update.terms.encoded());
  ANNEX_RETURN_IF_ERROR(update_version_terms_.Bind(3, static_cast<std::int64_t>(update.format)).Run());
  return WriteTerms(collection, update.key, before, update.terms.encoded());
}

base::Result<bool> Writer::SetTermsFormat(CollectionId collection, std::uint64_t terms_format) {
  ANNEX_RETURN_IF_ERROR(
      set_terms_format_.Bind(1, collection).Bind(2, static_cast<std::int64_t>(terms_format)).Run());
  return connection_->Changes() > 0;
}

// By a row of no collection, as the first one of a new database.
base::Result<void> Writer::BeginBeyond(Revision revision, std::int64_t now_ms) {
  ANNEX_TRY(const Revision newest, Newest());
  if (newest > revision) return {};
  ANNEX_RETURN_IF_ERROR(BeginGroup(now_ms));
  insert_version_.Bind(1, revision + 1).Bind(2, 0).BindText(3, "").Bind(4, 0).Bind(5, now_ms);
  ANNEX_RETURN_IF_ERROR(insert_version_.Bind(6, 0).Bind(7, 0).BindBlob(8, {}).BindNull(9).Run());
  return CommitGroup();
}

base::Result<bool> Writer::PurgeDropped(std::int64_t max_rows) {
  CollectionId collection = 0;
  {
    const Use use(find_dropped_);
    ANNEX_TRY(const bool found, use->Step());
    if (!found) return false;
    collection = use->Integer(0);
  }
  std::int64_t removed = 0;
  for (Statement* purge : {&purge_head_, &purge_term_, &purge_version_}) {
    ANNEX_RETURN_IF_ERROR(purge->Bind(1, collection).Bind(2, max_rows).Run());
    removed += connection_->Changes();
  }
  if (removed == 0) {
    ANNEX_RETURN_IF_ERROR(blank_version_.Bind(1, collection).Run());
    ANNEX_RETURN_IF_ERROR(purge_tally_.Bind(1, collection).Run());
    ANNEX_RETURN_IF_ERROR(forget_collection_.Bind(1, collection).Run());
  }
  return true;
}

base::Result<Writer::HistoryStep> Writer::ForgetHistory(Revision from, Revision to, std::int64_t max_rows) {
  HistoryStep step{from, 0};
  std::vector<Revision> forgotten;
  {
    const Use use(history_);
    use->Bind(1, from).Bind(2, to).Bind(3, max_rows);
    for (std::int64_t rows = 0;; ++rows) {
      ANNEX_TRY(const bool found, use->Step());
      if (!found) {
        if (rows < max_rows) step.compacted = to;
        break;
      }
      step.compacted = use->Integer(0);
      if (const Revision previous = use->Integer(1); previous != 0) forgotten.push_back(previous);
      if (use->Integer(2) != 0) forgotten.push_back(step.compacted);
    }
  }
  for (const Revision revision : forgotten) {
    {
      const Use use(body_size_);
      ANNEX_TRY(const bool found, use->Bind(1, revision).Step());
      if (found) step.bytes_freed += use->Integer(0);
    }
    ANNEX_RETURN_IF_ERROR(delete_version_.Bind(1, revision).Run());
  }
  ANNEX_RETURN_IF_ERROR(set_compacted_.Bind(1, step.compacted).Run());
  return step;
}

base::Result<Revision> Writer::Newest() {
  const Use use(newest_);
  ANNEX_RETURN_IF_ERROR(use->Step());
  return use->Integer(0);
}

base::Result<Revision> Writer::Compacted() {
  const Use use(compacted_);
  ANNEX_RETURN_IF_ERROR(use->Step());
  return use->Integer(0);
}

}  // namespace annex::store::sqlite
