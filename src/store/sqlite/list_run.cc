#include "list_run.h"

#include <algorithm>

namespace annex::store::sqlite {
namespace {

// Rows of a term that are counted at most to find the condition that excludes most. Beyond it all are equally
// unselective.
constexpr std::int64_t kProbeRows = 2000;

// 0 is no format, so it equals none.
bool SameFormat(std::uint64_t a, std::uint64_t b) {
  return a != 0 && a == b;
}

std::string IndexText(const std::string& name, const std::string& value) {
  return name + '=' + value;
}

}  // namespace

ListRun::ListRun(Reader& reader, const ListQuery& query, const RowVisitor& visitor, RemainingMemo& memo)
    : reader_(reader),
      query_(query),
      visitor_(visitor),
      memo_(memo),
      range_(KeyRange::OfPrefix(query.prefix)),
      next_change_(changes_.end()) {
  if (range_.begin < query.start) range_.begin = query.start;
}

base::Result<Page> ListRun::Run() {
  ANNEX_RETURN_IF_ERROR(JudgeTerms());
  ANNEX_RETURN_IF_ERROR(SetRevision());
  NarrowRange();
  ANNEX_RETURN_IF_ERROR(LoadChanges());
  ANNEX_RETURN_IF_ERROR(ChooseIndex());
  if (driver_ != nullptr && driver_->values.size() != 1) {
    ANNEX_RETURN_IF_ERROR(WalkKeys(*driver_));
  } else if (driver_ != nullptr) {
    const std::string term = IndexText(driver_->name, driver_->values[0]);
    const Use index(reader_.scan_term_);
    index->BindText(4, term);
    ANNEX_RETURN_IF_ERROR(Walk(*index));
  } else {
    const Use index(reader_.scan_);
    ANNEX_RETURN_IF_ERROR(Walk(*index));
  }
  if (!stopped_) ANNEX_RETURN_IF_ERROR(ShowChangedUntil(std::nullopt));
  page_.more = stopped_;
  if (stopped_ && query_.count_remaining) ANNEX_RETURN_IF_ERROR(CountRemaining());
  return page_;
}

bool ListRun::FollowsFormat(const selector::TermCondition& condition) const {
  return query_.labels_follow_format || condition.name.starts_with('F');
}

base::Result<void> ListRun::JudgeTerms() {
  ANNEX_TRY(const std::uint64_t terms_format, reader_.TermsFormat(query_.collection));
  if (query_.query == nullptr) return {};
  const auto& conditions = query_.query->terms;
  has_format_conditions_ =
      std::any_of(conditions.begin(), conditions.end(),
                  [this](const selector::TermCondition& condition) { return FollowsFormat(condition); });
  terms_trusted_ = !has_format_conditions_ || SameFormat(terms_format, query_.terms_format);
  return {};
}

base::Result<void> ListRun::SetRevision() {
  ANNEX_TRY(const Revision newest, reader_.Newest());
  page_.at = query_.at == 0 ? newest : query_.at;
  if (page_.at > newest) {
    return base::Error(base::Reason::kTimeout,
                       "the store has not reached revision " + std::to_string(page_.at));
  }
  ANNEX_TRY(const Revision compacted, reader_.Compacted());
  if (page_.at < compacted) {
    return base::Error(base::Reason::kExpired, "revision " + std::to_string(page_.at) +
                                                   " is older than the history, which begins at " +
                                                   std::to_string(compacted));
  }
  return {};
}

// metadata.namespace=x without a namespace in the URL, and metadata.name=x within one, leave only a part of
// the range.
void ListRun::NarrowRange() {
  if (query_.query == nullptr) return;
  const auto narrow = [this](const KeyRange& part) {
    range_.begin = std::max(range_.begin, part.begin);
    if (part.end && (!range_.end || *part.end < *range_.end)) range_.end = part.end;
  };
  for (const selector::KeyCondition& condition : query_.query->keys) {
    // Cluster-scoped objects, which have the empty namespace, are no range of keys.
    if (!condition.equal || condition.value.empty()) continue;
    if (condition.part == selector::KeyCondition::Part::kNamespace && query_.prefix.empty()) {
      narrow(KeyRange::OfPrefix(condition.value + "/"));
    } else if (condition.part == selector::KeyCondition::Part::kName && !query_.prefix.empty()) {
      const std::string key = query_.prefix + condition.value;
      narrow({key, key + '\0'});
    }
  }
}

base::Result<void> ListRun::LoadChanges() {
  const Use use(reader_.changed_since_);
  use->Bind(1, query_.collection).BindText(2, range_.begin).Bind(4, page_.at);
  range_.BindEnd(*use, 3);
  while (true) {
    ANNEX_TRY(const bool found, use->Step());
    if (!found) break;
    const auto [change, first] = changes_.try_emplace(std::string(use->Text(0)));
    if (first) change->second.before = use->Integer(1);
    change->second.exists_now = use->Integer(2) == 0;
  }
  next_change_ = changes_.begin();
  return {};
}

base::Result<void> ListRun::ChooseIndex() {
  if (query_.query == nullptr) return {};
  std::vector<const selector::TermCondition*> candidates;
  for (const selector::TermCondition& condition : query_.query->terms) {
    if (condition.Indexable() && (terms_trusted_ || !FollowsFormat(condition)))
      candidates.push_back(&condition);
  }
  if (candidates.empty()) return {};
  driver_ = candidates[0];
  if (candidates.size() == 1) return {};
  std::optional<std::int64_t> fewest;
  for (const selector::TermCondition* candidate : candidates) {
    ANNEX_TRY(const std::int64_t rows, ProbeRows(*candidate));
    if (fewest && rows >= *fewest) continue;
    driver_ = candidate;
    fewest = rows;
  }
  return {};
}

base::Result<std::int64_t> ListRun::ProbeRows(const selector::TermCondition& condition) {
  std::int64_t rows = 0;
  for (const std::string& value : condition.values) {
    const std::string term = IndexText(condition.name, value);
    const Use use(reader_.probe_term_);
    use->Bind(1, query_.collection).BindText(2, range_.begin).BindText(4, term).Bind(5, kProbeRows);
    range_.BindEnd(*use, 3);
    ANNEX_RETURN_IF_ERROR(use->Step());
    rows += use->Integer(0);
  }
  return rows;
}

base::Result<void> ListRun::Walk(Statement& index) {
  index.Bind(1, query_.collection).BindText(2, range_.begin);
  range_.BindEnd(index, 3);
  while (!stopped_) {
    ANNEX_TRY(const bool found, index.Step());
    if (!found) break;
    const Row row = CurrentRow(index);
    if (!changes_.empty()) {
      ANNEX_RETURN_IF_ERROR(ShowChangedUntil(row.key));
      if (stopped_ || changes_.contains(row.key)) continue;
    }
    Show(row, false);
  }
  return {};
}

// A condition with several values: their keys are gathered first, since the index has them in order only
// value by value.
base::Result<void> ListRun::WalkKeys(const selector::TermCondition& condition) {
  std::vector<std::string> keys;
  for (const std::string& value : condition.values) {
    const std::string term = IndexText(condition.name, value);
    const Use use(reader_.term_keys_);
    use->Bind(1, query_.collection).BindText(2, range_.begin).BindText(4, term);
    range_.BindEnd(*use, 3);
    while (true) {
      ANNEX_TRY(const bool found, use->Step());
      if (!found) break;
      keys.emplace_back(use->Text(0));
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::string& key : keys) {
    ANNEX_RETURN_IF_ERROR(ShowChangedUntil(key));
    if (stopped_) return {};
    if (changes_.contains(key)) continue;
    const Use use(reader_.get_);
    ANNEX_TRY(const bool found, use->Bind(1, query_.collection).BindText(2, key).Step());
    if (found) Show(CurrentRow(*use), false);
    if (stopped_) return {};
  }
  return {};
}

base::Result<void> ListRun::ShowChangedUntil(std::optional<std::string_view> key) {
  for (; next_change_ != changes_.end() && !stopped_; ++next_change_) {
    if (key && next_change_->first > *key) return {};
    if (next_change_->second.before == 0) continue;
    const Use use(reader_.version_);
    ANNEX_TRY(const bool found, use->Bind(1, next_change_->second.before).Step());
    if (!found) {
      return base::Error(base::Reason::kInternalError,
                         "the database lacks revision " + std::to_string(next_change_->second.before));
    }
    Show(CurrentRow(*use), true);
  }
  return {};
}

void ListRun::Show(Row row, bool historical) {
  if (query_.query != nullptr) {
    // A state of the past may have terms from before the fields were what they are; then only its body tells.
    row.judged = !has_format_conditions_ || SameFormat(row.format, query_.terms_format) ||
                 (terms_trusted_ && !historical);
    if (!selector::KeysMatch(query_.query->keys, row.key)) return;
    for (const selector::TermCondition& condition : query_.query->terms) {
      if (FollowsFormat(condition) && !row.judged) continue;
      if (!condition.Matches(row.terms)) return;
    }
  }
  if (visitor_(row) == Visit::kStop) {
    stopped_ = true;
    stop_key_ = row.key;
    return;
  }
  ++visited_;
  if (query_.count_remaining) last_key_ = row.key;
}

base::Result<void> ListRun::CountRemaining() {
  const auto known = memo_.Find({query_.collection, query_.prefix, page_.at, query_.start});
  if (known) {
    page_.remaining = *known - visited_;
  } else {
    ANNEX_TRY(page_.remaining, CountFromStop());
  }
  // Without a key that was shown, there is none that the next page could begin after.
  if (visited_ > 0)
    memo_.Remember({query_.collection, query_.prefix, page_.at, last_key_ + '\0'}, *page_.remaining);
  return {};
}

base::Result<std::optional<std::int64_t>> ListRun::CountFromTotals() {
  const std::string_view prefix = query_.prefix;
  if (!prefix.empty() && prefix.find('/') != prefix.size() - 1) return std::nullopt;
  const Use use(prefix.empty() ? reader_.tally_all_ : reader_.tally_namespace_);
  use->Bind(1, query_.collection);
  if (!prefix.empty()) use->BindText(2, prefix.substr(0, prefix.size() - 1));
  ANNEX_TRY(const bool found, use->Step());
  return found ? use->Integer(0) : 0;
}

base::Result<std::int64_t> ListRun::CountFromStop() {
  if (query_.start.empty() && changes_.empty()) {
    ANNEX_TRY(const auto total, CountFromTotals());
    if (total) return *total - visited_;
  }
  const Use use(reader_.count_range_);
  use->Bind(1, query_.collection).BindText(2, stop_key_);
  range_.BindEnd(*use, 3);
  ANNEX_RETURN_IF_ERROR(use->Step());
  std::int64_t count = use->Integer(0);
  for (auto change = changes_.lower_bound(stop_key_); change != changes_.end(); ++change) {
    count += (change->second.before != 0 ? 1 : 0) - (change->second.exists_now ? 1 : 0);
  }
  return count;
}

}  // namespace annex::store::sqlite
