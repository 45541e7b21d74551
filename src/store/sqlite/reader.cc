#include "reader.h"

#include "list_run.h"

#include <algorithm>

namespace annex::store::sqlite {
namespace {

// The columns that RowOf reads, in its order.
#define ANNEX_ROW_COLUMNS "v.key, v.revision, v.revision_at, v.format, v.terms, v.body"

Row RowOf(const Statement& statement) {
  Row row;
  row.key = statement.Text(0);
  row.revision = statement.Integer(1);
  row.revision_at = static_cast<std::uint32_t>(statement.Integer(2));
  row.format = static_cast<std::uint64_t>(statement.Integer(3));
  row.terms = statement.Blob(4);
  row.body = statement.Blob(5);
  return row;
}

ObjectPtr ObjectOf(const Row& row) {
  return std::make_shared<const Object>(
      Object{std::string(row.key), row.revision, Body{std::string(row.body), row.revision_at},
             selector::TermSet::FromEncoded(std::string(row.terms)), row.format});
}

}  // namespace

KeyRange KeyRange::OfPrefix(std::string_view prefix) {
  KeyRange range;
  range.begin = prefix;
  if (!prefix.empty()) {
    // The end is the least text that is greater than all with the prefix: bytes that have no successor give
    // way to the one before.
    std::string end(prefix);
    while (!end.empty() && end.back() == '\xFF') end.pop_back();
    if (!end.empty()) {
      end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
      range.end = std::move(end);
    }
  }
  return range;
}

void KeyRange::BindEnd(Statement& statement, int parameter) const {
  if (end) {
    statement.BindText(parameter, *end);
  } else {
    statement.BindBlob(parameter, {});
  }
}

Row CurrentRow(const Statement& statement) {
  return RowOf(statement);
}

base::Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path, const std::string& vfs,
                                                   std::int64_t cache_bytes) {
  ANNEX_TRY(auto connection, Connection::Open(path, vfs, Connection::Mode::kReader, cache_bytes));
  std::unique_ptr<Reader> reader(new Reader(std::move(connection)));
  ANNEX_RETURN_IF_ERROR(reader->PrepareAll());
  return reader;
}

base::Result<void> Reader::PrepareAll() {
  struct Entry {
    Statement& statement;
    const char* name;
    const char* sql;
  };
  const Entry entries[] = {
      {begin_, "begin", "BEGIN"},
      {end_, "end", "COMMIT"},
      {compacted_, "compacted", "SELECT value FROM meta WHERE name = 'compacted'"},
      {newest_, "newest", "SELECT revision FROM version ORDER BY revision DESC LIMIT 1"},
      {collection_, "collection", "SELECT terms_format FROM collection WHERE id = ?1 AND dropped = 0"},
      {get_, "get",
       "SELECT " ANNEX_ROW_COLUMNS
       " FROM head h JOIN version v ON v.revision = h.revision WHERE h.collection = ?1 AND h.key = ?2"
       " AND EXISTS (SELECT 1 FROM collection WHERE id = ?1 AND dropped = 0)"},
      {scan_, "scan",
       "SELECT " ANNEX_ROW_COLUMNS " FROM head h CROSS JOIN version v ON v.revision = h.revision"
       " WHERE h.collection = ?1 AND h.key >= ?2 AND h.key < ?3 ORDER BY h.key"},
      {scan_term_, "scan term",
       "SELECT " ANNEX_ROW_COLUMNS
       " FROM term t CROSS JOIN head h ON h.collection = t.collection AND h.key = t.key"
       " CROSS JOIN version v ON v.revision = h.revision"
       " WHERE t.collection = ?1 AND t.term = ?4 AND t.key >= ?2 AND t.key < ?3 ORDER BY t.key"},
      {probe_term_, "probe term",
       "SELECT count(*) FROM (SELECT 1 FROM term"
       " WHERE collection = ?1 AND term = ?4 AND key >= ?2 AND key < ?3 LIMIT ?5)"},
      {term_keys_, "term keys",
       "SELECT key FROM term WHERE collection = ?1 AND term = ?4 AND key >= ?2 AND key < ?3 ORDER BY key"},
      {version_, "version", "SELECT " ANNEX_ROW_COLUMNS " FROM version v WHERE v.revision = ?1"},
      {changed_since_, "changed since",
       "SELECT key, previous, body IS NULL FROM version"
       " WHERE collection = ?1 AND revision > ?4 AND key >= ?2 AND key < ?3 ORDER BY revision"},
      {count_range_, "count range",
       "SELECT count(*) FROM head WHERE collection = ?1 AND key >= ?2 AND key < ?3"},
      {tally_namespace_, "tally namespace",
       "SELECT objects FROM tally WHERE collection = ?1 AND namespace = ?2"},
      {tally_all_, "tally all",
       "SELECT sum(objects) FROM tally WHERE collection = ?1"
       " AND EXISTS (SELECT 1 FROM collection WHERE id = ?1 AND dropped = 0)"},
      {log_, "log",
       "SELECT " ANNEX_ROW_COLUMNS ", v.previous FROM version v WHERE v.collection = ?1 AND v.revision > ?2 "
       "ORDER BY v.revision LIMIT ?3"},
  };
  for (const Entry& entry : entries) {
    ANNEX_TRY(entry.statement, connection_->Prepare(entry.name, entry.sql));
  }
  return {};
}

