// Reader: one read-only connection and what is read through it.
//
// Each call is one read transaction and so sees one snapshot; it begins and ends within the call, so that
// checkpoints are never held up for long.
//
// Thread rule: one thread at a time; ReaderPool hands readers out.
#pragma once

#include "annex/store/store.h"
#include "connection.h"
#include "remaining_memo.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace annex::store::sqlite {

class Reader {
 public:
  static base::Result<std::unique_ptr<Reader>> Open(const std::string& path, const std::string& vfs,
                                                    std::int64_t cache_bytes);

  base::Result<bool> Get(CollectionId collection, std::string_view key,
                         const std::function<void(const Row&)>& visitor);
  base::Result<Page> List(const ListQuery& query, const RowVisitor& visitor, RemainingMemo& memo);
  base::Result<Store::LogBatch> ReadLog(const Store::LogQuery& query);
  base::Result<std::int64_t> Count(CollectionId collection);

 private:
  friend class ListRun;
  explicit Reader(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
  base::Result<void> PrepareAll();

  base::Result<Revision> Compacted();
  base::Result<Revision> Newest();
  // Errors: NotFound, also if the collection was dropped.
  base::Result<std::uint64_t> TermsFormat(CollectionId collection);
  base::Result<ObjectPtr> LoadVersion(Revision revision);

  const std::unique_ptr<Connection> connection_;
  Statement begin_;
  Statement end_;
  Statement compacted_;
  Statement newest_;
  Statement collection_;
  Statement get_;
  Statement scan_;
  Statement scan_term_;
  Statement probe_term_;
  Statement term_keys_;
  Statement version_;
  Statement changed_since_;
  Statement count_range_;
  Statement tally_namespace_;
  Statement tally_all_;
  Statement log_;
};

// Keys that begin with `prefix` lie in [prefix, KeyRangeEnd). For all keys the end is unbounded, which is
// bound as an empty blob: SQLite sorts every blob after every text.
struct KeyRange {
  std::string begin;
  std::optional<std::string> end;

  static KeyRange OfPrefix(std::string_view prefix);
  void BindEnd(Statement& statement, int parameter) const;
  bool Contains(std::string_view key) const { return key >= begin && (!end || key < *end); }
};

}  // namespace annex::store::sqlite
