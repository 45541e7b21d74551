#include "converted_rows.h"

#include "stored_form.h"

#include <algorithm>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

// What one call of a webhook converts at most.
constexpr std::size_t kBatchRows = 500;
constexpr std::size_t kBatchBytes = 4UL << 20U;

store::ObjectPtr Copy(const store::Row& row) {
  auto object = std::make_shared<store::Object>();
  object->key = row.key;
  object->revision = row.revision;
  object->body = {std::string(row.body), row.revision_at};
  object->format = row.format;
  return object;
}

}  // namespace

ConvertedRows::ConvertedRows(Parts& parts, const Strategy& strategy, const Selection& selection,
                             PagePlan plan, base::Executor& executor)
    : parts_(parts), strategy_(strategy), selection_(selection), executor_(executor), plan_(std::move(plan)) {
  keys_.keys = selection.query.keys;
}

std::size_t ConvertedRows::MaxRows() const {
  if (plan_.limit == 0 || !Unconditional()) return kBatchRows;
  return std::min(kBatchRows, static_cast<std::size_t>(plan_.limit - given_));
}

base::Result<ConvertedRows::Loaded> ConvertedRows::Load() {
  // What is stored in this version has terms that tell; of other versions only the key is known.
  const bool by_terms = !strategy_.StoresOtherVersion();
  const selector::Query& conditions = by_terms ? selection_.query : keys_;
  store::ListQuery query;
  query.collection = strategy_.collection();
  query.prefix = selection_.prefix;
  query.start = last_key_.empty() ? plan_.start : last_key_ + '\0';
  query.at = plan_.at;
  query.query = conditions.Empty() ? nullptr : &conditions;
  query.terms_format = strategy_.terms_format();
  query.labels_follow_format = true;
  query.count_remaining = plan_.limit > 0 && Unconditional();
  const bool keys_alone = selection_.KeysAlone();
  const std::size_t max_rows = MaxRows();
  Loaded loaded;
  std::size_t bytes = 0;
  ANNEX_TRY(loaded.page, parts_.store.List(query, [&](const store::Row& row) {
    if (loaded.rows.size() == max_rows || bytes >= kBatchBytes) return store::Visit::kStop;
    loaded.rows.push_back(Copy(row));
    loaded.judged.push_back(keys_alone || (by_terms && row.judged));
    bytes += row.body.size();
    return store::Visit::kNext;
  }));
  return loaded;
}

void ConvertedRows::Take(const Loaded& loaded, std::vector<Value> objects, Batch& batch) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string& key = loaded.rows[i]->key;
    if (!loaded.judged[i] && !selection_.Matches(strategy_, objects[i])) continue;
    if (plan_.limit > 0 && given_ == plan_.limit) {
      batch.last = true;
      batch.more = true;
      return;
    }
    ++given_;
    batch.items.push_back({key, std::move(objects[i])});
  }
  if (!loaded.rows.empty()) last_key_ = loaded.rows.back()->key;
  const bool full = plan_.limit > 0 && given_ == plan_.limit && Unconditional();
  batch.last = full || !loaded.page.more;
  batch.more = full && loaded.page.more;
  batch.remaining = loaded.page.remaining;
}

base::Task<base::Result<ConvertedRows::Batch>> ConvertedRows::Next() {
  ANNEX_CO_TRY(const Loaded loaded, Load());
  // The batches that follow show the revision of the first.
  plan_.at = loaded.page.at;
  if (loaded.page.more && !pin_) pin_ = parts_.store.Pin(plan_.at);
  ANNEX_CO_TRY(std::vector<Value> objects, co_await ReadObjects(strategy_, loaded.rows, executor_));
  Batch batch;
  batch.at = plan_.at;
  Take(loaded, std::move(objects), batch);
  co_return batch;
}

base::Task<base::Result<ConvertedList>> ListConverted(Context& context, const Presenter& presenter,
                                                      const Selection& selection, PagePlan plan) {
  ConvertedRows rows(context.parts, presenter.strategy(), selection, std::move(plan), context.executor());
  ConvertedList list;
  presenter.BeginList(list.text);
  while (true) {
    ANNEX_CO_TRY(const ConvertedRows::Batch batch, co_await rows.Next());
    for (const ConvertedRows::Item& item : batch.items) {
      presenter.AppendItem(list.text, item.object, list.keys.empty());
      list.keys.push_back(item.key);
    }
    if (!batch.last) continue;
    ListMeta meta;
    meta.resource_version = batch.at;
    if (batch.more && !list.keys.empty()) {
      meta.continue_token = EncodeContinue({batch.at, list.keys.back() + '\0'}, selection.prefix);
      meta.remaining = batch.remaining;
    }
    presenter.EndList(list.text, meta, list.keys.empty());
    co_return list;
  }
}

}  // namespace annex::api
