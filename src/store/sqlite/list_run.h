// ListRun: one List inside a read transaction.
//
// The rows of the newest revision come from an index in the order of their keys: `head`, or `term` where the
// query has a condition that an index answers. A list at an older revision is the same walk with corrections:
// for every key that changed since, the state before its first change is what the list shows. Those keys are
// skipped in the index and merged in from memory, in order.
//
//   changed since 40:  a: 41 (created)   c: 45 (was 12), 47   d: 46 (deleted, was 30)
//   head now:          a@41  b@7  c@47          e@9
//   the list at 40:          b@7  c@12  d@30    e@9
#pragma once

#include "annex/store/store.h"
#include "reader.h"
#include "remaining_memo.h"

#include <map>
#include <optional>
#include <string>

namespace annex::store::sqlite {

// The row that a statement with the reader's row columns stands on.
Row CurrentRow(const Statement& statement);

class ListRun {
 public:
  ListRun(Reader& reader, const ListQuery& query, const RowVisitor& visitor, RemainingMemo& memo);

  // REQUIRES: a transaction is open on the reader.
  base::Result<Page> Run();

 private:
  // What became of a key after the list's revision.
  struct Change {
    Revision before = 0;     // the state that the list shows; 0: none
    bool exists_now = true;  // whether `head` has the key
  };

  base::Result<void> SetRevision();
  base::Result<void> JudgeTerms();
  // Whether a row's terms tell about a condition only if the row has the query's format.
  bool FollowsFormat(const selector::TermCondition& condition) const;
  void NarrowRange();
  base::Result<void> LoadChanges();
  // Picks the condition that excludes most, among those that an index answers.
  base::Result<void> ChooseIndex();
  base::Result<std::int64_t> ProbeRows(const selector::TermCondition& condition);
  base::Result<void> Walk(Statement& index);
  base::Result<void> WalkKeys(const selector::TermCondition& condition);
  // Shows the changed keys that come before `key` (or all that are left).
  base::Result<void> ShowChangedUntil(std::optional<std::string_view> key);
  // Shows a row unless the query excludes it. Sets stopped_ when the visitor has enough.
  void Show(Row row, bool historical);
  base::Result<void> CountRemaining();
  base::Result<std::int64_t> CountFromStop();
  // What the kept totals say about the whole range; nullopt if it is no namespace.
  base::Result<std::optional<std::int64_t>> CountFromTotals();

  Reader& reader_;
  const ListQuery& query_;
  const RowVisitor& visitor_;
  RemainingMemo& memo_;

  Page page_;
  KeyRange range_;
  bool has_format_conditions_ = false;
  bool terms_trusted_ = true;  // the terms of all newest rows answer all of the query's conditions
  const selector::TermCondition* driver_ = nullptr;
  std::map<std::string, Change, std::less<>> changes_;
  std::map<std::string, Change, std::less<>>::const_iterator next_change_;
  bool stopped_ = false;
  std::string stop_key_;
  std::string last_key_;
  std::int64_t visited_ = 0;
};

}  // namespace annex::store::sqlite