base::Result<Revision> Reader::Compacted() {
  const Use use(compacted_);
  ANNEX_RETURN_IF_ERROR(use->Step());
  return use->Integer(0);
}

base::Result<Revision> Reader::Newest() {
  const Use use(newest_);
  ANNEX_RETURN_IF_ERROR(use->Step());
  return use->Integer(0);
}

base::Result<std::uint64_t> Reader::TermsFormat(CollectionId collection) {
  const Use use(collection_);
  ANNEX_TRY(const bool found, use->Bind(1, collection).Step());
  if (!found) return base::Error(base::Reason::kNotFound, "the collection does not exist");
  return static_cast<std::uint64_t>(use->Integer(0));
}

base::Result<bool> Reader::Get(CollectionId collection, std::string_view key,
                               const std::function<void(const Row&)>& visitor) {
  const Use use(get_);
  ANNEX_TRY(const bool found, use->Bind(1, collection).BindText(2, key).Step());
  if (found) visitor(RowOf(*use));
  return found;
}

base::Result<ObjectPtr> Reader::LoadVersion(Revision revision) {
  const Use use(version_);
  ANNEX_TRY(const bool found, use->Bind(1, revision).Step());
  if (!found) {
    return base::Error(base::Reason::kInternalError,
                       "the database lacks revision " + std::to_string(revision));
  }
  return ObjectOf(RowOf(*use));
}

base::Result<Page> Reader::List(const ListQuery& query, const RowVisitor& visitor, RemainingMemo& memo) {
  ANNEX_RETURN_IF_ERROR(begin_.Run());
  auto page = ListRun(*this, query, visitor, memo).Run();
  const auto ended = end_.Run();
  if (page && !ended) return base::Error(ended.error());
  return page;
}

base::Result<Store::LogBatch> Reader::ReadLog(const Store::LogQuery& query) {
  ANNEX_RETURN_IF_ERROR(begin_.Run());
  auto read = [&]() -> base::Result<Store::LogBatch> {
    ANNEX_RETURN_IF_ERROR(TermsFormat(query.collection));
    ANNEX_TRY(const Revision compacted, Compacted());
    if (query.after < compacted) {
      return base::Error(base::Reason::kExpired, "the revision " + std::to_string(query.after) +
                                                     " is older than the log, which begins at " +
                                                     std::to_string(compacted));
    }
    Store::LogBatch batch;
    ANNEX_TRY(const Revision newest, Newest());
    std::size_t bytes = 0;
    // Rows of other namespaces are read past; the limit bounds the work of one batch, not only its result.
    std::size_t rows = 0;
    const Use use(log_);
    use->Bind(1, query.collection).Bind(2, query.after).Bind(3, static_cast<std::int64_t>(query.max_events));
    while (true) {
      ANNEX_TRY(const bool found, use->Step());
      if (!found) {
        // The revision asked for may be one to come; a cursor never goes back.
        if (rows < query.max_events) batch.upto = std::max(query.after, newest);
        break;
      }
      ++rows;
      const Row row = RowOf(*use);
      const bool deleted = use->IsNull(5);
      const Revision previous = use->Integer(6);
      const Revision revision = row.revision;
      if (row.key.starts_with(query.prefix)) {
        ObjectPtr object = deleted ? nullptr : ObjectOf(row);
        ObjectPtr before;
        if (previous != 0) {
          ANNEX_TRY(before, LoadVersion(previous));
        }
        batch.events.push_back(std::make_shared<const Event>(revision, query.collection, std::string(row.key),
                                                             std::move(object), std::move(before)));
        bytes += batch.events.back()->Size();
      }
      batch.upto = revision;
      if (bytes >= query.max_bytes) break;
    }
    return batch;
  }();
  const auto ended = end_.Run();
  if (read && !ended) return base::Error(ended.error());
  return read;
}

base::Result<std::int64_t> Reader::Count(CollectionId collection) {
  const Use use(tally_all_);
  ANNEX_RETURN_IF_ERROR(use->Bind(1, collection).Step());
  return use->Integer(0);
}

}  // namespace annex::store::sqlite
