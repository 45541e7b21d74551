// PUT of an object or of its status.

#include "decode.h"
#include "field_management.h"
#include "guaranteed_update.h"
#include "object_checks.h"
#include "verbs.h"

#include <utility>

namespace annex::api {

base::Task<VerbResult> Update(Context& context) {
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  ANNEX_CO_TRY(const WriteOptions options, ReadWriteOptions(context.query, "UpdateOptions"));
  ANNEX_CO_TRY(const IncludeObject include, ReadIncludeObject(context.query, format.form));
  ANNEX_CO_TRY(json::Value object, DecodeObject(context, options.field_validation));
  ANNEX_CO_RETURN_IF_ERROR(EnsureNamespace(context, object));
  ANNEX_CO_RETURN_IF_ERROR(CheckNameMatches(context, object));
  DedupOwnerReferences(context, object);

  UpdatePlan plan;
  plan.make = [&object](const json::Value&, const auto&) -> base::Result<json::Value> { return object; };
  plan.uid = json::TextAt(object, {"metadata", "uid"});
  plan.dry_run = options.dry_run;
  plan.subresource = context.subresource;
  plan.writer = WriterOf(context, options.field_manager);
  ANNEX_CO_TRY(Updated updated, co_await GuaranteedUpdate(context, std::move(plan)));
  const Presenter presenter(context.strategy, format, include, context.parts.clock);
  co_return co_await UpdatedResponse(context, presenter, std::move(updated));
}

}  // namespace annex::api
