// DELETE of one object.

#include "annex/json/read.h"
#include "answer.h"
#include "delete_object.h"
#include "object_checks.h"
#include "presenter.h"
#include "status_body.h"
#include "verbs.h"

namespace annex::api {

base::Task<VerbResult> Delete(Context& context) {
  const Strategy& strategy = *context.strategy;
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  ANNEX_CO_TRY(const DeleteOptions options,
               ReadDeleteOptions(context.request.headers, context.request.body, context.query));
  ANNEX_CO_TRY(std::string key, context.Key());
  ANNEX_CO_TRY(const Deleted deleted,
               co_await DeleteObject(context, std::move(key), options, LastState::kWanted));
  // A client that asked explicitly not to orphan learns that the deletion goes on.
  const int code = !deleted.gone && options.orphan_dependents == false ? 202 : 200;
  const Presenter presenter(context.strategy, format, IncludeObject::kMetadata, context.parts.clock);
  if (!deleted.gone || strategy.ReturnsDeletedObject()) {
    ANNEX_CO_TRY(std::string body, presenter.Document(deleted.object));
    co_return BodyResponse(code, format.ContentType(), std::move(body));
  }
  const std::string status =
      DeletedStatusJson(context.info.name, strategy.group(), strategy.plural(), deleted.uid);
  co_return BodyResponse(code, format.ContentType(), StatusBody(status, format));
}

}  // namespace annex::api
