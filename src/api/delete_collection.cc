// DELETE of a collection: a list, each of whose objects is deleted. Not atomic.

#include "converted_rows.h"
#include "deletions.h"
#include "list_query.h"
#include "presenter.h"
#include "verbs.h"

#include <utility>
#include <vector>

namespace annex::api {
namespace {

struct Doomed {
  std::vector<std::string> keys;
  std::string list;  // the answer: the objects as they were
};

base::Status ListFailure(const ListOptions& options, const PagePlan& plan, const Selection& selection,
                         const base::Status& status) {
  return status.reason == base::Reason::kExpired ? ListExpired(options, plan.start, selection.prefix)
                                                 : status;
}

base::Task<base::Result<Doomed>> ListConvertedDoomed(Context& context, const ListOptions& options,
                                                     const Presenter& presenter) {
  ANNEX_CO_TRY(const Selection selection, Select(context, options));
  ANNEX_CO_TRY(const PagePlan plan, PlanPage(context.parts, options, selection));
  auto list = co_await ListConverted(context, presenter, selection, plan);
  if (!list) co_return base::Error(ListFailure(options, plan, selection, list.error()));
  co_return Doomed{std::move(list->keys), std::move(list->text)};
}

base::Result<Doomed> ListDoomed(Context& context, const ListOptions& options, const Presenter& presenter) {
  ANNEX_TRY(const Selection selection, Select(context, options));
  ANNEX_TRY(const PagePlan plan, PlanPage(context.parts, options, selection));
  Doomed doomed;
  store::ListQuery query;
  query.collection = context.strategy->collection();
  query.prefix = selection.prefix;
  query.start = plan.start;
  query.at = plan.at;
  query.query = selection.query.Empty() ? nullptr : &selection.query;
  query.terms_format = context.strategy->terms_format();
  query.count_remaining = plan.limit > 0 && selection.query.Empty();
  presenter.BeginList(doomed.list);
  base::Result<void> outcome;
  const auto page = context.parts.store.List(query, [&](const store::Row& row) {
    if (!row.judged) {
      const auto matches = selection.Judge(*context.strategy, row);
      if (!matches) outcome = base::Error(matches.error());
      if (!matches || !*matches) return outcome ? store::Visit::kNext : store::Visit::kStop;
    }
    if (plan.limit > 0 && static_cast<std::int64_t>(doomed.keys.size()) >= plan.limit)
      return store::Visit::kStop;
    outcome = presenter.AppendItem(doomed.list, row, doomed.keys.empty());
    doomed.keys.emplace_back(row.key);
    return outcome ? store::Visit::kNext : store::Visit::kStop;
  });
  if (!page) return base::Error(ListFailure(options, plan, selection, page.error()));
  ANNEX_RETURN_IF_ERROR(outcome);
  ListMeta meta;
  meta.resource_version = page->at;
  if (page->more && !doomed.keys.empty()) {
    meta.continue_token = EncodeContinue({page->at, doomed.keys.back() + '\0'}, selection.prefix);
    meta.remaining = page->remaining;
  }
  presenter.EndList(doomed.list, meta, doomed.keys.empty());
  return doomed;
}

}  // namespace

base::Task<VerbResult> DeleteCollection(Context& context) {
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  ANNEX_CO_TRY(const ListOptions list_options, ReadListOptions(context.query, false));
  ANNEX_CO_TRY(const DeleteOptions options,
               ReadDeleteOptions(context.request.headers, context.request.body, context.query));
  const Presenter presenter(context.strategy, format, IncludeObject::kMetadata, context.parts.clock);
  ANNEX_CO_RETURN_IF_ERROR(presenter.CheckListForm());
  Doomed doomed;
  if (context.strategy->ListsThroughWebhook()) {
    ANNEX_CO_TRY(doomed, co_await ListConvertedDoomed(context, list_options, presenter));
  } else {
    ANNEX_CO_TRY(doomed, ListDoomed(context, list_options, presenter));
  }

  Deletions deletions(context, options, std::move(doomed.keys));
  ANNEX_CO_RETURN_IF_ERROR(co_await RunDeletions(deletions, context.executor()));
  co_return BodyResponse(200, format.ContentType(), presenter.Finish(std::move(doomed.list)));
}

}  // namespace annex::api
