// GET of a collection. A list goes out in pieces while it is read: each piece is a read of its own at the
// list's revision, so that memory does not grow with the list and no read holds up checkpoints or the
// executor for long.

#include "converted_rows.h"
#include "list_query.h"
#include "presenter.h"
#include "verbs.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace annex::api {
namespace {

// The first piece is made before the answer's head is sent, so that a list that fails can still say so, and a
// small one is complete.
constexpr std::size_t kFirstPieceBytes = 256UL * 1024;

class ListSource final : public BodySource {
 public:
  ListSource(Parts& parts, Presenter presenter, Selection selection, PagePlan plan)
      : parts_(parts),
        presenter_(std::move(presenter)),
        selection_(std::move(selection)),
        plan_(std::move(plan)) {}

  // Reads the list's next piece, its head and tail included. True at the end. Errors: Expired, InternalError.
  base::Result<bool> ReadPiece(std::size_t max_bytes, std::string& out) {
    if (!begun_) presenter_.BeginList(out);
    begun_ = true;
    ANNEX_TRY(const store::Page page, ReadRows(out.size() + max_bytes, out));
    const bool limited = plan_.limit > 0 && rows_ >= plan_.limit;
    if (page.more && !limited) {
      // The pieces that follow show the revision of the first.
      plan_.at = page.at;
      if (plan_.limit == 0) PutMeta(out, {page.at, "", std::nullopt});
      if (!pin_) pin_ = parts_.store.Pin(page.at);
      return false;
    }
    ListMeta meta;
    meta.resource_version = page.at;
    if (page.more) {
      meta.continue_token = EncodeContinue({page.at, last_key_ + '\0'}, selection_.prefix);
      meta.remaining = page.remaining;
    }
    PutMeta(out, meta);
    presenter_.CloseList(out, meta, rows_ == 0);
    return true;
  }

  State Read(std::size_t max_bytes, std::string& out) override {
    if (!ready_.empty()) {
      out += std::exchange(ready_, {});
      return State::kMore;
    }
    if (ended_) return State::kEnd;
    const auto end = ReadPiece(max_bytes, out);
    if (!end) return State::kBroken;
    ended_ = *end;
    if (ended_) out += '\n';
    return State::kMore;
  }
  void SetWake(std::function<void()> wake) override {}

  // What was read before the source was handed over.
  void SetReady(std::string bytes) { ready_ = std::move(bytes); }

 private:
  // With a limit, the end decides what the metadata say; without one, the first piece knows it.
  void PutMeta(std::string& out, const ListMeta& meta) {
    if (!std::exchange(meta_put_, true)) presenter_.PutListMeta(out, meta);
  }

  base::Result<store::Page> ReadRows(std::size_t until_bytes, std::string& out) {
    store::ListQuery query;
    query.collection = presenter_.strategy().collection();
    query.prefix = selection_.prefix;
    query.start = last_key_.empty() ? plan_.start : last_key_ + '\0';
    query.at = plan_.at;
    query.query = selection_.query.Empty() ? nullptr : &selection_.query;
    query.terms_format = presenter_.strategy().terms_format();
    query.count_remaining = plan_.limit > 0 && selection_.query.Empty();
    base::Result<void> outcome;
    const auto visit = [&](const store::Row& row) {
      if (!row.judged) {
        const auto matches = selection_.Judge(presenter_.strategy(), row);
        if (!matches) outcome = base::Error(matches.error());
        if (!matches) return store::Visit::kStop;
        if (!*matches) return store::Visit::kNext;
      }
      if ((plan_.limit > 0 && rows_ >= plan_.limit) || out.size() >= until_bytes) return store::Visit::kStop;
      outcome = presenter_.AppendItem(out, row, rows_ == 0);
      if (!outcome) return store::Visit::kStop;
      ++rows_;
      last_key_ = row.key;
      return store::Visit::kNext;
    };
    ANNEX_TRY(store::Page page, parts_.store.List(query, visit));
    ANNEX_RETURN_IF_ERROR(outcome);
    return page;
  }

  Parts& parts_;
  const Presenter presenter_;
  const Selection selection_;
  PagePlan plan_;
  std::shared_ptr<void> pin_;
  bool begun_ = false;
  bool meta_put_ = false;
  bool ended_ = false;
  std::int64_t rows_ = 0;
  std::string last_key_;
  std::string ready_;
};

// Why a list fails, as kube-apiserver says it. `at` is the revision that it was to show.
base::Status ListFailure(const Context& context, const ListOptions& options, const base::Status& status,
                         const PagePlan& plan, const std::string& prefix) {
  if (status.reason == base::Reason::kExpired) return ListExpired(options, plan.start, prefix);
  if (status.reason == base::Reason::kTimeout) {
    return ResourceVersionTooLarge(std::to_string(plan.at), context.parts.store.CurrentRevision());
  }
  if (status.reason != base::Reason::kUnknown) return status;
  return StorageNotReady(context.strategy->ApiVersion(), context.strategy->kind(), status.message);
}

// The whole list, since a webhook that fails must not break off half an answer.
base::Task<VerbResult> AnswerConverted(Context& context, const Presenter& presenter,
                                       const ListOptions& options, const Selection& selection,
                                       const PagePlan& plan) {
  auto list = co_await ListConverted(context, presenter, selection, plan);
  if (!list) co_return base::Error(ListFailure(context, options, list.error(), plan, selection.prefix));
  co_return BodyResponse(200, presenter.format().ContentType(), presenter.Finish(std::move(list->text)));
}

// Clients that bring a revision from here are told to forget it, all others to come again: then they meet who
// serves the objects next.
base::Status ObjectsLeave(const ListOptions& options) {
  const bool has_revision = !options.resource_version.empty() && options.resource_version != "0";
  if (has_revision || !options.continue_token.empty())
    return ExpiredList("the objects are about to be served elsewhere, with other resource versions");
  return TryAgain("the objects are about to be served elsewhere");
}

}  // namespace

base::Task<VerbResult> List(Context& context) {
  ANNEX_CO_TRY(const ListOptions options, ReadListOptions(context.query, false));
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  if (context.strategy->Leaving()) co_return base::Error(ObjectsLeave(options));
  ANNEX_CO_TRY(Selection selection, Select(context, options));
  ANNEX_CO_TRY(const IncludeObject include, ReadIncludeObject(context.query, format.form));
  const Presenter presenter(context.strategy, format, include, context.parts.clock);
  ANNEX_CO_RETURN_IF_ERROR(presenter.CheckListForm());
  ANNEX_CO_TRY(const PagePlan plan, PlanPage(context.parts, options, selection));
  if (context.strategy->ListsThroughWebhook()) {
    co_return co_await AnswerConverted(context, presenter, options, selection, plan);
  }

  const std::string prefix = selection.prefix;
  auto source = std::make_unique<ListSource>(context.parts, presenter, std::move(selection), plan);
  const bool streams = presenter.Streams(plan.limit > 0);
  std::string body;
  bool complete = false;
  do {
    const auto end = source->ReadPiece(kFirstPieceBytes, body);
    if (!end) co_return base::Error(ListFailure(context, options, end.error(), plan, prefix));
    complete = *end;
  } while (!complete && !streams);
  if (complete) co_return BodyResponse(200, format.ContentType(), presenter.Finish(std::move(body)));

  Response response = BodyResponse(200, format.ContentType(), "");
  source->SetReady(std::move(body));
  response.stream = std::move(source);
  co_return response;
}

}  // namespace annex::api
