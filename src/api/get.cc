#include "presenter.h"
#include "stored_form.h"
#include "verbs.h"

#include <utility>

namespace annex::api {

base::Task<VerbResult> Get(Context& context) {
  const Strategy& strategy = *context.strategy;
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  if (OptionalFlag(context.query, "export").value_or(false)) {
    co_return base::Error(BadRequest("the export parameter, deprecated since v1.14, is no longer supported"));
  }
  ANNEX_CO_TRY(const std::string key, context.Key());
  ANNEX_CO_TRY(const store::Revision wanted,
               ParseResourceVersion(context.query.Get("resourceVersion"), VersionPlace::kOther));
  if (wanted > context.parts.store.CurrentRevision()) {
    co_return base::Error(
        ResourceVersionTooLarge(context.query.Get("resourceVersion"), context.parts.store.CurrentRevision()));
  }
  ANNEX_CO_TRY(const IncludeObject include, ReadIncludeObject(context.query, format.form));
  const Presenter presenter(context.strategy, format, include, context.parts.clock);
  base::Result<std::string> body = std::string();
  bool needs_webhook = false;
  const auto present = [&](const store::Row& row) {
    needs_webhook = NeedsWebhook(strategy, row.format);
    if (!needs_webhook) body = presenter.Document(row);
  };
  ANNEX_CO_TRY(const bool found, context.parts.store.Get(strategy.collection(), key, present));
  if (!found) co_return base::Error(NotFound(context.resource(), context.info.name));
  if (needs_webhook) {
    ANNEX_CO_TRY(store::ObjectPtr stored, context.parts.store.Load(strategy.collection(), key));
    if (!stored) co_return base::Error(NotFound(context.resource(), context.info.name));
    co_return co_await ObjectResponse(context, presenter, 200, std::move(stored));
  }
  if (!body) co_return base::Error(body.error());
  co_return BodyResponse(200, format.ContentType(), *std::move(body));
}

}  // namespace annex::api
