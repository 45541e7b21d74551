// PATCH of an object or of its status, with a JSON patch or a merge patch; applies are in apply.cc.

#include "annex/json/write.h"
#include "apply.h"
#include "decode.h"
#include "field_management.h"
#include "guaranteed_update.h"
#include "object_checks.h"
#include "patch_document.h"
#include "verbs.h"

#include <utility>

namespace annex::api {
namespace {

base::Result<json::Value> MakePatched(Context& context, const PatchDocument& patch,
                                      const WriteOptions& options, const json::Value& existing) {
  ANNEX_TRY(json::Value object, patch.Apply(existing));
  if (const auto typed = CheckTypeMeta(object); !typed) {
    return base::Error(UnreadablePatch(object, typed.error().message));
  }
  if (!context.strategy->builtin() && json::TextAt(object, {"kind"}).empty()) {
    return base::Error(UnreadablePatch(object, "Object 'Kind' is missing in '" + json::ToJson(object) + "'"));
  }
  const json::Value patched = object;
  if (const auto coerced = CoerceObject(context, object, options.field_validation, patch.complaints());
      !coerced) {
    return base::Error(UnreadablePatch(patched, coerced.error().message));
  }
  if (!context.strategy->builtin() && json::TextAt(object, {"apiVersion"}).empty()) {
    return base::Error(InternalError("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
  }
  ANNEX_RETURN_IF_ERROR(EnsureNamespace(context, object));
  ANNEX_RETURN_IF_ERROR(CheckNameMatches(context, object));
  DedupOwnerReferences(context, object, DedupTime::kAfterAdmission);
  return object;
}

}  // namespace

base::Task<VerbResult> Patch(Context& context) {
  ANNEX_CO_RETURN_IF_ERROR(PatchDocument::CheckType(context));
  if (PatchDocument::IsApply(context)) co_return co_await Apply(context);
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  ANNEX_CO_TRY(const WriteOptions options, ReadWriteOptions(context.query, "PatchOptions"));
  ANNEX_CO_TRY(const IncludeObject include, ReadIncludeObject(context.query, format.form));
  // An object that is not there is told before a patch that makes no sense.
  const base::Result<PatchDocument> patch = PatchDocument::Read(context, options.field_validation);

  UpdatePlan plan;
  plan.make = [&](const json::Value& existing, const auto&) -> base::Result<json::Value> {
    if (!patch) return base::Error(patch.error());
    return MakePatched(context, *patch, options, existing);
  };
  plan.dry_run = options.dry_run;
  plan.subresource = context.subresource;
  plan.writer = WriterOf(context, options.field_manager);
  ANNEX_CO_TRY(Updated updated, co_await GuaranteedUpdate(context, std::move(plan)));
  const Presenter presenter(context.strategy, format, include, context.parts.clock);
  co_return co_await UpdatedResponse(context, presenter, std::move(updated));
}

}  // namespace annex::api
